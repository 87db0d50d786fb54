// Words for the protocol's symbol kinds, read from the protocol package's own table.
import { SymbolKind } from 'vscode-languageserver-protocol'

const names = new Map(Object.entries(SymbolKind).map(([name, value]) => [value, name.toLowerCase()]))

export function symbolKindName(kind: number): string {
  return [...names].find(([value]) => value === kind)?.[1] ?? 'symbol'
}
