// A router that lets strangers register, and requests to it.

import { type AccountHost, type AccountSettings, startAccounts } from '../accounts/account-host.js'
import { post } from '../support/client.js'
import type { TestHost } from '../support/host.js'

/** A password that the rules accept. */
export const goodPassword = 'a phrase that nobody else has typed'

/** What ada sends. */
export const ada = {
  email: 'Ada@example.com',
  username: 'ada',
  name: 'Ada Lovelace',
}

/** Starts it; everybody may register. */
export function startRegistration({ accounts, ...settings }: AccountSettings = {}) {
  return startAccounts({ ...settings, accounts: { registration: 'open', ...accounts } })
}

export const register = (host: TestHost, given: object = {}, headers = {}) =>
  post(host, '/auth/register', { ...ada, ...given }, headers)

export const confirm = (host: TestHost, body: object, headers = {}) =>
  post(host, '/auth/register/confirm', { password: goodPassword, ...body }, headers)

/** What confirms a registration: the request id, and the code of the last mail. */
export interface Confirmation {
  readonly requestId: string
  readonly code: string
}

/** Registers, and returns what confirms it. */
export async function registered(host: AccountHost, given: object = {}): Promise<Confirmation> {
  const { body } = await register(host, given).expect(202)
  const { code = '' } = (await host.mailed('register')).at(-1) ?? {}
  return { requestId: body.data.requestId, code }
}

/** The users of the host besides alice. */
export const newUsers = ({ users }: TestHost) =>
  [...users.rows.values()].filter(({ id }) => id !== 'u-alice')

/** The events of a type. */
export const eventsOf = ({ events }: TestHost, type: string) =>
  events.filter((event) => event.type === type)
