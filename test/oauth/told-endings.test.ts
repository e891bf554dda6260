// Whatever ends a session of an app before its time, the app is told; and without the option
// nothing is made for it.
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { AuthRouterOptions, EndReason, Mail, OAuthClient } from '../../src/index.js'
import { randomId, randomSecret, sha256 } from '../../src/lib/secrets.js'
import { upstreamOf } from '../../src/provider-sign-in/upstream.js'
import { newCode } from '../../src/stores/new-records.js'
import { ada, fakeProvider, returnTo } from '../provider-sign-in/provider-host.js'
import { bearer, logIn, pkcePair, post } from '../support/client.js'
import { password } from '../support/host.js'
import { claimsOf } from './oauth-parts.js'
import { startTelling, startToldApp, type ToldHost } from './told-apps.js'

const ofPhone: Partial<OAuthClient> = {
  type: 'native',
  firstParty: true,
  redirectUris: ['https://app.example.com/callback'],
  refreshTokens: 'always',
}

/** Opens a session of an app as apps do: by a code. */
async function exchange(host: ToldHost, client: OAuthClient) {
  const { authToken } = await logIn(host)
  const { codeVerifier, codeChallenge } = pkcePair()
  const code = `mar_oc_${randomSecret()}`
  const redirectUri = client.redirectUris[0] as string
  const at = (seconds: number) => new Date(host.clock().getTime() + seconds * 1000)
  const row = newCode(at, {
    codeHash: sha256(code),
    userId: 'u-alice',
    issuedBySessionId: String(claimsOf(authToken)['sid']),
    opensSessionId: randomId(),
    codeChallenge,
    scope: 'openid',
    clientId: client.id,
    redirectUri,
    resources: ['chat'],
    acr: 'urn:mar:1fa',
  })
  await host.stores.codes.save(row)
  const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri }
  const again = () => ask(host, client, { ...form, code_verifier: codeVerifier })
  const { status, body } = await again()
  expect([status, body]).toEqual([200, expect.any(Object)])
  return { id: row.opensSessionId, refreshToken: String(body['refresh_token']), again }
}

async function ask({ url, issued }: ToldHost, { id }: OAuthClient, form: Record<string, string>) {
  const body = new URLSearchParams({ client_id: id, ...form })
  const answer = await fetch(`${url}/oauth/token`, { method: 'POST', body })
  const told = (await answer.json()) as Record<string, unknown>
  for (const name of ['access_token', 'refresh_token', 'id_token'])
    if (typeof told[name] === 'string') issued.add(told[name])
  return { status: answer.status, body: told }
}

interface Asked {
  readonly host: ToldHost
  readonly client: OAuthClient
  readonly mails: Mail[]
}

/** Opens a session of the app, has it ended, and returns its id. */
type Ending = (asked: Asked) => Promise<string>

const endings: [string, EndReason, Ending][] = [
  [
    'the user has signed in to it too often elsewhere',
    'evicted',
    async ({ host, client }) => {
      const { id } = await host.openApp(client)
      for (let i = 0; i < 9; i += 1) {
        host.clock.advance(1)
        await host.openApp(client)
      }
      await exchange(host, client)
      return id
    },
  ],
  [
    'a refresh token was shown again',
    'refresh-reused',
    async ({ host, client }) => {
      const { id, refreshToken } = await exchange(host, client)
      const refresh = (token: string) =>
        ask(host, client, { grant_type: 'refresh_token', refresh_token: token })
      let last = refreshToken
      for (let i = 0; i < 3; i += 1) {
        host.clock.advance(120)
        last = String((await refresh(last)).body['refresh_token'])
      }
      expect((await refresh(refreshToken)).body['error']).toBe('invalid_grant')
      return id
    },
  ],
  [
    'its code was used again',
    'code-replayed',
    async ({ host, client }) => {
      const { id, again } = await exchange(host, client)
      host.clock.advance(40)
      expect((await again()).body['error']).toBe('invalid_grant')
      return id
    },
  ],
  [
    'a change of address was undone',
    'address-undone',
    async ({ host, client, mails }) => {
      const { id } = await host.openApp(client)
      const headers = bearer((await logIn(host)).authToken)
      const asked = { email: 'other@example.com', password }
      const { body } = await post(host, '/auth/email/change', asked, headers).expect(202)
      const code = (await mailOf(host, mails, 'change-address')).code
      const proof = { requestId: body.data.requestId, code }
      await post(host, '/auth/email/confirm', proof, headers).expect(200)
      const { url = '' } = await mailOf(host, mails, 'address-changed')
      const [token] = /mar_eu_[\w-]+/.exec(url) ?? []
      const undo = { token, password: 'a longer phrase that nobody else types' }
      await post(host, '/auth/email/undo', undo).expect(200)
      return id
    },
  ],
  [
    'the user has deleted the account',
    'account-deleted',
    async ({ host, client, mails }) => {
      const { id } = await host.openApp(client)
      const headers = bearer((await logIn(host)).authToken)
      const { body } = await post(host, '/auth/account/delete', { password }, headers).expect(202)
      const { code } = await mailOf(host, mails, 'confirm-deletion')
      const proof = { requestId: body.data.requestId, code }
      await post(host, '/auth/account/delete/confirm', proof, headers).expect(200)
      return id
    },
  ],
  [
    'the host ends everything',
    'revoked',
    async ({ host, client }) => {
      const { id } = await host.openApp(client)
      await host.auth.accounts.endEverything('u-alice')
      return id
    },
  ],
  [
    'the provider by which the user came has signed them out',
    'upstream-logout',
    async ({ host, client }) => {
      const upstream = upstreamOf({
        provider: 'fake',
        accounts: 'fake',
        identity: { ...ada, sid: 'session 1' },
      })
      const signIn = await host.openApp(client, { kind: 'login', upstream, id: randomId() })
      const { id } = await host.openApp(client, { parentId: signIn.id })
      const { issuer, subject } = ada
      const of = { issuer, subject, userId: 'u-alice', id: 'i-ada', provider: 'fake', label: null }
      const made = { passwordMark: null, lastUsedAt: null }
      await host.stores.identities.link({ ...of, ...made, createdAt: host.clock() })
      const body = new URLSearchParams({ logout_token: 'of ada' })
      const path = '/auth/providers/fake/backchannel-logout'
      expect((await fetch(`${host.url}${path}`, { method: 'POST', body })).status).toBe(200)
      return id
    },
  ],
]

