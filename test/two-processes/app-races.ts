// Apps: codes, refresh tokens, secrets of services and assertions at the token endpoint.
import { expect } from 'vitest'
import type { OAuthClient } from '../../src/index.js'
import { ownResource } from '../oauth/relying-party.js'
import { bearer } from '../support/client.js'
import { wordsFor } from '../support/consents.js'
import {
  codeFor,
  courierOf,
  credentialsOf,
  openBrowser,
  phone,
  tracker,
  wiki,
} from '../support/oauth-apps.js'
import type { Answer, ServerProcess, UserRow } from '../support/server-processes.js'
import { atOnce, type Race, type Servers, told } from './races.js'

type Form = Readonly<Record<string, string>>

/** Sends a form to the token endpoint. */
export async function askForTokens({ url }: ServerProcess, form: Form): Promise<Answer> {
  const body = new URLSearchParams(form)
  const answer = await fetch(`${url}/oauth/token`, { method: 'POST', body })
  const { error, ...data } = (await answer.json()) as { error?: string }
  return { status: answer.status, error, data }
}

/** The form that gets somebody signed in to an app. */
async function codeOf({ one }: Servers, { id }: UserRow, app: OAuthClient): Promise<Form> {
  const form = await codeFor(one, await openBrowser(one, id), app)
  return { ...form, ...(await credentialsOf(app, new Date())) }
}

async function refreshTokenOf(servers: Servers, user: UserRow, app: OAuthClient) {
  const { status, error, data } = await askForTokens(
    servers.other,
    await codeOf(servers, user, app),
  )
  expect(status, error).toBe(200)
  return data.refresh_token as string
}

/** The session of an access token, unverified. */
const sidIn = (token: string) =>
  (JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { sid: string })
    .sid

const appTokens: readonly Race[] = [
  {
    title: 'exchange one code: one gets a session, which goes on',
    async prepare(servers) {
      const form = await codeOf(servers, await servers.addUser(), wiki)
      return {
        send: (server) => askForTokens(server, form),
        refusals: ['400 invalid_grant'],
        async after([winner]) {
          const headers = bearer(winner?.data.access_token)
          for (const { url } of servers.all)
            expect((await fetch(`${url}/oauth/userinfo`, { headers })).status).toBe(200)
        },
      }
    },
  },
  {
    title: 'show one refresh token: it has one successor, which all of them get',
    async prepare(servers) {
      const refresh_token = await refreshTokenOf(servers, await servers.addUser(), phone)
      const form = { grant_type: 'refresh_token', client_id: phone.id }
      return {
        send: (server) => askForTokens(server, { ...form, refresh_token }),
        wins: 50,
        refusals: [],
        async after(won) {
          const successors = [...new Set(won.map(({ data }) => data.refresh_token as string))]
          expect(successors).toHaveLength(1)
          const [successor = ''] = successors
          expect(successor).not.toBe(refresh_token)
          const next = await askForTokens(servers.other, { ...form, refresh_token: successor })
          expect(next.status).toBe(200)
        },
      }
    },
  },
  {
    title: 'show one assertion: one is believed',
    async prepare(servers) {
      const user = await servers.addUser()
      const now = new Date()
      const scopes = wordsFor(tracker, ownResource)
      const consent = { userId: user.id, clientId: tracker.id, scopes }
      await servers.one.call('stores.consents.grant', {
        ...consent,
        grantedAt: now,
        updatedAt: now,
      })
      const refresh_token = await refreshTokenOf(servers, user, tracker)
      const form = { grant_type: 'refresh_token', refresh_token }
      const credentials = await credentialsOf(tracker, new Date())
      return {
        send: (server) => askForTokens(server, { ...form, ...credentials }),
        // Who is refused too often is told so instead.
        refusals: ['401 invalid_client', '429 too-many-requests'],
      }
    },
  },
]

const services: readonly Race[] = [
  {
    title:
      'show the secret of one service: all get tokens of one session, and of one other after it',
    async prepare(servers) {
      const { id } = await servers.addUser()
      const credentials = await credentialsOf(courierOf(id), new Date())
      const form = { grant_type: 'client_credentials', scope: 'messages:read', ...credentials }
      const send = (server: ServerProcess) => askForTokens(server, form)
      /** The one session of them all. */
      async function sessionOf(won: readonly Answer[]): Promise<string> {
        const sids = [...new Set(won.map(({ data }) => sidIn(data.access_token)))]
        expect(sids).toHaveLength(1)
        const listed = await servers.other.call<readonly { kind: string }[]>(
          'auth.sessions.list',
          id,
        )
        expect(listed.map(({ kind }) => kind)).toEqual(['service'])
        return sids[0] as string
      }
      return {
        send,
        wins: 50,
        refusals: [],
        async after(won) {
          const first = await sessionOf(won)
          await servers.one.call('auth.sessions.revokeAllForUser', id)
          const again = await atOnce(servers, send)
          expect(told(again)).toEqual({ '200 done': 50 })
          expect(await sessionOf(again)).not.toBe(first)
        },
      }
    },
  },
]

export const appRaces: readonly Race[] = [...appTokens, ...services]
