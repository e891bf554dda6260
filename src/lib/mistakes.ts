import { AuthConfigError } from '../errors.js'

/**
 * Does each part of a work, whatever the others throw, and answers their results: so that who has
 * made several mistakes is told of all of them at the first start.
 *
 * @throws AuthConfigError with every mistake that they have found
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

/** The first mistake, which carries the others. */
export function asOne(mistakes: readonly AuthConfigError[]): AuthConfigError {
  const [first, ...others] = mistakes
  if (first === undefined) throw new TypeError('There is no mistake.')
  if (others.length === 0) return first
  return new AuthConfigError(first.option, first.problem, first.remedy, others)
}
