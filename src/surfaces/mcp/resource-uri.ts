// The addresses of diagnostics as MCP resources: one for the workspace, one for each file. Apart from what they hold,
// because a client may subscribe to one before most of the program is loaded.

export const workspaceUri = 'alidade://diagnostics'
/** Of RFC 6570; the plus keeps the slashes of the path. */
export const fileUriTemplate = `${workspaceUri}/{+path}`

export type ResourceSubject =
  | { readonly kind: 'workspace' }
  /** As an operation takes it: relative to the root, or absolute. */
  | { readonly kind: 'file'; readonly path: string }

/** Undefined when the address is none of ours. */
export function parseResourceUri(uri: string): ResourceSubject | undefined {
  if (uri === workspaceUri || uri === `${workspaceUri}/`) return { kind: 'workspace' }
  if (!uri.startsWith(`${workspaceUri}/`)) return undefined
  const written = uri.slice(workspaceUri.length + 1)
  try {
    return { kind: 'file', path: decodeURIComponent(written) }
  } catch {
    // A percent sign that encodes nothing is one that nobody encoded.
    return { kind: 'file', path: written }
  }
}

export function fileResourceUri(path: string): string {
  return `${workspaceUri}/${path.split('/').map(encodeURIComponent).join('/')}`
}
