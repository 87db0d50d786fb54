// The story in Rust. The module of the guest is declared from the start: a file no module names is none of the crate's.
import { fixture } from '../fixture/index.js'
import type { Story } from './story.js'

export const rustStory: Story = {
  language: 'rust',
  greeter: 'src/greeter.rs',
  person: 'src/person.rs',
  type: { name: 'Person', path: 'Person' },
  method: { name: 'greeting', path: 'impl Person.greeting', signature: /fn greeting\(&self\) -> String/ },
  fixture: fixture`
-- Cargo.toml --
[package]
name = "greeter"
version = "0.1.0"
edition = "2021"
-- src/lib.rs --
pub mod greeter;
pub mod guest;
pub mod person;
-- src/person.rs --
pub struct Person {
//         ^^^^^^ Person
    pub name: String,
}

impl Person {
//   ^^^^^^ Person
    pub fn greeting(&self) -> String {
    //     ^^^^^^^^ greeting
        format!("Hello, {}", self.name)
    }
}
-- src/greeter.rs --
use crate::person::Person;
//                 ^^^^^^ Person

pub fn greet(/* 👋 */ person: &Person) -> String {
//                             ^^^^^^ Person
    person.$0greeting()
}
`,
  ownBreakage: {
    file: 'src/greeter.rs',
    find: 'person.greeting()',
    replace: 'person.greeting().len()',
    complaint: /expected String, found usize/,
  },
  foreignBreakage: {
    file: 'src/person.rs',
    find: 'String {\n        format!("Hello, {}", self.name)',
    replace: 'usize {\n        self.name.len()',
    complaint: /expected String, found usize/,
  },
  guest: fixture`
-- src/guest.rs --
use crate::person::Person;
//                 ^^^^^^ Person

pub fn guest() -> Person {
//                ^^^^^^ Person
    Person { name: String::from("Ada") }
//  ^^^^^^ Person
}
`,
}
