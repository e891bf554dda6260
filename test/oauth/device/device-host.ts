// A host with the device grant, a program in a terminal that uses it, and people in front of
// browsers who type its codes.
import type { IncomingMessage } from 'node:http'
import { expect } from 'vitest'
import type { OAuthClient } from '../../../src/index.js'
import { password } from '../../support/host.js'
import { openPageBrowser, type PageBrowser, type Rest } from '../page-browser.js'
import {
  clients,
  type Form,
  issuer,
  ownResource,
  type RelyingSettings,
  search,
  secret,
  startRelyingParties,
} from '../relying-party.js'

export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'
export const page = `${issuer}/api/v1/oauth/device`

/** A program of the host's own. */
export const cli: OAuthClient = {
  id: 'cli',
  name: 'Chat CLI',
  type: 'native',
  firstParty: true,
  redirectUris: [],
  grants: [deviceGrant, 'refresh_token'],
  scopes: ['*', 'openid', 'profile', 'messages:read'],
  defaultScopes: ['openid', 'messages:read'],
  resources: [ownResource, search],
}
/** Somebody else's, with a secret, which gets no refresh token. */
export const television: OAuthClient = {
  id: 'television',
  name: 'Television',
  type: 'web',
  redirectUris: [],
  grants: [deviceGrant],
  scopes: ['openid', 'messages:read'],
  secretHashes: [secret.hash],
}
/** Another program of the host's own. */
export const other: OAuthClient = { ...cli, id: 'other', name: 'Other' }

/** Where a request seems to come from: its header `X-Test-Ip`. */
const clientAddress = (request: IncomingMessage) =>
  [request.headers['x-test-ip'] ?? '192.0.2.1'].flat()[0] as string

export interface Asked {
  readonly device_code: string
  readonly user_code: string
  readonly verification_uri: string
  readonly expires_in: number
  readonly interval: number
}

export async function startDevices(settings: RelyingSettings = {}) {
  const at = await startRelyingParties({
    ...settings,
    oauth: {
      deviceFlow: true,
      clients: [...clients, cli, television, other],
      ...settings.oauth,
    },
    options: { clientAddress, ...settings.options },
  })
  const { host, clock } = at

  function send(path: string, client: OAuthClient, form: Form, ip?: string) {
    const isPublic = client.secretHashes === undefined
    const basic = `Basic ${Buffer.from(`${client.id}:${secret.secret}`).toString('base64')}`
    const from = { 'User-Agent': 'chat-cli/1.0 (linux)', ...(ip && { 'X-Test-Ip': ip }) }
    const shown = isPublic ? { client_id: client.id } : {}
    return at.post(
      path,
      client,
      { ...shown, ...form },
      {
        ...from,
        ...(isPublic ? {} : { Authorization: basic }),
      },
    )
  }

  /** A device asks for a code. */
  async function begin(client: OAuthClient = cli, form: Form = {}, ip?: string): Promise<Asked> {
    const { status, body } = await send('/oauth/device_authorization', client, form, ip)
    expect([status, body]).toEqual([200, expect.any(Object)])
    host.issued.add(String(body['device_code']))
    host.issued.add(String(body['user_code']))
    host.issued.add(String(body['user_code']).replace('-', ''))
    return body as unknown as Asked
  }

  /** A device asks whether its user has decided, at its own pace. */
  async function poll(asked: Asked, client: OAuthClient = cli, form: Form = {}, ip?: string) {
    clock.advance(asked.interval)
    return pollNow(asked, client, form, ip)
  }

  function pollNow(asked: Asked, client: OAuthClient = cli, form: Form = {}, ip?: string) {
    const sent = { grant_type: deviceGrant, device_code: asked.device_code, ...form }
    return send('/oauth/token', client, sent, ip)
  }

  const openBrowser = () => openPageBrowser(issuer, at.local)

  /** A browser in which somebody has signed in. */
  async function browserOf(username = 'alice', address = page): Promise<[PageBrowser, Rest]> {
    const browser = openBrowser()
    const rest = await browser.open(address)
    expect(rest.url.pathname).toMatch(/\/oauth\/sign-in$/)
    const signedIn = await browser.send(rest, { username, password })
    expect(signedIn.url.pathname, signedIn.page?.text).toMatch(/\/oauth\/device$/)
    return [browser, signedIn]
  }

  /** Somebody signs in, types the code, and comes to the page that asks. */
  async function typeCode(code: string, username = 'alice'): Promise<[PageBrowser, Rest]> {
    const [browser, rest] = await browserOf(username)
    return [browser, await browser.send(rest, { user_code: code })]
  }

  /** Alice approves a device. */
  async function approve(code: string, username = 'alice'): Promise<[PageBrowser, Rest]> {
    const [browser, asked] = await typeCode(code, username)
    expect([asked.page?.status, asked.page?.text]).toEqual([200, expect.stringContaining('seen')])
    const done = await browser.send(asked, { seen: 'yes' })
    expect([done.page?.status, done.page?.text]).toEqual([200, expect.stringContaining('Done')])
    return [browser, asked]
  }

  const eventsOf = (type: string) => host.events.filter((event) => event.type === type)

  return { ...at, send, begin, poll, pollNow, openBrowser, browserOf, typeCode, approve, eventsOf }
}

export type Devices = Awaited<ReturnType<typeof startDevices>>
