// A router whose users must do everything that can be required, and requests of one who does it.
import { expect } from 'vitest'
import type { AcceptanceOptions, AccountsOptions } from '../../src/index.js'
import { type AccountHost, type AccountSettings, startAccounts } from '../accounts/account-host.js'
import { type PasskeyHost, startPasskeys } from '../passkeys/passkey-host.js'
import { bearer, get, post } from '../support/client.js'
import { password, type TestHost } from '../support/host.js'
import { accountsOptions } from '../support/mounted-accounts.js'
import type { TestUser } from '../support/users.js'

export const documents = [
  { id: 'terms', version: '2', name: 'Terms', url: 'https://chat.example.com/terms/2' },
  { id: 'privacy', version: '1', name: 'Privacy', url: 'https://chat.example.com/privacy/1' },
] as const
/** As a client sends them. */
export const both = documents.map(({ id, version }) => ({ id, version }))

/** As the test's users keep it. */
export const acceptance: AcceptanceOptions = {
  documents,
  current: (user) => (user as TestUser).accepted ?? [],
}

/** Alice must set another password, prove the address, set up a factor and accept two documents. */
export async function startRequired({
  accounts,
  options,
  ...settings
}: AccountSettings = {}): Promise<AccountHost> {
  const host = await startAccounts({
    accounts: { provenAddress: true, ...accounts },
    options: { acceptance, secondFactor: () => 'required', ...options },
    ...settings,
  })
  host.users.change('u-alice', { emailVerified: false, mustChangePassword: true })
  return host
}

/** A desk that sets alice's password, and the logins by one. */
export async function startDesk() {
  const host = await startAccounts()
  const make = async () => {
    const made = await host.auth.accounts.setTemporaryPassword('u-alice', { by: 'support:bob' })
    host.issued.add(made?.password as string)
    return made as NonNullable<typeof made>
  }
  const as = (typed: string) => ({ username: 'alice', password: typed })
  return { host, make, as }
}

/** The same desk at a router with passkeys. */
export function startPasskeyDesk(): Promise<PasskeyHost> {
  const { accounts } = accountsOptions([])
  const options = { accounts: { ...accounts, emailSecondFactor: false } as AccountsOptions }
  return startPasskeys({ options })
}

/** A session: its requests, and what the answer to the sign-in has said. */
export async function signedIn(host: TestHost, given: object = { username: 'alice', password }) {
  const { status, body } = await post(host, '/login', given)
  expect(status).toBe(200)
  const { authToken, required, enrolmentRequired } = body.data
  const headers = bearer(authToken)
  return {
    authToken,
    required,
    enrolmentRequired,
    post: (path: string, sent: object = {}) => post(host, path, sent, headers),
    get: (path: string) => get(host, path, headers),
  }
}

export type Session = Awaited<ReturnType<typeof signedIn>>

/** What the session must still do; empty if it opens everything. */
export async function leftFor(session: Session): Promise<readonly string[]> {
  const { status, body } = await session.get('/me')
  if (status === 200) return []
  expect(status).toBe(403)
  if (body.error === 'second-factor-enrolment-required') return ['enrol']
  expect(body.error).toBe('action-required')
  return body.details.required
}
