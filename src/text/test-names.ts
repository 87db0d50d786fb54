// How tests are told from the code they test, by the customs of each language: the name of the file or of a folder above
// it, or what stands right above a function.
export function isTestFile(path: string): boolean {
  const parts = path.split('/')
  const name = parts.at(-1) ?? ''
  return parts.slice(0, -1).some(folder => testFolders.has(folder.toLowerCase())) || testFiles.test(name)
}

/** An attribute or annotation that makes a test of the function below it. */
export function marksTest(line: string): boolean {
  return marks.test(line)
}

const testFolders: ReadonlySet<string> = new Set([
  'test',
  'tests',
  '__tests__',
  'spec',
  'specs',
  'e2e',
  'androidtest',
  'unittest',
  'unittests',
])

const testFiles = new RegExp(
  [
    // Go, Python, C and C++, Dart, Elixir, Ruby, Rust
    String.raw`^.+_(?:test|tests|spec|unittest)\.\w+$`,
    String.raw`^(?:test|tests|spec)_.+\.\w+$`,
    String.raw`^(?:tests|conftest)\.(?:py|rs)$`,
    // JavaScript and TypeScript
    String.raw`^.+\.(?:test|tests|spec|e2e|cy|test-d)\.[cm]?[jt]sx?$`,
    // Java, Kotlin, Scala, C#, Swift, PHP
    String.raw`^.+(?:Test|Tests|TestCase|Spec|IT)\.(?:java|kt|kts|scala|groovy|cs|swift|php)$`,
    String.raw`^Test[A-Z].*\.(?:java|kt|scala|cs)$`,
  ].join('|'),
)

const marks =
  /^\s*(?:#\[(?:\w+::)*(?:test|rstest|test_case|bench)\b|@(?:\w+\.)*(?:Test|ParameterizedTest|RepeatedTest)\b|\[(?:Fact|Theory|Test|TestCase|TestMethod)\b)/
