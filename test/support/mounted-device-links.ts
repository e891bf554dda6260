// The option `deviceLinks` for hosts of tests.
import type { AuthRouterOptions } from '../../src/index.js'

/** The page that pictures lead to. */
export const linkPage = 'https://chat.example.com/link'

/** Options of a router whose endpoints of links are mounted. */
export function deviceLinksOptions(): Pick<AuthRouterOptions, 'deviceLinks'> {
  return { deviceLinks: { page: linkPage } }
}
