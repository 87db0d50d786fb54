// The story in Go.
import { fixture } from '../fixture/index.js'
import type { Story } from './story.js'

export const goStory: Story = {
  language: 'go',
  greeter: 'greeter.go',
  person: 'person.go',
  type: 'Person',
  method: { name: 'Greeting', path: 'Person.Greeting', signature: /Greeting\(\) string/ },
  fixture: fixture`
-- go.mod --
module example.com/greeter

go 1.20
-- person.go --
package greeter

// Person is somebody to greet.
type Person struct {
//   ^^^^^^ Person
	Name string
}

// Greeting says hello.
func (person Person) Greeting() string {
//           ^^^^^^ Person
//                   ^^^^^^^^ greeting
	return "Hello, " + person.Name
}
-- greeter.go --
package greeter

// Greet greets.
func Greet( /* 👋 */ person Person, _ ...any) string {
//                          ^^^^^^ Person
	return person.$0Greeting()
}
`,
  ownBreakage: {
    file: 'greeter.go',
    find: 'person.Greeting()',
    replace: 'len(person.Greeting())',
    complaint: /cannot use len\(person\.Greeting\(\)\).* as string value/,
  },
  foreignBreakage: {
    file: 'person.go',
    find: 'string {\n\treturn "Hello, " + person.Name',
    replace: 'int {\n\treturn len(person.Name)',
    complaint: /cannot use person\.Greeting\(\).* as string value/,
  },
  projectBreakage: {
    file: 'go.mod',
    find: 'go 1.20',
    replace: 'go 1.17',
    complaint: /predeclared any requires go1\.18 or later/,
  },
  guest: fixture`
-- guests/guest.go --
package guests

import "example.com/greeter"

// Guest is somebody known.
var Guest = greeter.Person{Name: "Ada"}
//                  ^^^^^^ Person
`,
}
