// What a line of source is worth when a change is traced to what it changed, told from its text alone and therefore only
// where being wrong costs nothing but a remark too many.

/** Nothing, or only brackets that end something: differences often show them in the wrong place. */
export function isFiller(line: string): boolean {
  return /^[\s\])}>;,]*$|^\s*end\s*$/.test(line)
}

export function isComment(line: string): boolean {
  return /^\s*(?:\/\/|\/\*|\*|#(?!\[|!\[|\s*(?:define|undef|if|el|endif|pragma|include|import)\b)|--|<!--)/.test(
    line,
  )
}

/** A decorator, attribute or annotation, which belongs to the declaration below it. */
export function isAttribute(line: string): boolean {
  return /^\s*(?:@[\p{ID_Start}_]|#!?\[|\[[\p{ID_Start}_])/u.test(line)
}

const gives =
  /^\s*(?:export\b|pub(?:\([^)]*\))?\s+use\b|(?:pub(?:\([^)]*\))?\s+)?mod\s+\w+\s*;|__all__\b|#\s*define\b)|\bexports\b\s*[.=[]/
const givesAll =
  /^\s*(?:export\s*\*|pub(?:\([^)]*\))?\s+use\b.*\*)|\bexports\s*=\s*(?:\w+\()?require\(|\bfrom\b.*\bimport\s*\*/

/** Gives names to whoever imports this file, though it declares none: those of another file, or one no outline lists. */
export function handsOn(line: string, file: string): boolean {
  return gives.test(line) || isPackageImport(line, file) || isIncludeOfHeader(line, file)
}

/** As `handsOn`, where the names that are handed on do not stand on the line. */
export function handsOnUnnamed(line: string, file: string): boolean {
  return (givesAll.test(line) && handsOn(line, file)) || isIncludeOfHeader(line, file)
}

/** What a Python package imports is what others import from it. */
function isPackageImport(line: string, file: string): boolean {
  return /(?:^|[\\/])__init__\.pyi?$/.test(file) && /^\s*(?:import\s|from\s.*\simport\b)/.test(line)
}

function isIncludeOfHeader(line: string, file: string): boolean {
  return /\.(?:h|hh|hpp|hxx|inl|ipp|tpp)$/i.test(file) && /^\s*#\s*(?:include|import)\b/.test(line)
}
