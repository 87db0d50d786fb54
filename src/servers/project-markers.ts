// The files by which a project of a language is recognised, for presets that detect languages by project and not by
// extension. A language may stand here without a server: then it can be said that there is none for it.

export interface ProjectKind {
  readonly language: string
  readonly markers: readonly string[]
}

export const projectKinds: readonly ProjectKind[] = [
  { language: 'go', markers: ['go.mod', 'go.work'] },
  {
    language: 'python',
    markers: ['pyproject.toml', 'setup.py', 'setup.cfg', 'requirements.txt', 'Pipfile', 'pyrightconfig.json'],
  },
  { language: 'typescript', markers: ['package.json', 'tsconfig.json', 'jsconfig.json'] },
  { language: 'rust', markers: ['Cargo.toml', 'rust-project.json'] },
  { language: 'c', markers: ['compile_commands.json', 'compile_flags.txt', 'CMakeLists.txt', '.clangd'] },
  { language: 'java', markers: ['pom.xml', 'build.gradle', 'build.gradle.kts'] },
  { language: 'ruby', markers: ['Gemfile'] },
  { language: 'php', markers: ['composer.json'] },
  { language: 'elixir', markers: ['mix.exs'] },
  { language: 'dart', markers: ['pubspec.yaml'] },
  { language: 'swift', markers: ['Package.swift'] },
  { language: 'haskell', markers: ['stack.yaml', 'cabal.project'] },
]
