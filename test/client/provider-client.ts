// A client with pages of its own, whose users sign in with their account at a provider.
import { onTestFinished } from 'vitest'
import {
  type AuthClient,
  type AuthClientOptions,
  createAuthClient,
} from '../../src/client/client.js'
import {
  type ProvidersClient,
  type ProvidersClientOptions,
  providers,
} from '../../src/client/providers/providers.js'
import {
  type Browser,
  browser,
  lead,
  type ProviderHost,
} from '../provider-sign-in/provider-host.js'
import type { Wiretap } from './recorded.js'

const origin = 'https://chat.example.com'

/** What a client is made with. */
export interface ElsewhereSettings {
  readonly options?: ProvidersClientOptions
  readonly client?: Partial<AuthClientOptions>
  readonly wire?: Pick<Wiretap, 'fetch'>
}

/** A client of the host, which knows it by its public name. */
export function clientAt(
  host: ProviderHost,
  { options, client: more, wire }: ElsewhereSettings = {},
): { readonly client: AuthClient; readonly elsewhere: ProvidersClient } {
  const send = wire?.fetch ?? fetch
  const here = new URL(host.url).origin
  const client = createAuthClient({
    baseUrl: `${origin}/api/v1`,
    clock: host.clock,
    fetch: (url, init) => send(url.replace(origin, here), init),
    ...more,
  })
  onTestFinished(() => client.close())
  return { client, elsewhere: providers(client, options) }
}

/** Where a browser ends that opens an address of `start`: at `returnTo`, with the answer. */
export async function cameBack(
  host: ProviderHost,
  address: string,
  used: Browser = browser(host),
): Promise<string> {
  const { callback } = await lead(host, address, used)
  const { headers } = await used.open(callback)
  const location = String(headers['location'])
  const ticket = new URL(location).searchParams.get('ticket')
  if (ticket !== null) host.issued.add(ticket)
  return location
}
