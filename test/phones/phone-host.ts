// A router with the option `accounts.phones`, a phone that keeps its messages, and requests to it.
import { onTestFinished } from 'vitest'
import type { PhonesOptions, TextMessage } from '../../src/index.js'
import {
  type AccountHost,
  type AccountSettings,
  asAlice,
  startAccounts,
} from '../accounts/account-host.js'
import { manyMails } from '../accounts/email-factor-host.js'
import { post } from '../support/client.js'
import { password } from '../support/host.js'

/** Numbers of mobile phones in Germany. */
export const [number, otherNumber] = ['+4917012345678', '+4917187654321'] as const

export interface PhoneHost extends AccountHost {
  /** Each message that was handed over, oldest first. */
  readonly texts: TextMessage[]
  /** The messages, once the router has sent what it is still working on. */
  texted(): Promise<readonly TextMessage[]>
}

export interface PhoneSettings extends AccountSettings {
  readonly phones?: Partial<PhonesOptions>
  /** Default: the number is proven. */
  readonly alice?: { readonly phone: string | null; readonly phoneVerified: boolean }
}

/** Starts it with alice, whose address and number are proven. */
export async function startPhones(settings: PhoneSettings = {}): Promise<PhoneHost> {
  const texts: TextMessage[] = []
  const { phones, alice, accounts, options, ...others } = settings
  const host = await startAccounts({
    accounts: {
      phones: {
        send: async (message) => void texts.push(message),
        countries: ['DE', 'AT', 'US'],
        signIn: true,
        secondFactor: true,
        ...phones,
      },
      ...accounts,
    },
    options: { ...manyMails, totpIssuer: 'Example Chat', ...options },
    ...others,
  })
  host.users.change('u-alice', { phone: number, phoneVerified: true, ...alice })
  onTestFinished(() => {
    for (const { code } of texts) if (code !== undefined) host.issued.add(code)
  })
  async function texted() {
    await host.mailed('sign-in-code')
    return texts
  }
  return { ...host, texts, texted }
}

/** Asks for a code to sign in with. Without a message, the code is a guess. */
export async function codeFor(host: PhoneHost, phone: string = number) {
  const before = (await host.texted()).length
  const { body } = await post(host, '/auth/code', { phone }).expect(202)
  const { code = '00000000' } = (await host.texted())[before] ?? {}
  return { requestId: body.data.requestId as string, code }
}

export const signIn = (host: PhoneHost, body: object) => post(host, '/auth/code/login', body)

type Asking = Pick<Awaited<ReturnType<typeof asAlice>>, 'post' | 'headers'>

/** Asks for a new number of the signed-in user, and returns what confirms it. */
export async function changeTo(
  host: PhoneHost,
  phone: string,
  by: Promise<Asking> = asAlice(host),
) {
  const user = await by
  const before = (await host.texted()).length
  const { body } = await user.post('/auth/phone/change', { phone, password }).expect(202)
  const { code = '00000000' } = (await host.texted())[before] ?? {}
  return { user, given: { requestId: body.data.requestId as string, code } }
}
