import { AuthConfigError } from '../errors.js'

/**
 * Runs each step, even if others throw, and returns their results, so that the first start reports
 * all mistakes.
 *
 * @throws AuthConfigError with all mistakes
 */
export function doAll<Results extends readonly unknown[]>(
  ...parts: { readonly [Index in keyof Results]: () => Results[Index] }
): Results {
  const found: AuthConfigError[] = []
  const results = parts.map((part) => {
    try {
      return part()
    } catch (error) {
      if (!(error instanceof AuthConfigError)) throw error
      found.push(error, ...error.others)
      return undefined
    }
  })
  if (found.length > 0) throw asOne(found)
  return results as unknown as Results
}

/** The first mistake, with the others attached. */
export function asOne(mistakes: readonly AuthConfigError[]): AuthConfigError {
  const [first, ...others] = mistakes
  if (first === undefined) throw new TypeError('There is no mistake.')
  if (others.length === 0) return first
  return new AuthConfigError(first.option, first.problem, first.remedy, others)
}

/**
 * The text with which a hook of the host refuses; undefined if it allows. Any value is an
 * objection: a hook that returns `false` meant to say no.
 */
export function objectionIn(answer: unknown, otherwise: string): string | undefined {
  const objection = answer ?? undefined
  if (objection === undefined) return undefined
  return typeof objection === 'string' && objection !== '' ? objection : otherwise
}

/** Maximum characters of a name; a longer one is not a typo. */
const longest = 64

/** The known name that was probably meant; undefined if none is close. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > longest) return undefined
  const most = Math.min(3, Math.max(1, Math.floor(name.length / 3)))
  const near = known
    .map((one) => ({ one, slips: slips(name.toLowerCase(), one.toLowerCase()) }))
    .filter(({ slips }) => slips <= most)
  return near.sort((a, b) => a.slips - b.slips)[0]?.one
}

// Levenshtein distance.
function slips(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1]
    for (const [place, wanted] of [...other].entries()) {
      const changed = (row[place] ?? 0) + (letter === wanted ? 0 : 1)
      next.push(Math.min(changed, (row[place + 1] ?? 0) + 1, (next[place] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
