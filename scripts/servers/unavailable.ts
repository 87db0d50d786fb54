// What no registry that the installer uses brings along, with what was tried: these servers are held to what is
// documented of them, by a fake server that speaks their dialect (test/faults/dialects.test.ts).

/** By the id of the definition. */
export const unavailable: Readonly<Record<string, string>> = {
  solargraph: 'a Ruby gem; Debian has no package of it, and npm only an extension for an editor without it',
  roslyn: 'a .NET tool on NuGet; neither npm, PyPI nor Debian has it',
  'csharp-ls': 'a .NET tool on NuGet; neither npm, PyPI nor Debian has it',
  omnisharp:
    'an archive of a release; what npm has under its name is from before the protocol, or downloads the archive',
}

export interface LanguageWithout {
  readonly language: string
  readonly tried: string
}

/** Languages that were looked for and have no definition. */
export const undefinedLanguages: readonly LanguageWithout[] = [
  {
    language: 'Kotlin',
    tried:
      'kotlin-language-server and kotlin-lsp are under no name tried on npm, PyPI, Maven Central and Debian (only the compiler is); coc-kotlin on npm downloads its server when it first runs',
  },
  {
    language: 'Scala',
    tried:
      'of Metals, Maven Central has the interfaces under the names tried, not a server that could be run',
  },
  {
    language: 'Vue',
    tried:
      'the server on npm answers nothing unless its client relays questions to a tsserver with a plugin of its own',
  },
  {
    language: 'Markdown',
    tried:
      'the server in vscode-langservers-extracted has its client parse the files, and answers nothing without',
  },
]
