// The story in TypeScript.
import { fixture } from '../fixture/index.js'
import type { Story } from './story.js'

export const typescriptStory: Story = {
  language: 'typescript',
  greeter: 'src/greeter.ts',
  person: 'src/person.ts',
  type: 'Person',
  method: { name: 'greeting', path: 'Person.greeting', signature: /greeting\(\): string/ },
  newName: 'salutation',
  keyword: 'function',
  comment: '// A word.',
  lens: /^1 implementation$/,
  untidy: { file: 'src/greeter.ts', find: 'return person', replace: 'return   person' },
  repair: {
    file: 'src/greeter.ts',
    find: "import type { Person } from './person'\n",
    replace: '',
    complaint: /Cannot find name 'Person'/,
    title: /^Add import from ["']\.\/person["']$/,
  },
  fixture: fixture`
-- tsconfig.json --
{
  "compilerOptions": {
    "target": "es2022",
    "module": "esnext",
    "moduleResolution": "bundler",
    "types": [],
    "strict": true,
    "noEmit": true
  },
  "include": ["src"]
}
-- src/person.ts --
export class Person {
//           ^^^^^^ Person
  constructor(readonly name: string) {}

  greeting(): string {
//^^^^^^^^ greeting
    return 'Hello, ' + this.name
  }
}
-- src/greeter.ts --
import type { Person } from './person'
//            ^^^^^^ Person

export function greet(/* 👋 */ person: Person): string {
//              ^^^^^ caller
//                             ^^^^^^ parameter
//                                     ^^^^^^ Person
  return person.$0greeting()
//       ^^^^^^ parameter
}
-- src/family.ts --
export interface Named {
//               ^^^^^ base
  readonly name: string
}

export class Friend implements Named {
//           ^^^^^^ derived
//           ^^^^^^ implementation
  constructor(readonly name: string) {}
}

export const ada = new Friend('Ada')
//                            ^ argument
`,
  ownBreakage: {
    file: 'src/greeter.ts',
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
  projectBreakage: {
    file: 'tsconfig.json',
    find: '"strict": true',
    replace: '"strict": true, "moduleSuffixes": [".none"]',
    complaint: /Cannot find module '.\/person'/,
  },
  guest: fixture`
-- src/guests/guest.ts --
import { Person } from '../person'
//       ^^^^^^ Person

export const guest = new Person('Ada')
//                       ^^^^^^ Person
`,
}
