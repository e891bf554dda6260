// A router with the option `accounts`, a mailbox that keeps what it sends, and requests to it.
import { onTestFinished } from 'vitest'
import type { AccountsOptions, AuthRouterOptions, Mail, MailKind } from '../../src/index.js'
import { bearer, get, logIn, post } from '../support/client.js'
import { type HostSettings, startHost, type TestHost } from '../support/host.js'
import { accountsOptions, tokenIn } from '../support/mounted-accounts.js'

/** A password that the rules accept. */
export const newPassword = 'a longer phrase that nobody else types'

export interface AccountHost extends TestHost {
  /** What was mailed, oldest first. */
  readonly mails: Mail[]
  /** The mails of a kind, once the router has sent what it is still working on. */
  mailed(kind: MailKind): Promise<readonly Mail[]>
}

export interface AccountSettings extends Omit<HostSettings, 'options'> {
  /** What starts the host, such as one with pages. */
  readonly start?: typeof startHost
  readonly accounts?: Partial<AccountsOptions>
  readonly options?: Partial<AuthRouterOptions>
}

/** Starts it with alice, whose address is proven. */
export async function startAccounts(settings: AccountSettings = {}): Promise<AccountHost> {
  const mails: Mail[] = []
  const { accounts } = accountsOptions(mails)
  const { phones: _without, ...withoutPhones } = accounts as AccountsOptions
  const { start = startHost, ...others } = settings
  const host = await start({
    ...others,
    options: {
      accounts: {
        ...withoutPhones,
        emailSecondFactor: false,
        emailSignIn: false,
        deletion: false,
        ...settings.accounts,
      },
      ...settings.options,
    },
  })
  host.users.change('u-alice', { emailVerified: true })
  host.issued.add('alice@example.com')
  onTestFinished(() => {
    for (const { code, url } of mails) host.issued.add(code ?? tokenIn(url))
  })
  async function mailed(kind: MailKind) {
    await settled(host)
    return mails.filter((mail) => mail.kind === kind)
  }
  return { ...host, mails, mailed }
}

/** Until the work after an answer is done. */
async function settled({ auth }: TestHost): Promise<void> {
  const isDone = () => auth.stats().mail.waiting === 0
  while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 2))
}

/** Asks for a link, and returns its token. */
export async function tokenFor(host: AccountHost, name: object = { username: 'alice' }) {
  await post(host, '/auth/password/forgot', name).expect(202)
  return tokenIn((await host.mailed('reset-password')).at(-1)?.url)
}

export const reset = (host: TestHost, token: string, password = newPassword) =>
  post(host, '/auth/password/reset', { token, password })

/** Takes a change of the address back, and sets a new password. */
export const undo = (host: TestHost, token: string, password = newPassword) =>
  post(host, '/auth/email/undo', { token, password })

/** Alice, signed in: requests with her token. */
export async function asAlice(host: TestHost) {
  const { authToken } = await logIn(host)
  const headers = bearer(authToken as string)
  return {
    headers,
    post: (path: string, body: object = {}) => post(host, path, body, headers),
    get: (path: string) => get(host, path, headers),
  }
}
