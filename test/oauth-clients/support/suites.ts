// Runs the same tests for each provider.
import { afterAll, beforeAll, describe } from 'vitest'
import { providers } from '../providers.js'
import type { IssuerPath, Provider } from './provider.js'

/** The provider of a suite, once it runs. */
export type CurrentProvider = () => Provider

/**
 * Describes what a client does, once for each provider and path. One provider serves all tests of a
 * suite: they tell apart by their browsers.
 */
export function describeClient(
  client: string,
  paths: readonly IssuerPath[],
  tests: (provider: CurrentProvider) => void,
): void {
  for (const { name, start } of providers) {
    for (const path of paths) {
      const issuer = path === '' ? 'without a path' : `with the path ${path}`
      describe(`${client}, against ${name}, an issuer ${issuer}`, () => {
        let provider: Provider | undefined
        beforeAll(async () => {
          provider = await start(path)
        })
        afterAll(() => provider?.stop())
        tests(() => {
          if (provider === undefined) throw new Error('the provider does not run yet')
          return provider
        })
      })
    }
  }
}

/** Both kinds of issuer. */
export const bothPaths: readonly IssuerPath[] = ['', '/api/v1']
