// The story for clangd, in C++ because C has no methods; the workspace of real code is C. No header of a standard
// library is included, so that it needs none.
import { join } from 'node:path'
import { fixture } from '../fixture/index.js'
import type { Story } from './story.js'

export const cStory: Story = {
  language: 'c',
  greeter: 'greeter.cpp',
  person: 'person.hpp',
  type: 'Person',
  method: { name: 'greeting', path: 'Person.greeting', signature: /const char \*greeting\(\) const/ },
  newName: 'salutation',
  keyword: 'char',
  comment: '// A word.',
  lens: /reference/,
  untidy: { file: 'greeter.cpp', find: 'return person', replace: 'return   person' },
  repair: {
    file: 'greeter.cpp',
    find: 'person.greeting();',
    replace: 'person.greeting()',
    complaint: /[Ee]xpected ';' after return statement/,
    title: /^insert ';'$/,
  },
  fixture: fixture`
-- .clang-format --
BasedOnStyle: LLVM
AllowShortFunctionsOnASingleLine: Inline
-- person.hpp --
#pragma once

struct Person {
//     ^^^^^^ Person
  const char *name;

  const char *greeting() const { return name; }
  //          ^^^^^^^^ greeting
};
-- greeter.cpp --
#include "person.hpp"

const char *greet(/* 👋 */ const Person &person) {
//          ^^^^^ caller
//                                       ^^^^^^ parameter
//                               ^^^^^^ Person
  return person.$0greeting();
//       ^^^^^^ parameter
}
-- family.cpp --
struct Named {
//     ^^^^^ base
  virtual const char *called() const = 0;
};

struct Friend : Named {
//     ^^^^^^ derived
//     ^^^^^^ implementation
  explicit Friend(const char *name) : name(name) {}
  const char *called() const override { return name; }
  const char *name;
};

const Friend ada("Ada");
//               ^ argument
`,
  ownBreakage: {
    file: 'greeter.cpp',
    find: 'person.greeting()',
    replace: 'sizeof(person.greeting())',
    complaint: /[Cc]annot initialize return object of type 'const char \*'/,
  },
  foreignBreakage: {
    file: 'person.hpp',
    find: 'const char *greeting() const { return name; }',
    replace: 'long greeting() const { return name[0]; }',
    complaint: /[Cc]annot initialize return object of type 'const char \*'/,
  },
  projectBreakage: {
    file: 'compile_commands.json',
    find: '"-std=c++17"',
    replace: '"-std=c++17", "-Dgreet=1"',
    complaint: /[Ee]xpected unqualified-id/,
  },
  guest: fixture`
-- guests/guest.cpp --
#include "../person.hpp"

const Person guest{"Ada"};
//    ^^^^^^ Person
`,
  extraFiles: root => {
    const unit = (file: string) => ({
      directory: root,
      file: join(root, file),
      arguments: ['clang++', '-std=c++17', '-c', file],
    })
    return new Map([
      ['compile_commands.json', JSON.stringify([unit('greeter.cpp'), unit('family.cpp')], null, 1)],
    ])
  },
}
