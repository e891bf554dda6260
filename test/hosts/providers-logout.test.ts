// oidc-provider, unmodified, signs a user out who has signed in with an account there: its logout
// token ends the session that it has opened, and no other.
import { createServer } from 'node:http'
import express from 'express'
import {
  type AuthEvent,
  createAuthRouter,
  generateSigningKey,
  joseSigner,
} from 'messaging-auth-router'
import { openIdProvider } from 'messaging-auth-router/providers'
import { memoryStores } from 'messaging-auth-router/stores/memory'
import { expect, it, onTestFinished } from 'vitest'
import { browser, listen } from './support/browser.js'
import { client, startOidcProvider } from './support/oidc-provider.js'

const alice = { id: 'u-alice', username: 'alice', name: 'Alice', passwordHash: null }
const codeVerifier = 'v'.repeat(43)
const codeChallenge = '7w_YNF9DSfIdPf_pRjSq646_kPr-2-o9NAl16JGghdM'

async function start() {
  const app = express()
  const origin = await listen(createServer(app))
  const base = `${origin}/api/v1`
  const returnTo = `${origin}/signed-in`
  const issuer = await startOidcProvider({
    redirect_uris: [`${base}/auth/providers/corp/callback`],
    backchannel_logout_uri: `${base}/auth/providers/corp/backchannel-logout`,
    backchannel_logout_session_required: true,
  })
  const { client_id: clientId, client_secret: clientSecret } = client
  const stores = memoryStores()
  const events: AuthEvent[] = []
  const auth = createAuthRouter({
    users: {
      findByIdentifier: async () => null,
      findById: async (id) => (id === alice.id ? alice : null),
      updatePasswordHash: async () => false,
    },
    ...stores,
    signer: joseSigner({ issuer: origin, audience: 'chat', keys: [await generateSigningKey()] }),
    encryptionKeys: [Buffer.from('an encryption key for tests only').toString('base64')],
    onEvent: (event) => void events.push(event),
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    providers: {
      baseUrl: base,
      list: [openIdProvider({ id: 'corp', name: 'Corp', issuer, clientId, clientSecret })],
      returnTo: [returnTo],
    },
  })
  onTestFinished(() => auth.close())
  app.use('/api/v1', auth)
  const identity = { issuer, subject: 'alice-1', userId: alice.id, id: 'i-1', provider: 'corp' }
  await stores.identities.link({
    ...identity,
    label: null,
    passwordMark: null,
    createdAt: new Date(),
    lastUsedAt: null,
  })
  return { auth, base, returnTo, issuer, events }
}

type Host = Awaited<ReturnType<typeof start>>

async function signIn({ base, returnTo }: Host) {
  const person = browser()
  const given = { returnTo, codeChallenge }
  const { body } = await person.post(`${base}/auth/providers/corp/start`, given)
  let at: string = body.data.url
  for (let hops = 0; hops < 8 && !at.startsWith(returnTo); hops += 1)
    at = new URL((await person.get(at)).location ?? '', at).href
  const ticket = new URL(at).searchParams.get('ticket')
  const signedIn = await person.post(`${base}/auth/providers/finish`, { ticket, codeVerifier })
  const token = { Authorization: `Bearer ${signedIn.body.data.authToken}` }
  return { ...person, status: async () => (await person.get(`${base}/me`, token)).status }
}

async function signOutThere({ issuer }: Host, { get, form }: Awaited<ReturnType<typeof signIn>>) {
  const { body: page } = await get(`${issuer}/session/end`)
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(page)?.[1] ?? ''
  const { status } = await form(`${issuer}/session/end/confirm`, { xsrf, logout: 'yes' })
  expect(status).toBe(303)
}

it('one session there is one session here', async () => {
  const host = await start()
  const [phone, laptop] = [await signIn(host), await signIn(host)]
  expect([await phone.status(), await laptop.status()]).toEqual([200, 200])
  await signOutThere(host, phone)
  expect([await phone.status(), await laptop.status()]).toEqual([401, 200])
  await signOutThere(host, laptop)
  expect(await laptop.status()).toBe(401)
  const told = host.events.filter(({ type }) => type === 'provider.logout')
  expect(told).toMatchObject([{ sessions: 1 }, { sessions: 1 }])
})
