// What servers do not declare, as measured: for presets that offer a tool per capability before a server was ever
// started here. What a server declares in its handshake replaces it, so an entry may lag behind a server without harm.

const typeScript = ['textDocument/declaration', 'textDocument/prepareTypeHierarchy']
const layout = [
  'textDocument/selectionRange',
  'textDocument/foldingRange',
  'textDocument/codeLens',
  'textDocument/formatting',
  'textDocument/rangeFormatting',
]

const undeclared: Readonly<Record<string, readonly string[]>> = {
  typescript: typeScript,
  'typescript-language-server': typeScript,
  pyright: [
    'textDocument/implementation',
    'textDocument/prepareTypeHierarchy',
    'textDocument/inlayHint',
    'textDocument/semanticTokens/full',
    ...layout,
  ],
  basedpyright: ['textDocument/prepareTypeHierarchy', ...layout],
  pylsp: [
    'textDocument/declaration',
    'textDocument/typeDefinition',
    'textDocument/implementation',
    'workspace/symbol',
    'textDocument/prepareCallHierarchy',
    'textDocument/prepareTypeHierarchy',
    'textDocument/inlayHint',
    'textDocument/semanticTokens/full',
    'textDocument/selectionRange',
  ],
  clangd: ['textDocument/codeLens'],
  'rust-analyzer': ['textDocument/prepareTypeHierarchy'],
  gopls: ['textDocument/declaration', 'textDocument/rangeFormatting'],
}

/** Whether a server is expected to declare what a request needs; one that is not known is expected to declare all. */
export function isExpected(server: string, method: string): boolean {
  return undeclared[server]?.includes(method) !== true
}
