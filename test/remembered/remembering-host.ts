// A host that remembers browsers, and alice, who has an authenticator app.
import { expect } from 'vitest'
import { post } from '../support/client.js'
import { type HostSettings, password, type TestHost } from '../support/host.js'
import { codeOf, enrolled } from '../support/two-factor.js'

/** A day, in seconds. */
export const day = 24 * 60 * 60

export const remember = { secondFactor: { remember: { days: 30 } } } as const

export function startRemembering({ options, ...settings }: HostSettings = {}) {
  return enrolled({ ...settings, options: { ...remember, ...options } })
}

/** Signs in with the password, and with what else is given. */
export function signIn(host: TestHost, more: object = {}, headers: Record<string, string> = {}) {
  return post(host, '/login', { username: 'alice', password, ...more }, headers)
}

const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

/** Signs in with the code of the moment, and answers both tokens. */
export async function rememberedAt(host: TestHost, secret: string) {
  const answer = await signIn(
    host,
    { code: codeOf(host, secret), remember: true },
    { 'User-Agent': userAgent },
  )
  host.clock.advance(30)
  return tokensIn(host, answer)
}

type Answer = Awaited<ReturnType<typeof signIn>>

/** The tokens in an answer, which must be a right login in a remembered browser. */
export function tokensIn(host: TestHost, { status, body, text }: Answer) {
  expect({ status, text }).toEqual({ status: 200, text })
  const { rememberToken, authToken } = body.data
  expect(rememberToken).toMatch(/^mar_rb_[\w-]{22}\.[\w-]{43}$/)
  host.issued.add(rememberToken)
  return { rememberToken: rememberToken as string, authToken: authToken as string }
}

export function expectAsked({ status, body }: Answer): void {
  expect([status, body.error]).toEqual([401, 'totp-required'])
}
