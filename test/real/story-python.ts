// The story in Python. It is clean for style checkers too, because pylsp reports what they find.
import { fixture } from '../fixture/index.js'
import type { Story } from './story.js'

export const pythonStory: Story = {
  language: 'python',
  greeter: 'greeter.py',
  person: 'person.py',
  type: 'Person',
  method: { name: 'greeting', path: 'Person.greeting', signature: /greeting\(.*\) -> str/ },
  newName: 'salutation',
  keyword: 'def',
  comment: '# A word.',
  lens: /reference/,
  untidy: { file: 'greeter.py', find: 'wave + person', replace: 'wave  +  person' },
  repair: {
    file: 'greeter.py',
    find: 'from person import Person\n',
    replace: '',
    complaint: /Person/,
    title: /import.*Person/i,
  },
  fixture: fixture`
-- pyrightconfig.json --
{ "typeCheckingMode": "standard", "reportMissingImports": "error" }
-- ty.toml --
[environment]
root = ["."]
-- elsewhere/README --
A folder without modules.
-- person.py --
class Person:
#     ^^^^^^ Person
    def __init__(self, name: str) -> None:
        self.name = name

    def greeting(self) -> str:
    #   ^^^^^^^^ greeting
        return "Hello, " + self.name
-- greeter.py --
from person import Person
#                  ^^^^^^ Person


def greet(wave: str = "👋", person: Person = Person("Ada")) -> str:
#   ^^^^^ caller
#                           ^^^^^^ parameter
#                                   ^^^^^^ Person
#                                            ^^^^^^ Person
    return wave + person.$0greeting()
#                 ^^^^^^ parameter
-- family.py --
class Named:
#     ^^^^^ base
#     ^^^^^ implementation
    name: str = ""


class Friend(Named):
#     ^^^^^^ derived
#     ^^^^^^ implementation
    def __init__(self, name: str) -> None:
        self.name = name


ada = Friend("Ada")
#            ^ argument
`,
  ownBreakage: {
    file: 'greeter.py',
    find: 'person.greeting()',
    replace: 'len(person.greeting())',
    complaint: /Operator "\+" not supported|is not assignable to/,
  },
  foreignBreakage: {
    file: 'person.py',
    find: '-> str:\n        return "Hello, " + self.name',
    replace: '-> int:\n        return len(self.name)',
    complaint: /Operator "\+" not supported|is not assignable to/,
  },
  projectBreakage: {
    file: 'pyrightconfig.json',
    find: 'reportMissingImports',
    replace: 'reportCallInDefaultInitializer',
    complaint: /Function calls .* not allowed within parameter default/,
  },
  guest: fixture`
-- guests/guest.py --
from person import Person
#                  ^^^^^^ Person

guest = Person("Grace")
#       ^^^^^^ Person
`,
}
