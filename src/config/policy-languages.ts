// A rule for a language that nobody knows would never hold, and what it was to forbid would be allowed: such a name is an
// error. One that resembles no other may belong to a server that somebody else registers, and stands.
import { nearest } from '../text/nearest.js'
import type { Layer } from './registered.js'
import { dotted, invalid, type Problem } from './validate.js'

/** `known`: what a language or a kind of its files is called, and the language it counts as. */
export function checkPolicyLanguages(layers: readonly Layer[], known: ReadonlyMap<string, string>): void {
  const registered = layers.flatMap(({ configuration }) => Object.values(configuration.servers ?? {}))
  const languages = new Set([...known.values(), ...registered.map(({ language }) => language)])
  const problems = layers.flatMap(layer =>
    named(layer).flatMap(({ language, path }): Problem[] => {
      if (languages.has(language)) return []
      const meant = known.get(language) ?? nearest(language, languages, 1)[0]
      if (meant === undefined) return []
      const why = known.has(language)
        ? `counts as "${meant}" here`
        : `is no language; did you mean "${meant}"?`
      const message = `${dotted(path)} would never hold: ${JSON.stringify(language)} ${why}`
      return [{ place: layer.source.place(path), message, hint: `Use "${meant}".` }]
    }),
  )
  if (problems.length > 0) throw invalid(problems)
}

function named({ configuration: { policy } }: Layer) {
  const listed = (languages: readonly string[] | undefined, ...path: (string | number)[]) =>
    (languages ?? []).map((language, index) => ({ language, path: ['policy', ...path, 'languages', index] }))
  return [
    ...listed(policy?.envelope?.languages, 'envelope'),
    ...(policy?.rules ?? []).flatMap((rule, index) => listed(rule.languages, 'rules', index)),
  ]
}
