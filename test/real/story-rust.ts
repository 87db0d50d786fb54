// The story in Rust. The module of the guest is declared from the start: a file no module names is none of the crate's.
// It does without the standard library, whose sources not every machine has; the workspace of real code has them.
import { fixture } from '../fixture/index.js'
import type { Story } from './story.js'

export const rustStory: Story = {
  language: 'rust',
  greeter: 'src/greeter.rs',
  person: 'src/person.rs',
  type: 'Person',
  method: { name: 'greeting', path: 'Person.greeting', signature: /fn greeting\(&self\) -> Words/ },
  newName: 'salutation',
  keyword: 'fn',
  comment: '// A word.',
  lens: /^1 implementation$/,
  untidy: { file: 'src/greeter.rs', find: 'person.greeting()', replace: 'person . greeting( )' },
  repair: {
    file: 'src/greeter.rs',
    find: 'person.greeting()',
    replace: 'Person {}.greeting()',
    complaint: /missing structure fields/,
    title: /^Fill struct fields$/,
  },
  fixture: fixture`
-- Cargo.toml --
[package]
name = "greeter"
version = "0.1.0"
edition = "2021"

[features]
default = []
numbers = []
-- src/lib.rs --
#![no_std]
pub mod family;
pub mod greeter;
pub mod guest;
pub mod person;
-- src/person.rs --
pub struct Person {
//         ^^^^^^ Person
    pub name: &'static str,
}

#[cfg(not(feature = "numbers"))]
pub type Words = &'static str;
#[cfg(feature = "numbers")]
pub type Words = u32;

impl Person {
//   ^^^^^^ Person
    pub fn greeting(&self) -> Words {
    //     ^^^^^^^^ greeting
        self.name
    }
}
-- src/greeter.rs --
use crate::person::Person;
//                 ^^^^^^ Person

pub fn greet(/* 👋 */ person: &Person) -> &'static str {
//     ^^^^^ caller
//                    ^^^^^^ parameter
//                             ^^^^^^ Person
    person.$0greeting()
//  ^^^^^^ parameter
}
-- src/family.rs --
pub trait Named {
//        ^^^^^ base
    fn called(&self) -> &'static str;
}

pub struct Friend {
//         ^^^^^^ derived
    name: &'static str,
}

impl Named for Friend {
//             ^^^^^^ implementation
    fn called(&self) -> &'static str {
        self.name
    }
}

pub const fn friend(name: &'static str) -> Friend {
    Friend { name }
}

pub const ADA: Friend = friend("Ada");
//                             ^ argument
`,
  ownBreakage: {
    file: 'src/greeter.rs',
    find: 'person.greeting()',
    replace: 'person',
    complaint: /expected &'static str, found &Person/,
  },
  foreignBreakage: {
    file: 'src/person.rs',
    find: 'Words {\n        self.name',
    replace: 'u32 {\n        1',
    complaint: /expected &'static str, found u32/,
  },
  projectBreakage: {
    file: 'Cargo.toml',
    find: 'default = []',
    replace: 'default = ["numbers"]',
    complaint: /expected &'static str, found u32/,
  },
  guest: fixture`
-- src/guest/mod.rs --
use crate::person::Person;
//                 ^^^^^^ Person

pub const GUEST: Person = Person { name: "Ada" };
//               ^^^^^^ Person
//                        ^^^^^^ Person
`,
  initializationOptions: { cargo: { sysroot: null } },
}
