// Pairs of an access and a refresh token, their holders, and processes over one store.
import { EventEmitter } from 'node:events'
import { bearer, get, logIn, obtainCode, post } from './client.js'
import { type HostSettings, startHost, type TestHost } from './host.js'

/** What an exchange or a refresh hands out. */
export interface Pair {
  readonly access_token: string
  readonly refresh_token: string
}

/** Opens a session that refreshes. */
export async function openPair(host: TestHost): Promise<Pair> {
  return (
    await post(host, '/auth/pkce/token', await obtainCode(host, (await logIn(host)).authToken))
  ).body as Pair
}

/** Shows a refresh token. */
export const refresh = (host: TestHost, refreshToken: string) =>
  post(host, '/auth/refresh', { refreshToken })

/** Shows a refresh token that must be good, and answers the pair. */
export async function refreshed(host: TestHost, refreshToken: string): Promise<Pair> {
  const { status, body, text } = await refresh(host, refreshToken)
  if (status !== 200) throw new Error(`refresh answered ${status}: ${text}`)
  return body as Pair
}

/** Uses an access token once. */
export const use = async (host: TestHost, { access_token }: Pair) =>
  (await get(host, '/me', bearer(access_token))).status

/** The session a pair is of. */
export const sessionOf = ({ access_token }: Pair) =>
  JSON.parse(Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString()).sid as string

/** An upgrade request with these headers, as a server hands it on. */
export function upgrade(headers: Record<string, string>) {
  const headersDistinct = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value]]),
  )
  const lower = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
  return { headers: lower, headersDistinct, socket: { remoteAddress: '127.0.0.1' } } as never
}

/** A socket without a network, which says with which code it was closed. */
export class TestSocket extends EventEmitter {
  code: number | null = null
  close(code: number) {
    this.code ??= code
  }
  terminate() {
    this.code ??= 1006
  }
}

/**
 * Two processes over one store; the clock of the second is so many seconds ahead, or behind where
 * negative.
 */
export async function twoProcesses(
  skew = 0,
  settings: HostSettings = {},
): Promise<[TestHost, TestHost]> {
  const now = new Date('2030-01-01T12:00:00.250Z')
  const one = await startHost({ ...settings, now })
  const options = { ...one.stores, users: one.users, ...settings.options }
  return [
    one,
    await startHost({ ...settings, now: new Date(now.getTime() + skew * 1000), options }),
  ]
}

/** So many seconds pass everywhere. */
export function pass(hosts: readonly TestHost[], seconds: number): void {
  for (const { clock } of hosts) clock.advance(seconds)
}

/** The events of this kind. */
export const told = (hosts: readonly TestHost[], type: string) =>
  hosts.flatMap(({ events }) => events.filter((event) => event.type === type))
