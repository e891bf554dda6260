import type { Filter } from 'ldapts'

/** The library, which is loaded at the first use. */
export type LdapLibrary = typeof import('ldapts')

/**
 * Whether a text is one filter, as far as it can be seen without the library, which reads it at the
 * first use. An escaped byte above 7f is none: the library takes it for a letter of its own.
 */
export function isFilter(given: unknown): boolean {
  if (typeof given !== 'string' || given.length > 4096 || given.includes('\0')) return false
  if (!/^\((?:[^\\]|\\[0-7][\da-f])+\)$/i.test(given)) return false
  let depth = 0
  for (const [parenthesis] of given.slice(0, -1).matchAll(/[()]/g)) {
    depth += parenthesis === '(' ? 1 : -1
    if (depth === 0) return false
  }
  return depth === 1
}

/** All of these, of which some may be left out. */
export function allOf(library: LdapLibrary, ...filters: readonly (Filter | null)[]): Filter {
  const given = filters.filter((one) => one !== null)
  const [only] = given
  return given.length === 1 && only ? only : new library.AndFilter({ filters: given })
}

/** An attribute that has one of these values. */
export function anyOf(
  { OrFilter, EqualityFilter }: LdapLibrary,
  pairs: readonly (readonly [attribute: string, value: string | Buffer])[],
): Filter {
  const filters = pairs.map(([attribute, value]) => new EqualityFilter({ attribute, value }))
  const [only] = filters
  return filters.length === 1 && only ? only : new OrFilter({ filters })
}
