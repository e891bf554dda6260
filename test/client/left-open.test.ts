// Sessions that nobody holds the tokens of any more are ended at the server.
import { expect, it } from 'vitest'
import { createAuthClient } from '../../src/client/client.js'
import { exchange } from '../../src/client/oauth/exchange.js'
import { partsOf } from '../../src/client/parts.js'
import { memoryStore, type TokenStore } from '../../src/client/token-store.js'

type Answers = Readonly<Record<string, object | null>>

const answers: Answers = {
  '/login': {
    status: 'success',
    data: { userId: 'alice', authToken: 'alice-1', me: { _id: 'alice' } },
  },
  '/auth/pkce/token': { access_token: 'pkce-1', expires_in: 600, refresh_token: 'pkce-r' },
  '/oauth/token': { access_token: 'app-1', expires_in: 600, scope: '*', refresh_token: 'app-r' },
  '/me': { success: true, _id: 'alice' },
}
const app = {
  clientId: 'wiki',
  redirectUri: 'https://wiki.example.com/callback',
  scope: '*',
  issuer: 'https://chat.example.com',
}
const begun = {
  issuer: app.issuer,
  codeVerifier: 'verifier',
  nonce: null,
  maxAge: null,
  returnTo: null,
}

/** A client, and what it has ended. */
function start(storage: TokenStore = memoryStore(), answered: Answers = answers) {
  const ended: string[] = []
  const fetch = async (address: string, { headers, body }: RequestInit) => {
    const path = address.replace('https://chat.example.com/api/v1', '')
    const token = new Headers(headers).get('Authorization')
    if (path === '/logout') ended.push(String(token))
    if (path === '/oauth/revoke') ended.push(JSON.parse(String(body)).token)
    if (answered[path] === null) return Response.json({}, { status: 404 })
    return Response.json(answered[path] ?? { status: 'success' })
  }
  const baseUrl = 'https://chat.example.com/api/v1'
  return { client: createAuthClient({ baseUrl, storage, fetch }), ended }
}

const full = (): TokenStore => ({
  ...memoryStore(),
  set: () => Promise.reject(new Error('QuotaExceededError')),
})

it('a sign-in by the pages ends the one that it takes the place of', async () => {
  const { client, ended } = start()
  await client.signIn({ user: 'alice', password: 'a' })
  await exchange(partsOf(client), app, begun, 'code')
  expect(ended).toEqual(['Bearer alice-1'])
  await exchange(partsOf(client), app, begun, 'another code')
  expect(ended).toEqual(['Bearer alice-1', 'app-r'])
})

it('a sign-in that cannot be kept is ended', async () => {
  const { client, ended } = start(full())
  const signingIn = client.signIn({ user: 'alice', password: 'a' })
  await expect(signingIn).rejects.toMatchObject({ code: 'storage-failed' })
  expect(ended).toEqual(['Bearer alice-1'])
})

it('a sign-in by the pages that cannot be kept is ended', async () => {
  const { client, ended } = start(full())
  const exchanging = exchange(partsOf(client), app, begun, 'code')
  await expect(exchanging).rejects.toMatchObject({ code: 'storage-failed' })
  expect(ended).toEqual(['app-r'])
})

it('a code of which nobody learns whose it is, is ended', async () => {
  const { client, ended } = start(memoryStore(), { ...answers, '/me': null })
  const exchanging = client.exchangeCode({ authorizationCode: 'a', codeVerifier: 'v'.repeat(43) })
  await expect(exchanging).rejects.toMatchObject({ status: 404 })
  expect(ended).toEqual(['Bearer pkce-1'])
})
