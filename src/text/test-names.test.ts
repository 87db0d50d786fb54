// Tests told from code by the customs of each language.
import { expect, test } from 'vitest'
import { isTestFile, marksTest } from './test-names.js'

test.each([
  'mux_test.go',
  'pkg/test_shapes.py',
  'shapes_test.py',
  'conftest.py',
  'src/a.test.ts',
  'src/a.spec.tsx',
  'src/__tests__/a.js',
  'tests/integration.rs',
  'src/tests.rs',
  'test/fixture/parse.ts',
  'src/test/java/A.java',
  'ShapeTest.java',
  'ShapeTests.cs',
  'ShapeSpec.scala',
  'shape_spec.rb',
  'shape_unittest.cc',
])('mistake 10: %s is a test', path => {
  expect(isTestFile(path)).toBe(true)
})

test.each([
  'latest.ts',
  'src/contest.py',
  'attest.go',
  'src/testing-library.ts',
  'src/Latest.java',
  'a/protest/b.ts',
  'test.ts.txt',
])('mistake 10: %s is none', path => {
  expect(isTestFile(path)).toBe(false)
})

test('mistake 10: what stands above a function may make it a test', () => {
  for (const line of ['#[test]', '  #[tokio::test]', '@Test', '    @org.junit.Test', '[Fact]', '[Theory]'])
    expect(marksTest(line), line).toBe(true)
  for (const line of ['#[derive(Debug)]', '@Testing', 'test()', '// @Test', '#[cfg(test)]'])
    expect(marksTest(line), line).toBe(false)
})
