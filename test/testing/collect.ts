import { type StoreContractOptions, storeContract } from '../../src/testing/testing.js'

/** One test that the suite has registered. */
export interface CollectedTest {
  /** The contract and the name, such as `codes: a code is void at the very moment it expires`. */
  readonly name: string
  readonly body: () => Promise<void>
}

/** What the suite registers, as a runner would see it. */
export function collect(
  options: StoreContractOptions,
): readonly CollectedTest[] & { readonly skipped: readonly string[] } {
  const tests: CollectedTest[] = []
  const path: string[] = []
  const describe = (name: string, body: () => void) => {
    path.push(name)
    body()
    path.pop()
  }
  const it = (name: string, body: () => Promise<void>) =>
    void tests.push({ name: [...path.slice(1), name].join(': '), body })
  const skip = (name: string) => void skipped.push(name)
  const skipped: string[] = []
  storeContract({ describe, it: Object.assign(it, { skip }) }, options)
  return Object.assign(tests, { skipped })
}

/**
 * Runs those tests one after the other, and answers what those said that failed, by their names.
 */
export async function failuresOf(
  options: StoreContractOptions,
  isTried: (name: string) => boolean = () => true,
): Promise<Map<string, string>> {
  const failures = new Map<string, string>()
  for (const { name, body } of collect(options).filter((test) => isTried(test.name))) {
    await body().catch((error: unknown) => failures.set(name, String(error)))
  }
  return failures
}
