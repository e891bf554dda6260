// What works once works once, however many ask at the same moment, in two processes wherever they
// can share a store.
import { describe, expect, it } from 'vitest'
import { bearer } from '../support/client.js'
import type { TestHost } from '../support/host.js'
import {
  type AppTokens,
  allow,
  apps,
  codeFor,
  courierOf,
  credentialsOf,
  oauthOf,
  openBrowser,
  phone,
  signInTo,
  tracker,
  wiki,
} from '../support/oauth-apps.js'
import {
  openShared,
  type SharedKind,
  sharedKinds,
  startProcesses,
} from '../support/oauth-processes.js'
import { startPages } from '../support/pages.js'

const callers = 50
const rounds = 3
const courier = courierOf('u-alice')

const kinds: readonly SharedKind[] = [
  { name: 'memory', isThere: true, reach: null },
  ...sharedKinds,
]

/** A host that signs alice in, and the servers whose token endpoints are raced. */
async function start(kind: SharedKind): Promise<{ host: TestHost; urls: readonly string[] }> {
  const shared = await openShared(kind)
  const { codes, sessions, tickets } = shared.stores
  await allow(shared.oauthStores.consents, 'u-alice', tracker)
  const host = await startPages({
    options: {
      codes,
      sessions,
      tickets,
      oauth: oauthOf(shared.oauthStores),
      storeTimeout: 20_000,
    },
  })
  if (shared.reached === null) return { host, urls: [host.url] }
  return { host, urls: await startProcesses(shared.reached, { clients: [...apps, courier] }) }
}

interface Answer {
  readonly status: number
  readonly body: Partial<AppTokens> & { readonly error?: string }
}

async function ask(url: string, form: Record<string, string>): Promise<Answer> {
  const body = new URLSearchParams(form)
  const answer = await fetch(`${url}/oauth/token`, { method: 'POST', body })
  return { status: answer.status, body: (await answer.json()) as Answer['body'] }
}

/** The same form from all of them at once. */
const race = (urls: readonly string[], form: Record<string, string>) =>
  Promise.all(Array.from({ length: callers }, (_, i) => ask(urls[i % urls.length] as string, form)))

/** The session of an access token, unverified. */
const sidIn = (token = '') =>
  (JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { sid: string })
    .sid

const won = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 200)
/** The different answers, for whoever has to find out why a test fails. */
const told = (answers: readonly Answer[]) =>
  [...new Set(answers.map(({ status, body }) => `${status} ${body.error}`))].join(', ')
const refusals = (answers: readonly Answer[]) =>
  new Set(answers.filter(({ status }) => status !== 200).map(({ body }) => body.error))

describe.each(kinds)('50 at once on $name', (kind) => {
  it.skipIf(!kind.isThere)(
    'exchange one code: one gets a session, which goes on',
    async () => {
      const { host, urls } = await start(kind)
      const cookie = await openBrowser(host)
      for (let round = 0; round < rounds; round += 1) {
        const form = { ...(await codeFor(host, cookie, wiki)) }
        const answers = await race(urls, { ...form, ...(await credentialsOf(wiki, new Date())) })
        expect(won(answers), told(answers)).toHaveLength(1)
        expect(refusals(answers)).toEqual(new Set(['invalid_grant']))
        const headers = bearer(won(answers)[0]?.body.access_token ?? '')
        for (const url of urls)
          expect((await fetch(`${url}/oauth/userinfo`, { headers })).status).toBe(200)
      }
    },
    120_000,
  )

  it.skipIf(!kind.isThere)(
    'show one refresh token: it has one successor, which all of them get',
    async () => {
      const { host, urls } = await start(kind)
      for (let round = 0; round < rounds; round += 1) {
        const { refresh_token } = await signInTo(host, phone)
        const form = { grant_type: 'refresh_token', client_id: 'phone' }
        const answers = await race(urls, { ...form, refresh_token })
        const successors = new Set(answers.map(({ body }) => body.refresh_token))
        expect([won(answers).length, successors.size]).toEqual([callers, 1])
        const [successor = ''] = successors
        expect(successor).not.toBe(refresh_token)
        const next = await ask(urls.at(-1) as string, { ...form, refresh_token: successor })
        expect(next.status).toBe(200)
      }
    },
    120_000,
  )

  it.skipIf(!kind.isThere)(
    'show the secret of one service: all get tokens of one session, and of one other after it',
    async () => {
      const { host, urls } = await start(kind)
      const seen = new Set<unknown>()
      for (let round = 0; round < rounds; round += 1) {
        const form = { grant_type: 'client_credentials', scope: 'messages:read' }
        const answers = await race(urls, { ...form, ...(await credentialsOf(courier, new Date())) })
        expect(won(answers), told(answers)).toHaveLength(callers)
        const sids = new Set(answers.map(({ body }) => sidIn(body.access_token)))
        expect(sids.size).toBe(1)
        for (const sid of sids) seen.add(sid)
        const listed = await host.auth.sessions.list('u-alice')
        expect(listed.map(({ kind }) => kind)).toEqual(['service'])
        await host.auth.sessions.revokeAllForUser('u-alice')
      }
      expect(seen.size).toBe(rounds)
    },
    120_000,
  )

  it.skipIf(!kind.isThere)(
    'show one assertion: one is believed',
    async () => {
      const { host, urls } = await start(kind)
      const { refresh_token } = await signInTo(host, tracker)
      const form = { grant_type: 'refresh_token', refresh_token }
      for (let round = 0; round < rounds; round += 1) {
        const answers = await race(urls, { ...form, ...(await credentialsOf(tracker, new Date())) })
        expect(won(answers), told(answers)).toHaveLength(1)
        // Whoever is refused too often is told so instead.
        for (const error of refusals(answers))
          expect(error).toBeOneOf(['invalid_client', 'too-many-requests'])
      }
    },
    120_000,
  )
})
