// Providers: each answer, ticket and account of theirs counts once.
import { expect } from 'vitest'
import { randomId } from '../../src/lib/secrets.js'
import { ada, returnTo } from '../provider-sign-in/provider-host.js'
import { logInAt } from '../support/account-steps.js'
import { pkcePair } from '../support/client.js'
import { randomKey } from '../support/records.js'
import type { Answer, ServerProcess, UserRow } from '../support/server-processes.js'
import type { Race, Servers } from './races.js'

/** Connects somebody with an account at the provider, and answers its id here. */
async function connect({ one }: Servers, user: UserRow, subject: string): Promise<string> {
  const id = randomId()
  const now = { createdAt: new Date(), lastUsedAt: null }
  const at = { issuer: ada.issuer, subject, provider: 'fake', label: null, passwordMark: null }
  await one.call('stores.identities.link', { ...at, ...now, id, userId: user.id })
  return id
}

const identitiesOf = ({ other }: Servers, { id }: UserRow) =>
  other.call<readonly { subject: string }[]>('stores.identities.listForUser', id)

interface Asked {
  readonly codeVerifier: string
  /** Where the provider sends the browser back to. */
  readonly callback: string
  readonly cookie: string
}

/** A browser comes to the provider; what it says there is its subject. */
async function begin(
  server: ServerProcess,
  subject: string,
  path = '/auth/providers/fake/start',
  token?: string,
): Promise<Asked> {
  const { codeVerifier, codeChallenge } = pkcePair()
  const { status, data } = await server.post(path, { returnTo, codeChallenge }, token)
  expect(status).toBe(200)
  const there = new URL(data.url)
  const led = await fetch(`${server.url}${there.pathname.replace('/api/v1', '')}${there.search}`, {
    redirect: 'manual',
  })
  const state = new URL(led.headers.get('location') ?? '').searchParams.get('state')
  return {
    codeVerifier,
    callback: `/auth/providers/fake/callback?state=${state}&subject=${subject}`,
    cookie: (led.headers.get('set-cookie') ?? '').split(';')[0] ?? '',
  }
}

/** The browser comes back; the ticket is what the client finds in its address. */
async function comeBack({ url }: ServerProcess, { callback, cookie }: Asked): Promise<Answer> {
  const headers = { Cookie: cookie }
  const answer = await fetch(`${url}${callback}`, { headers, redirect: 'manual' })
  const location = answer.headers.get('location')
  if (location === null) return { status: answer.status, error: 'no way on', data: {} }
  const { searchParams } = new URL(location)
  const error = searchParams.get('error') ?? undefined
  return { status: answer.status, error, data: searchParams.get('ticket') }
}

async function ticketOf(server: ServerProcess, asked: Asked) {
  const { status, data } = await comeBack(server, asked)
  expect(status).toBe(303)
  return { ticket: data as string, codeVerifier: asked.codeVerifier }
}

const signIns: readonly Race[] = [
  {
    title: 'bring one answer of a provider: one goes on',
    async prepare(servers) {
      const subject = randomKey()
      await connect(servers, await servers.addUser(), subject)
      const asked = await begin(servers.one, subject)
      return { send: (server) => comeBack(server, asked), refusals: ['400 no way on'] }
    },
  },
  {
    title: 'show one ticket of a provider: one is let in',
    async prepare(servers) {
      const { one, other } = servers
      const subject = randomKey()
      const user = await servers.addUser()
      await connect(servers, user, subject)
      const shown = await ticketOf(other, await begin(one, subject))
      return {
        send: (server) => server.post('/auth/providers/finish', shown),
        refusals: ['400 proof-refused'],
        async after() {
          const listed = await other.call<readonly object[]>('auth.sessions.list', user.id)
          expect(listed).toHaveLength(1)
        },
      }
    },
  },
]

const accounts: readonly Race[] = [
  {
    title: 'connect one account of a provider with two users: one of them has it',
    async prepare(servers) {
      const { one, other } = servers
      const subject = randomKey()
      const users = [await servers.addUser(), await servers.addUser()]
      const ready = await Promise.all(
        users.map(async (user) => {
          const token = await logInAt(one, user.username)
          const asked = await begin(other, subject, '/auth/identities/fake', token)
          return { token, shown: await ticketOf(one, asked) }
        }),
      )
      return {
        send(server, caller) {
          // Each server hears of both.
          const { shown, token } = ready[Math.floor(caller / 2) % 2] ?? {}
          return server.post('/auth/identities', shown, token)
        },
        refusals: ['400 proof-refused', '409 identity-in-use'],
        async after() {
          const owned = await Promise.all(users.map((user) => identitiesOf(servers, user)))
          expect(owned.flat().map((identity) => identity.subject)).toEqual([subject])
        },
      }
    },
  },
  {
    title: 'remove the two accounts of a user who has no password: one is left',
    async prepare(servers) {
      const user = await servers.addUser()
      const ids = [
        await connect(servers, user, randomKey()),
        await connect(servers, user, randomKey()),
      ]
      const tokens = await Promise.all(servers.all.map((one) => logInAt(one, user.username)))
      await servers.one.call('stores.users.updatePasswordHash', user.id, user.password_hash, null)
      return {
        send(server, caller) {
          const id = ids[Math.floor(caller / 2) % 2]
          const token = tokens[caller % tokens.length]
          return server.ask('DELETE', `/auth/identities/${id}`, undefined, token)
        },
        refusals: ['404 not-found', '409 last-sign-in-method'],
        async after() {
          expect(await identitiesOf(servers, user)).toHaveLength(1)
        },
      }
    },
  },
]

export const providerRaces: readonly Race[] = [...signIns, ...accounts]
