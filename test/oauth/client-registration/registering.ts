// A host at which clients register themselves, and what such a client sends.
import type { IncomingMessage } from 'node:http'
import { expect } from 'vitest'
import type { ClientRegistrationOptions, OAuthClient } from '../../../src/index.js'
import { memoryOAuthStores } from '../../../src/stores/memory-oauth-stores.js'
import { type RelyingSettings, startRelyingParties } from '../relying-party.js'

export const listedHost = 'agent.example'
export const redirect = 'http://127.0.0.1/callback'
export const scopes = ['openid', 'messages:read']

/** Where a request seems to come from: its header `X-Test-Ip`. */
const clientAddress = (request: IncomingMessage) =>
  [request.headers['x-test-ip'] ?? '192.0.2.1'].flat()[0] as string

export interface Registering extends RelyingSettings {
  readonly registration?: Partial<ClientRegistrationOptions>
}

export async function startRegistering({ registration, ...settings }: Registering = {}) {
  const { clients: store } = memoryOAuthStores()
  const option = { clients: store, hosts: [listedHost], scopes, ...registration }
  const at = await startRelyingParties({
    ...settings,
    oauth: { registration: option, ...settings.oauth },
    options: { clientAddress, ...settings.options },
  })

  /** Sends metadata as JSON, or a text as it is. */
  async function send(metadata: unknown, headers: Readonly<Record<string, string>> = {}) {
    const answer = await fetch(`${at.host.url}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof metadata === 'string' ? metadata : JSON.stringify(metadata),
    })
    const body = (await answer.json()) as Record<string, unknown>
    return { status: answer.status, body, headers: answer.headers }
  }

  /** Registers an app, from a network that nobody else has. */
  async function register(metadata: object = {}, ip = nextAddress()): Promise<OAuthClient> {
    const sent = { redirect_uris: [redirect], ...metadata }
    const { status, body } = await send(sent, { 'X-Test-Ip': ip })
    expect([status, body]).toEqual([201, expect.any(Object)])
    return asClient(body)
  }

  const eventsOf = (type: string) => at.host.events.filter((event) => event.type === type)
  return { ...at, store: option.clients, send, register, eventsOf }
}

let addresses = 0

/** An address of a network of its own, of IPv4. */
export function nextAddress(): string {
  addresses += 1
  return `198.18.${addresses >> 8}.${addresses & 255}`
}

/** What a client knows of itself once it is registered. */
function asClient(body: Readonly<Record<string, unknown>>): OAuthClient {
  return {
    id: String(body['client_id']),
    name: '',
    type: 'native',
    redirectUris: body['redirect_uris'] as string[],
    scopes: String(body['scope']).split(' '),
  }
}
