// The option `acceptance` for hosts of tests, whose users have accepted everything.
import type { AuthRouterOptions } from '../../src/index.js'

/** What the host wants to be accepted. */
export const terms = {
  id: 'terms',
  version: '2030-01',
  name: 'Terms of use',
  url: 'https://chat.example.com/terms',
}

/** Options of a router with the endpoints of documents. */
export function acceptanceOptions(): Pick<AuthRouterOptions, 'acceptance'> {
  return { acceptance: { documents: [terms], current: () => [terms] } }
}
