// The story in Java. Eclipse's own project files, because a build with Maven or Gradle would need the network.
import { fixture } from '../fixture/index.js'
import type { Story } from './story.js'

export const javaStory: Story = {
  language: 'java',
  greeter: 'src/greeter/Greeter.java',
  person: 'src/greeter/Person.java',
  type: 'Person',
  method: { name: 'greeting', path: 'Person.greeting', signature: /String greeter\.Person\.greeting\(\)/ },
  newName: 'salutation',
  keyword: 'public',
  comment: '    // A word.',
  lens: /^1 (implementation|reference)$/,
  untidy: { file: 'src/greeter/Greeter.java', find: 'return person', replace: 'return   person' },
  repair: {
    file: 'src/greeter/Greeter.java',
    find: 'person.greeting()',
    replace: 'person.greetin()',
    complaint: /The method greetin\(\) is undefined/,
    title: /^Change to 'greeting\(\.*\)'$/,
  },
  fixture: fixture`
-- .project --
<?xml version="1.0" encoding="UTF-8"?>
<projectDescription>
  <name>greeter</name>
  <buildSpec>
    <buildCommand><name>org.eclipse.jdt.core.javabuilder</name></buildCommand>
  </buildSpec>
  <natures><nature>org.eclipse.jdt.core.javanature</nature></natures>
</projectDescription>
-- .classpath --
<?xml version="1.0" encoding="UTF-8"?>
<classpath>
  <classpathentry kind="src" path="src"/>
  <classpathentry kind="con" path="org.eclipse.jdt.launching.JRE_CONTAINER"/>
  <classpathentry kind="output" path="bin"/>
</classpath>
-- .settings/org.eclipse.jdt.core.prefs --
eclipse.preferences.version=1
org.eclipse.jdt.core.compiler.problem.reportMethodCanBePotentiallyStatic=ignore
-- src/greeter/Person.java --
package greeter;

public class Person {
//           ^^^^^^ Person
    public final String name;

    public Person(String name) {
        this.name = name;
    }

    public String greeting() {
    //            ^^^^^^^^ greeting
        return "Hello, " + name;
    }
}
-- src/greeter/Greeter.java --
package greeter;

public class Greeter {
    public String greet(/* 👋 */ Person person) {
    //            ^^^^^ caller
    //                                  ^^^^^^ parameter
    //                           ^^^^^^ Person
        return person.$0greeting();
        //     ^^^^^^ parameter
    }
}
-- src/greeter/Family.java --
package greeter;

interface Named {
//        ^^^^^ base
    String called();
}

class Friend implements Named {
//    ^^^^^^ derived
//    ^^^^^^ implementation
    final String name;

    Friend(String name) {
        this.name = name;
    }

    public String called() {
        return name;
    }
}

class Family {
    static final Friend ADA = new Friend("Ada");
    //                                   ^ argument
}
`,
  ownBreakage: {
    file: 'src/greeter/Greeter.java',
    find: 'person.greeting()',
    replace: 'person.greeting().length()',
    complaint: /Type mismatch: cannot convert from int to String/,
  },
  foreignBreakage: {
    file: 'src/greeter/Person.java',
    find: 'public String greeting() {\n        return "Hello, " + name',
    replace: 'public int greeting() {\n        return name.length()',
    complaint: /Type mismatch: cannot convert from int to String/,
  },
  projectBreakage: {
    file: '.settings/org.eclipse.jdt.core.prefs',
    find: 'PotentiallyStatic=ignore',
    replace: 'PotentiallyStatic=error',
    complaint: /greet\(Person\) .* can potentially be declared as static/,
  },
  guest: fixture`
-- src/guests/Guest.java --
package guests;

import greeter.Person;
//     ^^^^^^^^^^^^^^ Person

public class Guest {
    public final Person guest = new Person("Ada");
    //           ^^^^^^ Person
    //                              ^^^^^^ Person
}
`,
}
