// The story in Go. The argument is a name, because gopls tells nothing of a call inside a literal.
import { fixture } from '../fixture/index.js'
import type { Story } from './story.js'

export const goStory: Story = {
  language: 'go',
  greeter: 'greeter.go',
  person: 'person.go',
  type: 'Person',
  method: { name: 'Greeting', path: 'Person.Greeting', signature: /Greeting\(\) string/ },
  newName: 'Salutation',
  keyword: 'func',
  comment: '// A word.',
  lens: /^run go generate$/,
  untidy: { file: 'greeter.go', find: 'return person', replace: 'return   person' },
  repair: {
    file: 'greeter.go',
    find: 'return person',
    replace: 'name := person.Name\n\treturn person',
    complaint: /declared and not used: name/,
    title: /^Remove variable name$/,
  },
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
//   ^^^^^ caller
//                   ^^^^^^ parameter
//                          ^^^^^^ Person
	return person.$0Greeting()
//      ^^^^^^ parameter
}
-- family.go --
package greeter

//go:generate true

// Named has a name.
type Named interface {
//   ^^^^^ base
	Called() string
}

// Friend is somebody known well.
type Friend struct {
//   ^^^^^^ derived
//   ^^^^^^ implementation
	name string
}

// Called says the name.
func (friend Friend) Called() string {
	return friend.name
}

// NewFriend makes one.
func NewFriend(name string) Friend {
	return Friend{name}
}

const ada = "Ada"

// Ada is somebody known.
var Ada = NewFriend(ada)
//                  ^ argument
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
