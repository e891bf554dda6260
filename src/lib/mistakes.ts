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
