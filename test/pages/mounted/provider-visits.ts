// A host with pages and a provider, and how a browser goes there and comes back.
import type { AuthRouterOptions, ProvidersOptions } from '../../../src/index.js'
import type { Identity, Provider } from '../../../src/providers/contract.js'
import { ada, type FakeProvider, fakeProvider } from '../../provider-sign-in/provider-host.js'
import {
  listen,
  type MountedHost,
  type MountedSettings,
  portOf,
  queryOf,
  startMounted,
  wiki,
} from './mounted-host.js'
import { openVisitor, type PageAnswer, type Visitor } from './visitor.js'

export interface ProviderPages extends MountedHost {
  readonly provider: FakeProvider
}

/** Starts it; nobody is connected with ada. */
export async function startProviderPages(
  providers: Partial<ProvidersOptions> = {},
  options: Partial<AuthRouterOptions> = {},
  given: Partial<MountedSettings> & { readonly provider?: FakeProvider } = {},
): Promise<ProviderPages> {
  const { provider = fakeProvider({ name: 'Example Ltd' }), ...settings } = given
  const all = { ...options, providers: { list: [provider], ...providers } }
  return { ...(await startMounted({ ...settings, options: all })), provider }
}

/** A provider at a site of its own, for browsers: its page sends them back. */
export async function providerSite(
  method: 'get' | 'post' = 'get',
  given: Partial<Provider> = {},
): Promise<FakeProvider> {
  const site = await listen((request, response) => {
    const asked = new URL(request.url ?? '', 'http://localhost').searchParams
    response.setHeader('Content-Type', 'text/html')
    response.end(`<title>Provider</title><h1>Provider</h1>
<form method="${method}" action="${asked.get('callback')}">
<input type="hidden" name="state" value="${asked.get('state')}">
<button>Yes, it is me</button></form>`)
  })
  return fakeProvider({
    name: 'Example Ltd',
    async start({ state, callbackUrl: callback }) {
      const query = new URLSearchParams({ state, callback })
      return { url: `http://localhost:${portOf(site)}/?${query}`, keep: {} }
    },
    ...given,
  })
}

/** Connects a user with ada, or somebody else. */
export async function connect(
  { stores, clock, provider }: ProviderPages,
  userId: string,
  { issuer, subject, email }: Identity = ada,
): Promise<void> {
  const named = { id: `i-${subject}`, provider: provider.id, label: email ?? null }
  const row = { issuer, subject, userId, passwordMark: null, ...named }
  await stores.identities.link({ ...row, createdAt: clock(), lastUsedAt: null })
}

/** Answers the question whether to connect the account. */
export async function decide(
  visitor: Visitor,
  page: PageAnswer,
  choice: 'connect' | 'later' = 'connect',
): Promise<PageAnswer> {
  if (page.heading !== 'Connect another account') throw new Error(`asked: ${page.heading}`)
  return visitor.fill(page, { choice })
}

export const signInAt = ({ base }: MountedHost, change = {}) =>
  `${base}/oauth/authorize?${queryOf(wiki, change)}`

export const linkIn = ({ text }: PageAnswer, path: RegExp) =>
  [...text.matchAll(/href="([^"]+)"/g)]
    .map(([, href = '']) => href.replaceAll('&amp;', '&'))
    .find((href) => path.test(href)) ?? ''

/** The address that the provider sends the browser back to. */
export function callbackOf(
  { base, provider }: ProviderPages,
  { headers, text }: PageAnswer,
): string {
  const { location = /url=(https:[^"]+)/.exec(text)?.[1] ?? '' } = headers
  const state = new URL(location).searchParams.get('state')
  return `${base}/auth/providers/${provider.id}/callback?state=${state}`
}

/** Opens the sign-in, presses the button, and stands at the provider: where it leads back to. */
export async function leave(
  host: ProviderPages,
  visitor: Visitor = openVisitor(host),
  address = signInAt(host),
) {
  const page = await visitor.open(address)
  const there = await visitor.get(linkIn(page, /oauth\/providers\//))
  return { visitor, page, there, callback: callbackOf(host, there) }
}

/** The same, and comes back. */
export async function comeBack(host: ProviderPages, visitor?: Visitor, address?: string) {
  const left = await leave(host, visitor, address)
  return { ...left, page: await left.visitor.open(left.callback) }
}
