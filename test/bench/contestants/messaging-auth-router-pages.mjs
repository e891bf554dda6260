// This package, as it was built, with the pages on which users sign in to apps; and in the same
// process a page of as many bytes that costs nothing to make.
import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import express from 'express'
import {
  createAuthRouter,
  generateClientSecret,
  generateSigningKey,
  joseSigner,
} from '../../../dist/index.js'
import { memoryOAuthStores, memoryStores } from '../../../dist/stores/memory.js'
import { openConnection, requestBytes } from '../load/connection.mjs'
import { audience, issuer, makePkce, makeUsers } from './fixtures.mjs'

const base = '/api/v1'
const scopes = ['openid', 'profile', 'offline_access', 'read', 'write']
const ownPage = { 'Sec-Fetch-Site': 'same-origin', Origin: issuer }
const byBrowser = {
  Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'Accept-Language': 'de-AT,de;q=0.9,en-US;q=0.8,en;q=0.7',
  'Sec-Fetch-Site': 'cross-site',
  'Sec-Fetch-Mode': 'navigate',
  'Sec-Fetch-Dest': 'document',
}
const byForm = {
  ...byBrowser,
  ...ownPage,
  'Content-Type': 'application/x-www-form-urlencoded',
}
/** Of somebody else, and an app on the device: each has a question of its own. */
const tracker = {
  id: 'tracker',
  name: 'A tracker of somebody else',
  type: 'web',
  redirectUris: ['https://tracker.example.net/callback'],
  scopes,
  secretHashes: [generateClientSecret().hash],
}
const desktop = {
  id: 'desktop',
  name: 'Desktop',
  type: 'native',
  firstParty: true,
  redirectUris: ['http://127.0.0.1/callback'],
  scopes,
}
/** Bytes of a page, about. */
const plainPage = `<!doctype html><title>plain</title>${'<p>nothing</p>'.repeat(250)}`

export async function start() {
  const { byName, byId } = makeUsers(1)
  const { consents, once } = memoryOAuthStores()
  const auth = createAuthRouter({
    users: {
      findByIdentifier: async ({ value }) => byName.get(value) ?? null,
      findById: async (id) => byId.get(id) ?? null,
    },
    ...memoryStores(),
    signer: joseSigner({ issuer, audience, keys: [await generateSigningKey('ES256')] }),
    encryptionKeys: [randomBytes(32).toString('base64')],
    oauth: {
      baseUrl: `${issuer}${base}`,
      clients: [tracker, desktop],
      consents,
      once,
      scopes: { read: { en: 'Read', de: 'Lesen' }, write: { en: 'Write', de: 'Schreiben' } },
    },
    pages: { brand: { name: 'Example Chat', accent: '#0a5c36' } },
  })
  const app = express()
  app.get('/plain', (_request, response) => void response.send(plainPage))
  app.use(base, auth)
  app.post('/sign-in', (request, response, next) => {
    auth.cookie.open(request, response, { userId: 'u-0' }).then(() => response.end(), next)
  })

  const pageOf = (name, client, Cookie) => ({
    method: 'GET',
    path: `${base}/oauth/${name}?${queryOf(client)}`,
    headers: { ...byBrowser, ...(Cookie === null ? {} : { Cookie }) },
  })
  const shown = (name) => ({ status: 200, holds: `action="${issuer}${base}/oauth/${name}?` })
  const times = (count, request, expected) => ({
    requests: Array.from({ length: count }, request),
    expected: Array.from({ length: count }, () => expected),
  })

  const prepare = {
    plain: (count) =>
      times(count, () => ({ method: 'GET', path: '/plain', headers: byBrowser }), {
        status: 200,
        holds: '<p>nothing</p>',
      }),
    signIn: (count) => times(count, () => pageOf('sign-in', tracker, null), shown('sign-in')),
    async consent(count, connection) {
      const cookie = await signedIn(connection)
      return times(count, () => pageOf('consent', tracker, cookie), shown('consent'))
    },
    async continue(count, connection) {
      const cookie = await signedIn(connection)
      return times(count, () => pageOf('continue', desktop, cookie), shown('continue'))
    },
    async allow(count, connection) {
      const cookie = await signedIn(connection)
      const requests = await repeat(count, () => formOn('consent', 'allow', cookie, connection))
      // What is sent sooner has been read by nobody, and is not taken.
      await setTimeout(500)
      const location = `${issuer}${base}/oauth/authorize?`
      return { requests, expected: requests.map(() => ({ status: 303, location })) }
    },
  }

  /** The form of a page, as it is sent with a choice. */
  async function formOn(name, choice, Cookie, connection) {
    const { path, ...get } = pageOf(name, tracker, Cookie)
    const { head, body } = await connection.send(requestBytes({ path, ...get }))
    const [, csrf] = /name="csrf" value="([^"]+)"/.exec(body) ?? []
    if (csrf === undefined) throw new Error(`no form at ${path}`)
    const form = String(new URLSearchParams({ csrf, choice }))
    const cookies = [Cookie, ...cookiesOf(head)].join('; ')
    return { method: 'POST', path, headers: { ...byForm, Cookie: cookies }, body: form }
  }

  return {
    listener: app,
    async prepare({ kind, count }, port) {
      const connection = await openConnection(port)
      try {
        return await prepare[kind](count, connection)
      } finally {
        connection.close()
      }
    },
  }
}

async function signedIn(connection) {
  const asked = { method: 'POST', path: '/sign-in', headers: ownPage }
  const { status, head } = await connection.send(requestBytes(asked))
  const [cookie] = cookiesOf(head)
  if (cookie === undefined) throw new Error(`a sign-in was answered ${status} without a cookie`)
  return cookie
}

function cookiesOf(head) {
  return Array.from(head.matchAll(/\r\nset-cookie: *([^;\r]+)/gi), ([, cookie]) => cookie)
}

// Asked anew each time, so that what was allowed before spares nobody the page.
function queryOf({ id, redirectUris: [redirect_uri] }) {
  const { codeChallenge } = makePkce()
  return new URLSearchParams({
    client_id: id,
    response_type: 'code',
    redirect_uri,
    scope: scopes.join(' '),
    state: codeChallenge,
    nonce: codeChallenge,
    prompt: 'consent',
    code_challenge: codeChallenge,
    code_challenge_method: 'S256',
  })
}

async function repeat(count, make) {
  const made = []
  for (let i = 0; i < count; i += 1) made.push(await make())
  return made
}
