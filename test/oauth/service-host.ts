// A chat server with programs that have credentials of their own, and what they may use.
import type express from 'express'
import {
  generateClientSecret,
  type OAuthClient,
  type OAuthOptions,
  type Principal,
} from '../../src/index.js'
import { memoryOAuthStores } from '../../src/stores/memory-oauth-stores.js'
import { startHost } from '../support/host.js'
import { issuer, signer } from '../support/mounted-oauth.js'
import { basic } from '../support/oauth-clients.js'

export const mcp: string = `${issuer}/mcp`
const secret = generateClientSecret()
export const courierSecret: string = secret.secret

/** Brings messages, in the name of a bot. */
export const courier: OAuthClient = {
  id: 'courier',
  name: 'Courier',
  type: 'service',
  redirectUris: [],
  scopes: ['messages:read', 'messages:write', 'openid', 'offline_access'],
  resources: [`${issuer}/api/v1`, mcp],
  secretHashes: [secret.hash],
  serviceUserId: 'u-bot',
}

export interface ServiceSettings {
  readonly clients?: readonly OAuthClient[]
  readonly options?: NonNullable<Parameters<typeof startHost>[0]>['options']
  readonly oauth?: Partial<OAuthOptions>
}

/** What `POST /oauth/token` answers. */
export interface ServiceAnswer {
  readonly status: number
  readonly json: Readonly<Record<string, string>>
}

export async function startService({ clients = [courier], options, oauth }: ServiceSettings = {}) {
  const { clients: register, consents, once } = memoryOAuthStores()
  const scopes = { 'messages:read': 'Read messages', 'messages:write': 'Write messages' }
  let ahead = 0
  const host = await startHost({
    options: {
      signer,
      clock: () => new Date(Date.now() + ahead * 1000),
      oauth: {
        baseUrl: `${issuer}/api/v1`,
        clients: register,
        consents,
        once,
        scopes,
        resources: { [mcp]: { scopes: ['messages:read'] } },
        ...oauth,
      },
      ...options,
    },
    after(app, auth) {
      const tell: express.RequestHandler = (request, response) => void response.json(request.auth)
      app.use(auth.wellKnown)
      app.get('/read', auth.requireAuth({ scope: 'messages:read' }), tell)
      app.get('/any', auth.requireAuth({ scope: [] }), tell)
      app.get('/people', auth.requireAuth(), tell)
      app.get('/fresh', auth.requireAuth({ scope: [], maxAge: 600 }), tell)
      app.get('/mcp', auth.requireAuth({ scope: 'messages:read', resource: mcp }), tell)
    },
  })
  host.users.add({ id: 'u-bot', username: 'bot' })
  for (const client of clients) await register.create(client, new Date())
  const origin = new URL(host.url).origin

  async function ask(
    form: Readonly<Record<string, string>> = { scope: 'messages:read' },
    client: Pick<OAuthClient, 'id'> = courier,
  ): Promise<ServiceAnswer> {
    const answer = await fetch(`${host.url}/oauth/token`, {
      method: 'POST',
      headers: basic(client.id, secret.secret),
      body: new URLSearchParams({ grant_type: 'client_credentials', ...form }),
    })
    const json = (await answer.json()) as ServiceAnswer['json']
    if (json['access_token'] !== undefined) host.issued.add(json['access_token'])
    return { status: answer.status, json }
  }

  /** The token of a request that must succeed. */
  async function tokenFor(form?: Readonly<Record<string, string>>): Promise<string> {
    const { status, json } = await ask(form)
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(json)}`)
    return json['access_token'] as string
  }

  async function get(path: string, token: string, method = 'GET', body?: object) {
    const answer = await fetch(`${origin}${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    return {
      status: answer.status,
      json: (text === '' ? {} : JSON.parse(text)) as Partial<Principal>,
    }
  }

  /** Sessions that are alive. */
  const live = () => host.auth.sessions.list('u-bot')
  return {
    host,
    origin,
    register,
    ask,
    tokenFor,
    get,
    live,
    advance: (seconds: number) => {
      ahead += seconds
    },
  }
}

/** What an access token says, unverified. */
export function claimsIn(token: string): Readonly<Record<string, unknown>> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
}
