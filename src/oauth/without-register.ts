import { AuthConfigError } from '../errors.js'
import type { ClientsForHost } from './clients-for-host.js'

async function refuse(): Promise<never> {
  throw new AuthConfigError(
    'oauth.clients',
    'is not a store that auth.clients can change.',
    'pass clients of sqlOAuthStores(kysely), or a ManagedClientStore of your own.',
  )
}

/** `auth.clients` if the apps are a list or a read-only store, or without the option `oauth`. */
export const withoutRegister: ClientsForHost = Object.freeze({
  create: refuse,
  update: refuse,
  rotateSecret: refuse,
  removeSecret: refuse,
  disable: refuse,
  enable: refuse,
  find: refuse,
  list: refuse,
})
