// The option `providers` for hosts of tests: a router whose endpoints of providers are mounted.
import type { AuthRouterOptions } from '../../src/index.js'

/** Options of a router with one provider, which nobody reaches. */
export function providersOptions(): Pick<AuthRouterOptions, 'providers'> {
  const away = () => Promise.reject(new Error('this provider is away'))
  const provider = { id: 'x', name: 'Fake', start: away, finish: away, readLogoutToken: away }
  return { providers: { list: [provider], returnTo: ['https://chat.example.com/signed-in'] } }
}
