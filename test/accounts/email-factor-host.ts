// A router that offers codes by mail as a second factor, and alice, who has switched it on.
import { attempt } from '../support/two-factor.js'
import { type AccountHost, type AccountSettings, startAccounts } from './account-host.js'

export const factorPath = '/auth/email/second-factor'

/** Mails are not what these tests limit. */
export const manyMails = { throttle: { mail: { address: { points: 1000, duration: 900 } } } }

/** The router, at the beginning of a period of ten minutes. */
export function withFactor({ accounts, options, ...settings }: AccountSettings = {}) {
  return startAccounts({
    now: new Date('2030-01-01T12:00:10Z'),
    accounts: { emailSecondFactor: true, ...accounts },
    options: { ...manyMails, ...options },
    ...settings,
  })
}

/** The same, with alice's factor on. */
export async function withEmailFactor(settings?: AccountSettings): Promise<AccountHost> {
  const host = await withFactor(settings)
  host.users.change('u-alice', { emailFactor: true })
  return host
}

/** Logs in with the password alone, and returns the code that is mailed for it. */
export async function codeFor(host: AccountHost): Promise<string> {
  await attempt(host).expect(401)
  return (await host.mailed('second-factor-code')).at(-1)?.code ?? ''
}
