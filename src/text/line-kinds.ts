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

/** Gives names of another file to whoever imports this one. */
export function handsOn(line: string): boolean {
  return /^\s*(?:export\b|pub(?:\([^)]*\))?\s+use\b|__all__\b)/.test(line)
}
