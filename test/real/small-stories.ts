// The small stories, one per language.
import { fixture } from '../fixture/index.js'
import type { SmallStory } from './small-story.js'

const schema = `{
  "type": "object",
  "properties": {
    "name": { "type": "string", "description": "What somebody is called." },
    "age": { "type": "integer" }
  }
}`

const otherSchema = { file: 'schema.json', find: '"integer"', replace: '"boolean"' }

export const jsonStory: SmallStory = {
  file: 'settings.json',
  outline: ['name', 'age'],
  hover: /What somebody is called/,
  fixture: fixture`
-- schema.json --
${schema}
-- settings.json --
{
  "$schema": "./schema.json",
  "$0name": "Ada",
  "age": 36
}
`,
  ownBreakage: {
    file: 'settings.json',
    find: '36',
    replace: '"36"',
    complaint: /Incorrect type\. Expected "integer"/,
  },
  foreignBreakage: { ...otherSchema, complaint: /Incorrect type\. Expected "boolean"/ },
}

export const yamlStory: SmallStory = {
  file: 'settings.yaml',
  outline: ['name', 'age'],
  hover: /What somebody is called/,
  fixture: fixture`
-- schema.json --
${schema}
-- settings.yaml --
# yaml-language-server: $schema=./schema.json
$0name: Ada
age: 36
`,
  ownBreakage: {
    file: 'settings.yaml',
    find: '36',
    replace: 'old',
    complaint: /Incorrect type\. Expected "integer"/,
  },
  foreignBreakage: { ...otherSchema, complaint: /Incorrect type\. Expected "boolean"/ },
}

export const cssStory: SmallStory = {
  file: 'style.css',
  outline: ['.person'],
  fixture: fixture`
-- style.css --
:root {
  --ink: #123;
  ^^^^^ definition
  ^^^^^ reference
}

.person {
  color: var(--$0ink);
             ^^^^^ reference
}
`,
  ownBreakage: { file: 'style.css', find: 'color:', replace: 'color', complaint: /colon expected/ },
}

export const htmlStory: SmallStory = {
  file: 'page.html',
  outline: ['p#hello.greeting'],
  hover: /paragraph/,
  fixture: fixture`
-- page.html --
<!doctype html>
<html>
  <head>
    <style>
      .greeting { color: black; }
    </style>
  </head>
  <body>
    <$0p id="hello" class="greeting">Hello</p>
  </body>
</html>
`,
  ownBreakage: {
    file: 'page.html',
    find: 'color: black',
    replace: 'color black',
    complaint: /colon expected/,
  },
}

export const phpStory: SmallStory = {
  file: 'src/Greeter.php',
  outline: ['greet'],
  hover: /function greeting\(\): string/,
  search: 'greet',
  fixture: fixture`
-- composer.json --
{ "name": "example/greeter" }
-- src/Person.php --
<?php

namespace Greeter;

class Person
{
    public function __construct(public readonly string $name)
    {
    }

    public function greeting(): string
                    ^^^^^^^^ definition
                    ^^^^^^^^ reference
    {
        return "Hello, " . $this->name;
    }
}
-- src/Greeter.php --
<?php

namespace Greeter;

function greet(/* 👋 */ Person $person): string
{
    return /* 👋 */ $person->$0greeting();
                             ^^^^^^^^ reference
}
`,
  ownBreakage: {
    file: 'src/Greeter.php',
    find: '$person->greeting()',
    replace: '$person->greetings()',
    complaint: /Undefined method 'greetings'/,
  },
  foreignBreakage: {
    file: 'src/Person.php',
    find: 'function greeting()',
    replace: 'function salute()',
    complaint: /Undefined method 'greeting'/,
  },
  guest: fixture`
-- src/guests/Guest.php --
<?php

namespace Guests;

use Greeter\Person;

echo (new Person("Grace"))->greeting();
                            ^^^^^^^^ reference
`,
}

export const rubyStory: SmallStory = {
  file: 'greeter.rb',
  outline: ['greet'],
  hover: /Somebody to greet/,
  fixture: fixture`
-- person.rb --
# Somebody to greet.
class Person
      ^^^^^^ definition
      ^^^^^^ reference
  def initialize(name)
    @name = name
  end

  def greeting
    "Hello, " + @name
  end
end
-- greeter.rb --
require_relative "person"

def greet(wave = "👋", person = $0Person.new("Ada"))
                                ^^^^^^ reference
  wave + person.greeting
end
`,
  ownBreakage: {
    file: 'greeter.rb',
    find: 'person.greeting',
    replace: 'person.greeting(',
    complaint: /expected a|unexpected/,
  },
  guest: fixture`
-- guests/guest.rb --
require_relative "../person"

guest = Person.new("Grace")
        ^^^^^^ reference
`,
}

