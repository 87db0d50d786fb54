// File paths to URIs and back, exactly. Servers spell the URIs they were given in their own way, so two of them
// are compared by `uriKey` and never as strings.
import { URI } from 'vscode-uri'

/** The path must be absolute. */
export function pathToUri(absolutePath: string): string {
  // A lone surrogate names no file on any system, and the encoder throws on one.
  const path = absolutePath.replace(loneSurrogates, '\ufffd')
  if (isWindows) return URI.file(path).toString()
  // On POSIX two leading slashes are one, but `URI.file` takes the first name after them for a host; and it
  // writes a folder `/C:` in lower case, taking it for a drive.
  const rooted = path.replace(leadingSlashes, '/')
  if (!looksLikeDrive.test(rooted)) return URI.file(rooted).toString()
  return `file://${rooted.split('/').map(encodeURIComponent).join('/')}`
}

/**
 * The absolute path a `file:` URI names, or undefined for everything else: other schemes, a host, a query or
 * fragment (a server that forgot to encode `#` would name another file), broken percent-encoding. Never throws.
 * The path is not normalised and may lie anywhere; the path gate decides about that.
 */
export function uriToPath(uri: string): string | undefined {
  // The bound comes before the parser, whose tolerance of broken encoding is recursive and quadratic; no path
  // that a system opens is longer.
  if (uri.length > longestUri || !fileUri.test(uri)) return undefined
  try {
    // The parser lets broken encoding stand as it is; this throws on it.
    decodeURIComponent(uri)
    const { path, fsPath } = URI.parse(uri)
    if (path.includes('\0')) return undefined
    return isWindows ? fsPath : path
  } catch {
    return undefined
  }
}

/**
 * Equal for URIs of the same path whatever their percent-encoding (`%3A`, `@`) and drive letter case. Letter
 * case and Unicode normalisation otherwise count: `A.ts` and `a.ts` may be two documents (W18). URIs that are no
 * files are compared as they stand.
 */
export function uriKey(uri: string): string {
  const path = uriToPath(uri)
  return path === undefined ? uri : path.replace(driveLetter, letter => letter.toLowerCase())
}

const isWindows = process.platform === 'win32'
const longestUri = 16 * 1024
// Java writes `file:/x`. Two slashes and a name are a host; four are a Windows share.
const fileUri = /^file:(?:\/\/)?\/(?!\/)[^?#]*$/i
const leadingSlashes = /^\/{2,}/
const looksLikeDrive = /^\/[A-Za-z]:/
const driveLetter = /^\/?[A-Za-z]:(?=[/\\]|$)/
const loneSurrogates = /\p{Surrogate}/gu
