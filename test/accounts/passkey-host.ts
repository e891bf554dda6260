// Alice's passkey at a router with the options `accounts` and `passkeys`.
import { assertion, creation, newPasskey, type TestPasskey } from '../passkeys/authenticator.js'
import { bearer, post } from '../support/client.js'
import type { AccountHost } from './account-host.js'

type Headers = Record<string, string>

/** Adds a passkey in the session of a token. */
export async function addPasskey(host: AccountHost, token: string): Promise<TestPasskey> {
  const passkey = newPasskey()
  const { body } = await post(host, '/auth/passkeys/options', {}, bearer(token)).expect(200)
  passkey.userHandle = body.data.user.id
  const response = creation(passkey, body.data.challenge)
  await post(host, '/auth/passkeys', { response, name: 'Phone' }, bearer(token)).expect(200)
  return passkey
}

/** Signs in with it alone. */
export async function signInBy(host: AccountHost, passkey: TestPasskey, headers: Headers = {}) {
  const { body } = await post(host, '/auth/passkey/options', {}, headers).expect(200)
  const response = assertion(passkey, body.data.challenge)
  return post(host, '/auth/passkey/login', { response }, headers)
}
