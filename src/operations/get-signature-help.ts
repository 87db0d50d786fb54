// What the call around a place takes.
import { HoverRequest, SignatureHelpRequest } from 'vscode-languageserver-protocol'
import * as z from 'zod'
import { parseSignatureHelp } from '../lsp/signature-help.js'
import { cleanLine } from '../text/clean.js'
import { toServerPosition } from '../text/position.js'
import { cursorTarget, findCursor } from './cursor.js'
import { shownDocumentation } from './documentation.js'
import { defineOperation, listedIn, placeSchema } from './operation.js'
import { countedOf } from './render.js'
import { sourcePlace } from './source-place.js'

const longestSignature = 1000
const longestDocumentation = 2000
const longestParameter = 300

const signatureSchema = z.object({
  label: z.string(),
  active: z.boolean(),
  documentation: z.string().optional(),
  parameters: z.array(
    z.object({ label: z.string(), active: z.boolean(), documentation: z.string().optional() }),
  ),
})

export const getSignatureHelp = defineOperation({
  name: 'get_signature_help',
  summary:
    'The parameters of the call around a place, overload by overload, and which one the place is in. Use while writing a call.',
  effect: 'read',
  on: 'file',
  lsp: SignatureHelpRequest,
  nearest: { name: 'inspect_symbol', lsp: HoverRequest },
  needsWholeWorkspace: true,
  input: z.object(cursorTarget),
  output: z.object({ signatures: z.array(signatureSchema), place: placeSchema }),
  example: 'src/operations/run.ts --after withDeadline(',
  items: listedIn('signatures'),

  async run(input, { source, document, server }) {
    const { encoding } = server.client
    const cursor = findCursor(source, input)
    const position = toServerPosition(cursor.lineText, cursor, encoding)
    const signatures = parseSignatureHelp(
      await server.request(SignatureHelpRequest, { textDocument: { uri: document.uri }, position }),
    )
    return {
      signatures: signatures.map(({ label, active, documentation, parameters }) => ({
        label: cleanLine(label, longestSignature).text,
        active,
        ...documented(documentation, longestDocumentation),
        parameters: parameters.map(parameter => ({
          label: cleanLine(parameter.label, longestParameter).text,
          active: parameter.active,
          ...documented(parameter.documentation, longestParameter),
        })),
      })),
      place: sourcePlace(source, { start: position, end: position }, encoding),
    }
  },

  render: ({ signatures, place }, { total }) => {
    const where = `${place.file}:${place.line}:${place.column}`
    if (total === 0) return [`no call around ${where}: the place must be inside its parentheses`]
    return [
      `${countedOf(signatures.length, total, 'signature')} of the call at ${where}${total > 1 ? ', the active one marked *' : ''}`,
      ...signatures.flatMap((signature, index) => lines(signature, total > 1, signatures[index - 1])),
    ]
  },
})

type Signature = z.output<typeof signatureSchema>

function documented(text: string | undefined, longest: number): { documentation?: string } {
  return text === undefined ? {} : { documentation: shownDocumentation(text, longest) }
}

function lines(signature: Signature, marked: boolean, before: Signature | undefined): string[] {
  const { label, active, documentation, parameters } = signature
  const activeParameter = parameters.find(parameter => parameter.active)
  return [
    `${active && marked ? '* ' : '  '}${label}`,
    ...(activeParameter === undefined ? [] : [`    here: ${activeParameter.label}`]),
    ...parameters
      .filter(parameter => parameter.documentation !== undefined)
      .map(parameter => `    ${parameter.label}: ${indented(parameter.documentation)}`),
    // Overloads often share their documentation.
    ...(documentation === undefined || documentation === before?.documentation
      ? []
      : [`    ${indented(documentation)}`]),
  ]
}

function indented(text = ''): string {
  return text.replaceAll('\n', '\n    ')
}
