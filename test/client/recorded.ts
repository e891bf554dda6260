// Clients of a test host, and what they put on the wire.
import { onTestFinished } from 'vitest'
import {
  type AuthClient,
  type AuthClientOptions,
  type AuthState,
  createAuthClient,
} from '../../src/client/client.js'
import { password, type TestHost } from '../support/host.js'

export const alice = { user: 'alice', password }

/** What a client sent, as `METHOD path`, and how it is answered from now on. */
export interface Wiretap {
  readonly fetch: NonNullable<AuthClientOptions['fetch']>
  readonly sent: string[]
  /** Only the requests to this path. */
  to(path: string): string[]
  /** Stands in for the server, once, for a path; `send` asks the real one. */
  next(path: string, answer: (send: () => Promise<Response>) => Promise<Response>): void
}

/** Taps the wire to a host. */
export function tap({ url }: Pick<TestHost, 'url'>): Wiretap {
  const sent: string[] = []
  const waiting: [string, (send: () => Promise<Response>) => Promise<Response>][] = []
  return {
    sent,
    to: (path) => sent.filter((one) => one.endsWith(` ${path}`)),
    next: (path, answer) => void waiting.push([path, answer]),
    async fetch(address, init) {
      const path = address.replace(url, '')
      sent.push(`${init.method ?? 'GET'} ${path}`)
      const send = () => fetch(address, init)
      const at = waiting.findIndex(([wanted]) => wanted === path)
      const [instead] = at === -1 ? [] : waiting.splice(at, 1)
      return instead === undefined ? send() : instead[1](send)
    },
  }
}

/** A client of the host whose clock goes with that of the host. */
export function clientOf(host: TestHost, options: Partial<AuthClientOptions> = {}): AuthClient {
  const client = createAuthClient({ baseUrl: host.url, clock: host.clock, ...options })
  onTestFinished(() => client.close())
  return client
}

/** The same, with alice signed in. */
export async function signedIn(
  host: TestHost,
  options: Partial<AuthClientOptions> = {},
): Promise<AuthClient> {
  const client = clientOf(host, options)
  await client.signIn(alice)
  host.issued.add(await client.accessToken())
  return client
}

/** Every state that a client says from now on. */
export function statesOf(client: AuthClient): AuthState[] {
  const states: AuthState[] = []
  onTestFinished(client.onChange((state) => void states.push(state)))
  return states
}

/** An answer that never came: the server has heard the request, or has not. */
export const lost = async (): Promise<never> => {
  throw new TypeError('fetch failed')
}

/** An error answer as the router writes it. */
export const refusing = (status: number, error: string, headers: Record<string, string> = {}) =>
  Response.json({ success: false, status: 'error', error, message: 'No.' }, { status, headers })

/** The events of a host of these types, by type. */
export const toldOf = (host: TestHost, ...types: string[]) =>
  host.events.map(({ type }) => type).filter((type) => types.includes(type))
