// Servers with a definition that cannot be had from a package registry, with the reason; the suite asks all others.
export const unavailable: Readonly<Record<string, string>> = {}