async function mailOf(host: ToldHost, mails: readonly Mail[], kind: Mail['kind']): Promise<Mail> {
  while (host.auth.stats().mail.waiting > 0) await new Promise((resolve) => setImmediate(resolve))
  const mail = mails.findLast((one) => one.kind === kind)
  if (mail === undefined) throw new Error(`no mail ${kind}`)
  for (const secret of [mail.code, mail.url]) if (secret !== undefined) host.issued.add(secret)
  return mail
}

/** Options by which sessions end in every way there is. */
function optionsOf(mails: Mail[]): Partial<AuthRouterOptions> {
  const provider = fakeProvider({
    readLogoutToken: async () => ({
      issuer: ada.issuer,
      subject: ada.subject,
      jti: 'a',
      expiresAt: new Date('2026-03-01T12:01:00Z'),
    }),
  })
  return {
    accounts: { mail: { send: async (mail) => void mails.push(mail) }, deletion: true },
    providers: { baseUrl: 'http://localhost:3000/api/v1', list: [provider], returnTo: [returnTo] },
  }
}

describe('a session of an app that ends because', () => {
  it.each(endings)('%s is told to the app once', async (_what, reason, end) => {
    const phone = await startToldApp('phone', undefined, ofPhone)
    const mails: Mail[] = []
    const host = await startTelling({ clients: [phone.client], options: optionsOf(mails) })
    host.users.change('u-alice', { emailVerified: true })
    const id = await end({ host, client: phone.client, mails })
    await phone.toldTimes(1)
    await host.settled()
    expect((await host.stores.sessions.find(id))?.endReason).toBe(reason)
    expect(phone.claims()).toMatchObject([{ aud: 'phone', sub: 'u-alice' }])
    expect(host.outcomes()).toMatchObject([{ type: 'rp-logout.sent', sessionId: id }])
  })
})

describe('without the option oauth.logout', () => {
  it('the router makes no timer for it, neither at the start nor when a session ends', async () => {
    const deaf = await startToldApp('phone', (response) => void response.writeHead(500).end(), {
      ...ofPhone,
    })
    const made = vi.spyOn(globalThis, 'setTimeout')
    const intervals = vi.spyOn(globalThis, 'setInterval')
    onTestFinished(() => void vi.restoreAllMocks())
    /** How many there are at the start, and how many of the five seconds of a message. */
    const timersWith = async (logout: boolean) => {
      made.mockClear()
      intervals.mockClear()
      const host = await startTelling({ clients: [deaf.client], oauth: { logout } })
      const atStart = [made.mock.calls.length, intervals.mock.calls.length]
      const { id } = await host.openApp(deaf.client)
      await host.auth.sessions.revoke(id)
      if (logout) await deaf.toldTimes(1)
      await new Promise((resolve) => setImmediate(resolve))
      const pauses = () => made.mock.calls.filter(([, milliseconds]) => milliseconds === 5000)
      while (logout && pauses().length === 0) await new Promise((resolve) => setImmediate(resolve))
      return { atStart, pauses: pauses().length, waiting: host.auth.stats().rpLogout.waiting }
    }
    const without = await timersWith(false)
    expect([without.pauses, without.waiting, deaf.told.length]).toEqual([0, 0, 0])
    const withIt = await timersWith(true)
    expect(withIt).toMatchObject({ atStart: without.atStart, waiting: 1 })
    expect(withIt.pauses).toBeGreaterThan(0)
  })
})