export const svelteStory: SmallStory = {
  file: 'src/Greeter.svelte',
  outline: ['greet'],
  hover: /class Person/,
  fixture: fixture`
-- tsconfig.json --
{
  "compilerOptions": {
    "target": "es2022",
    "module": "esnext",
    "moduleResolution": "bundler",
    "types": [],
    "strict": true,
    "noEmit": true,
    "verbatimModuleSyntax": true
  },
  "include": ["src"]
}
-- src/Person.svelte --
<script module lang="ts">
  export class Person {
               ^^^^^^ definition
               ^^^^^^ reference
    constructor(readonly name: string) {}

    greeting(): string {
      return 'Hello, ' + this.name
    }
  }
</script>
-- src/Greeter.svelte --
<script module lang="ts">
  import type { Person } from './Person.svelte'
                ^^^^^^ reference

  export function greet(/* 👋 */ person: $0Person): string {
                                         ^^^^^^ reference
    return person.greeting()
  }
</script>
`,
  ownBreakage: {
    file: 'src/Greeter.svelte',
    find: 'person.greeting()',
    replace: 'person.greeting().length',
    complaint: /Type 'number' is not assignable to type 'string'/,
  },
  foreignBreakage: {
    file: 'src/Person.svelte',
    find: "greeting(): string {\n      return 'Hello, ' + this.name",
    replace: 'greeting(): number {\n      return this.name.length',
    complaint: /Type 'number' is not assignable to type 'string'/,
  },
  guest: fixture`
-- src/guests/Guest.svelte --
<script module lang="ts">
  import { Person } from '../Person.svelte'
           ^^^^^^ reference

  export const guest = new Person('Ada')
                           ^^^^^^ reference
</script>
`,
}

export const astroStory: SmallStory = {
  file: 'src/Greeter.astro',
  outline: ['greet'],
  hover: /class Person/,
  fixture: fixture`
-- tsconfig.json --
{
  "compilerOptions": {
    "target": "es2022",
    "module": "esnext",
    "moduleResolution": "bundler",
    "types": [],
    "strict": true,
    "noEmit": true,
    "jsx": "preserve"
  },
  "include": ["src"]
}
-- src/person.ts --
export class Person {
             ^^^^^^ definition
             ^^^^^^ reference
  constructor(readonly name: string) {}

  greeting(): string {
    return 'Hello, ' + this.name
  }
}
-- src/Greeter.astro --
---
import { Person } from './person'
         ^^^^^^ reference

function greet(/* 👋 */ person: $0Person): string {
                                ^^^^^^ reference
  return person.greeting()
}
---
<p>{greet(new Person('Ada'))}</p>
              ^^^^^^ reference
`,
  ownBreakage: {
    file: 'src/Greeter.astro',
    find: 'person.greeting()',
    replace: 'person.greeting().length',
    complaint: /Type 'number' is not assignable to type 'string'/,
  },
  foreignBreakage: {
    file: 'src/person.ts',
    find: "greeting(): string {\n    return 'Hello, ' + this.name",
    replace: 'greeting(): number {\n    return this.name.length',
    complaint: /Type 'number' is not assignable to type 'string'/,
  },
  guest: fixture`
-- src/guests/Guest.astro --
---
import { Person } from '../person'
         ^^^^^^ reference
---
<p>{new Person('Grace').greeting()}</p>
        ^^^^^^ reference
`,
}

export const shellStory: SmallStory = {
  file: 'greeter.sh',
  outline: ['greet'],
  hover: /Says hello/,
  search: 'greet',
  fixture: fixture`
-- person.sh --
#!/bin/bash

# Says hello.
greeting() {
^^^^^^^^ reference
  echo "Hello, \$1"
}
-- greeter.sh --
#!/bin/bash
source ./person.sh

greet() {
  $0greeting "\$1"
  ^^^^^^^^ reference
}

greet "Ada"
`,
  ownBreakage: {
    file: 'greeter.sh',
    find: 'greet "Ada"',
    replace: 'greet "Ada',
    complaint: /Couldn't parse this double quoted string/,
  },
  guest: fixture`
-- guests/guest.sh --
#!/bin/bash
source ../person.sh
greeting "Grace"
^^^^^^^^ reference
`,
}

