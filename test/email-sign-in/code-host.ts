// A router where users sign in by mailed codes, and requests to it.
import type { MailKind } from '../../src/index.js'
import { type AccountHost, type AccountSettings, startAccounts } from '../accounts/account-host.js'
import { manyMails } from '../accounts/email-factor-host.js'
import { post } from '../support/client.js'

const byCode: MailKind = 'sign-in-code'

/** Starts it with alice, whose address is proven. */
export function startCodes({ accounts, options, ...settings }: AccountSettings = {}) {
  return startAccounts({
    accounts: { emailSignIn: true, ...accounts },
    options: { ...manyMails, ...options },
    ...settings,
  })
}

type Headers = Record<string, string>

export const ask = (host: AccountHost, name: object, headers: Headers = {}) =>
  post(host, '/auth/code', name, headers)

/** What signs somebody in. */
export interface Asked {
  readonly requestId: string
  readonly code: string
}

/** Asks for a code. Without a mail, the code is a guess. */
export async function codeOf(host: AccountHost, name: object = { username: 'alice' }) {
  const before = (await host.mailed(byCode)).length
  const { body } = await ask(host, name).expect(202)
  const { code = '00000000' } = (await host.mailed(byCode))[before] ?? {}
  return { requestId: body.data.requestId, code } as Asked
}

export const signIn = (host: AccountHost, body: object, headers: Headers = {}) =>
  post(host, '/auth/code/login', body, headers)

/** Eight digits that are not these. */
export const otherThan = (code: string) => (code === '00000000' ? '11111111' : '00000000')

export const sessionsIn = ({ events }: AccountHost) =>
  events.filter(({ type }) => type === 'session.started').length
