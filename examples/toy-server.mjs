// A language server of sixty lines for the plugin example. Its language has words; a line with "wrong" in it is an error,
// and being asked about the word "boom" makes it crash, as real servers do now and then.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const texts = new Map()

const send = message => {
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }))
  process.stdout.write(`Content-Length: ${body.length}\r\n\r\n`)
  process.stdout.write(body)
}

const textOf = uri => texts.get(uri) ?? readFileSync(fileURLToPath(uri), 'utf8')

const publish = (uri, version) => {
  const diagnostics = textOf(uri)
    .split('\n')
    .flatMap((line, number) =>
      line.includes('wrong')
        ? [{ range: rangeOf(number, 0, line.length), severity: 1, source: 'toy', message: `wrong: ${line}` }]
        : [],
    )
  send({ method: 'textDocument/publishDiagnostics', params: { uri, version, diagnostics } })
}

const rangeOf = (line, start, end) => ({ start: { line, character: start }, end: { line, character: end } })

const wordAt = ({ textDocument, position }) => {
  const line = textOf(textDocument.uri).split('\n')[position.line] ?? ''
  const words = [...line.matchAll(/\w+/g)]
  return words.find(
    ({ index, 0: word }) => index <= position.character && position.character <= index + word.length,
  )?.[0]
}

const requests = {
  initialize: () => ({ capabilities: { textDocumentSync: 1, hoverProvider: true } }),
  'textDocument/hover': params => {
    const word = wordAt(params)
    if (word === 'boom') process.exit(1)
    return { contents: `the word ${word}` }
  },
  shutdown: () => null,
}

const notifications = {
  'textDocument/didOpen': ({ textDocument: { uri, version, text } }) => {
    texts.set(uri, text)
    publish(uri, version)
  },
  'textDocument/didChange': ({ textDocument: { uri, version }, contentChanges }) => {
    texts.set(uri, contentChanges.at(-1).text)
    publish(uri, version)
  },
  'textDocument/didClose': ({ textDocument: { uri } }) => texts.delete(uri),
  exit: () => process.exit(0),
}

let input = Buffer.alloc(0)
process.stdin.on('data', chunk => {
  input = Buffer.concat([input, chunk])
  for (;;) {
    const head = /^Content-Length: (\d+)\r\n(?:[^\r]+\r\n)*\r\n/.exec(input.toString('latin1'))
    if (head === null || input.length < head[0].length + Number(head[1])) return
    const body = input.subarray(head[0].length, head[0].length + Number(head[1]))
    input = input.subarray(head[0].length + body.length)
    const { id, method, params } = JSON.parse(body.toString('utf8'))
    if (id !== undefined && method !== undefined) send({ id, result: requests[method]?.(params) ?? null })
    else notifications[method]?.(params)
  }
})
