export function countTokens(text: string): number
