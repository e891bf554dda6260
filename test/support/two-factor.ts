// What the tests of the second factor do again and again.
import type { Response } from 'supertest'
import { expect } from 'vitest'
import type { SessionStore } from '../../src/index.js'
import { totpCode } from '../../src/testing/testing.js'
import { expectCommon, expectNothingTold } from './after-attack.js'
import { bearer, logIn, post } from './client.js'
import { type HostSettings, password, startHost, type TestHost } from './host.js'

export const totp = '/auth/totp'
export const confirmation = '/auth/totp/confirm'
export const disabling = '/auth/totp/disable'
export const regeneration = '/auth/totp/recovery-codes'

/** A moment that all of these tests agree on: ten seconds into a step. */
export const noon = new Date('2030-01-01T12:00:10Z')

/** The code of the moment, or of so many steps later. */
export function codeOf(host: TestHost, secret: string, steps = 0): string {
  return totpCode(secret, new Date(host.clock().getTime() + steps * 30_000))
}

/** Six digits that are the code of none of the steps around now. */
export function wrongCode(host: TestHost, secret: string): string {
  const near = new Set([-2, -1, 0, 1, 2].map((steps) => codeOf(host, secret, steps)))
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find(
    (code) => !near.has(code),
  ) as string
}

/** Begins an enrolment and answers the secret. */
export async function begin(host: TestHost, token: string): Promise<string> {
  const { status, body, text } = await post(host, totp, { password }, bearer(token))
  if (status !== 200) throw new Error(`begin answered ${status}: ${text}`)
  return body.data.secret as string
}

/** What waits for its first code in the session of a token; null where nothing does. */
export async function pendingOf(host: TestHost, token: string) {
  const { userId, sessionId } = await host.auth.authenticateToken(token)
  return host.stores.secondFactors.findPending(userId, sessionId)
}

/** Confirms it with the code of the moment and answers the recovery codes. */
export async function confirm(host: TestHost, token: string, secret: string): Promise<string[]> {
  const { status, body, text } = await post(
    host,
    confirmation,
    { code: codeOf(host, secret) },
    bearer(token),
  )
  if (status !== 200) throw new Error(`confirm answered ${status}: ${text}`)
  return body.data.recoveryCodes as string[]
}

/**
 * A host whose alice has just set up TOTP from the session `token`; its clock stands in the step
 * after the one that confirmed.
 */
export async function enrolled(settings: HostSettings = {}) {
  const host = await startHost({ now: noon, ...settings })
  const { authToken: token } = await logIn(host)
  const secret = await begin(host, token)
  const recoveryCodes = await confirm(host, token, secret)
  host.clock.advance(30)
  return { host, token, secret, recoveryCodes }
}

/** A login with the password of everybody here, and a code where one is given. */
export function attempt(host: TestHost, code?: string, headers: Record<string, string> = {}) {
  return post(
    host,
    '/login',
    { username: 'alice', password, ...(code === undefined ? {} : { code }) },
    headers,
  )
}

/** Sends a change of the second factor with the right password, or with another one. */
export function change(
  host: TestHost,
  path: string,
  token: string,
  code: string,
  secretWord = password,
) {
  return post(host, path, { password: secretWord, code }, bearer(token))
}

/** What every answer has in common, whichever it is. */
export function expectAnswer(response: Response, status: number, error?: string): void {
  expect({ status: response.status, text: response.text }).toEqual({ status, text: response.text })
  expectCommon(response)
  if (error !== undefined)
    expect(response.body).toMatchObject({ success: false, status: 'error', error })
}

/** Neither log nor events hold any of these, nor did anything go to the host's error handler. */
export function expectNoSecrets(host: TestHost, ...secrets: (string | undefined)[]): void {
  expectNothingTold(host, [password, ...secrets].map(String))
  expect(host.unforeseen).toEqual([])
}

/** What an attack must leave behind: nothing told, and whoever has the right things comes in. */
export async function expectUnharmed(
  host: TestHost,
  code: string | undefined,
  ...secrets: (string | undefined)[]
): Promise<void> {
  expectNoSecrets(host, ...secrets)
  expectAnswer(await attempt(host, code), 200)
}

type Method = (...given: never[]) => Promise<unknown>

/** Replaces one method of a store, and answers how to put it back. */
export function replace<Store extends object>(
  store: Store,
  name: keyof Store & string,
  by: Method,
): () => void {
  const before = store[name]
  Object.assign(store, { [name]: by })
  return () => void Object.assign(store, { [name]: before })
}

/** Lets one method of a store fail, and answers how to mend it. */
export function breakDown<Store extends object>(
  store: Store,
  name: keyof Store & string,
): () => void {
  return replace(store, name, async () => {
    throw new Error('the database is away')
  })
}

/** The methods that the user's only live session has shown. */
export async function methodsOf(
  sessions: SessionStore,
  now: Date,
  userId = 'u-alice',
): Promise<readonly string[][]> {
  return (await sessions.listForUser(userId, now)).map(({ methods }) => [...methods])
}