export const tomlStory: SmallStory = {
  file: 'settings.toml',
  outline: ['name', 'person'],
  fixture: fixture`
-- settings.toml --
$0name = "Ada"

[person]
age = 36
`,
  ownBreakage: { file: 'settings.toml', find: '36', replace: '36 37', complaint: /expected line break/ },
}

export const dockerfileStory: SmallStory = {
  file: 'Dockerfile',
  outline: ['FROM', 'WORKDIR'],
  fixture: fixture`
-- Dockerfile --
FROM node:20 AS build
                ^^^^^ definition
WORKDIR /app

FROM node:20
COPY --from=$0build /app /app
`,
  ownBreakage: {
    file: 'Dockerfile',
    find: 'WORKDIR',
    replace: 'WORKDR',
    complaint: /Unknown instruction: WORKDR/,
  },
}

export const prismaStory: SmallStory = {
  file: 'schema.prisma',
  outline: ['Person', 'Post'],
  hover: /Person/,
  fixture: fixture`
-- schema.prisma --
datasource db {
  provider = "postgresql"
}

model Person {
      ^^^^^^ definition
      ^^^^^^ reference
  id    Int    @id
  posts Post[]
}

model Post {
  id       Int    @id
  author   $0Person @relation(fields: [authorId], references: [id])
           ^^^^^^ reference
  authorId Int
}
`,
  ownBreakage: {
    file: 'schema.prisma',
    find: 'Person @relation',
    replace: 'Persn @relation',
    complaint: /Type "Persn" is neither a built-in type/,
  },
}

export const protobufStory: SmallStory = {
  file: 'greeter/v1/greeter.proto',
  outline: ['greeter.v1.Greeting'],
  fixture: fixture`
-- buf.yaml --
version: v2
-- greeter/v1/person.proto --
syntax = "proto3";

package greeter.v1;

// Person is somebody to greet.
message Person {
        ^^^^^^ definition
        ^^^^^^ reference
  string name = 1;
}
-- greeter/v1/greeter.proto --
syntax = "proto3";

package greeter.v1;

import "greeter/v1/person.proto";

// Greeting is for somebody.
message Greeting {
  $0Person person = 1;
  ^^^^^^ reference
}
`,
  ownBreakage: {
    file: 'greeter/v1/greeter.proto',
    find: 'Person person',
    replace: 'Persn person',
    complaint: /cannot find .Persn. in this scope/,
  },
  foreignBreakage: {
    file: 'greeter/v1/person.proto',
    find: 'message Person',
    replace: 'message Human',
    complaint: /cannot find .Person. in this scope/,
  },
  guest: fixture`
-- guests/v1/guest.proto --
syntax = "proto3";

package guests.v1;

import "greeter/v1/person.proto";

// Guest is somebody known.
message Guest {
  greeter.v1.Person person = 1;
  ^^^^^^^^^^^^^^^^^ reference
}
`,
}

export const carelessTypescript: SmallStory = {
  file: 'src/name.ts',
  fixture: fixture`
-- biome.json --
{ "linter": { "rules": { "suspicious": { "noConsole": "off" } } } }
-- src/name.ts --
export const $0name = 'Ada'
console.info(name)
`,
  ownBreakage: {
    file: 'src/name.ts',
    find: 'console.info(name)',
    replace: 'debugger',
    complaint: /unexpected use of the debugger statement/,
  },
  foreignBreakage: {
    file: 'biome.json',
    find: '"off"',
    replace: '"error"',
    complaint: /Don't use console/,
  },
}

export const carelessPython: SmallStory = {
  file: 'name.py',
  fixture: fixture`
-- ruff.toml --
[lint]
select = ["F"]
-- name.py --
$0name = "Ada"
print(name)
`,
  ownBreakage: {
    file: 'name.py',
    find: 'print(name)',
    replace: 'print(names)',
    complaint: /Undefined name .names./,
  },
  foreignBreakage: {
    file: 'ruff.toml',
    find: '["F"]',
    replace: '["F", "T201"]',
    complaint: /.print. found/,
  },
}
