// The order of the test files: those with real servers run for minutes each, and one that is begun last leaves a core
// idle for as long.
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const longest = [
  'test/real/servers.test.ts',
  'test/real/truth.test.ts',
  'test/real/small-servers.test.ts',
  'test/real/sandbox.test.ts',
  'test/rename-project.test.ts',
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const index = longest.findIndex(file => moduleId.endsWith(file))
      return index < 0 ? longest.length : index
    }
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}
