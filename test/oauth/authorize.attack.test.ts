import '../support/steps.js'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { AuthError } from '../../src/errors.js'
import { sha256 } from '../../src/lib/secrets.js'
import type { OAuthClient } from '../../src/stores/client-contract.js'
import { post } from '../support/client.js'
import { stepsOf } from '../support/steps.js'
import {
  answerOf,
  askedByTracker,
  byLink,
  codeOf,
  pageOf,
  queryOf,
  startAuthorize,
} from './authorize-host.js'
import { wiki } from './some-clients.js'

const callback = 'https://wiki.example.com/oidc/callback'
const evil = 'https://evil.test/'

async function signedIn(settings: Parameters<typeof startAuthorize>[0] = {}) {
  const at = await startAuthorize(settings)
  return { ...at, ...(await at.signIn()) }
}

describe('a request whose sender is not proven', () => {
  it('is answered by a page without a way on, whatever is wrong with it', async () => {
    const { visit, submit, Cookie, events } = await signedIn()
    const disabled: OAuthClient = { ...wiki, id: 'old', disabled: true }
    const other = await signedIn({ clients: [disabled] })
    events.length = 0
    const pages = [
      await visit('', { Cookie }),
      await visit(queryOf({ client_id: 'nobody', redirect_uri: evil }), { Cookie }),
      await visit(queryOf({ redirect_uri: evil }), { Cookie }),
      await visit(queryOf({ redirect_uri: `${callback}/` }), { Cookie }),
      await visit(queryOf({ redirect_uri: undefined }), { Cookie }),
      await visit(queryOf({ redirect_uri: [callback, evil] }), { Cookie }),
      await visit(`${queryOf()}&client_id=wiki`, { Cookie }),
      await visit(`${queryOf()}&x=%ff`, { Cookie }),
      await other.visit(queryOf({ client_id: 'old' }), { Cookie: other.Cookie }),
      await submit(`${queryOf()}&state=2`),
    ]
    for (const response of pages) {
      expect(response.status).toBe(400)
      expect(pageOf(response)).not.toMatch(/evil|af0ifjsldkj/)
    }
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['page.refused']))
    expect(JSON.stringify(events)).not.toMatch(/evil|af0ifjsldkj/)
  })

  it('brings no markup onto a page, nor does the name of a client', async () => {
    const clients = [{ ...wiki, name: `<b onclick="x">&'` }]
    const { visit, Cookie } = await signedIn({ clients })
    const markup = '"><script>alert(1)</script>'
    for (const change of [
      { redirect_uri: `${evil}${markup}` },
      { client_id: markup, redirect_uri: markup },
    ])
      expect(pageOf(await visit(queryOf(change), { Cookie }))).not.toMatch(/<b |<script|alert/)
    const page = pageOf(await visit(queryOf({ redirect_uri: evil }), { Cookie }))
    expect(page).toContain(
      '<bdi>&lt;b onclick=&quot;x&quot;&gt;&amp;&#39;</bdi> wants to be answered',
    )
  })

  it('is refused above 4096 characters, before any store is asked', async () => {
    let finds = 0
    const find = async () => {
      finds += 1
      return wiki
    }
    const { visit, submit } = await startAuthorize({ find })
    const filled = (length: number) => {
      const query = `${queryOf()}&pad=`
      return `${query}${'x'.repeat(length - query.length)}`
    }
    for (const length of [4097, 8192, 12_000]) {
      const response = await visit(filled(length))
      expect([response.status, pageOf(response)]).toEqual([
        400,
        expect.stringContaining('too long'),
      ])
    }
    expect((await submit(filled(4097))).status).toBe(400)
    const huge = await submit(filled(8193))
    expect([huge.status, pageOf(huge)]).toEqual([413, expect.any(String)])
    expect(finds).toBe(0)
    expect((await submit(filled(4096))).status).toBe(303)
    expect([(await visit(filled(4096))).status, finds]).toEqual([303, 1])
  })

  it('is no more where the parser of the host takes more', async () => {
    const { host } = await startAuthorize({
      before: (app) => void app.use(express.urlencoded({ extended: false, limit: '1mb' })),
    })
    // In chunks, so that no header says how long it is.
    const post = async (body: string) => {
      const response = await fetch(`${host.url}/oauth/authorize`, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: new Blob([body]).stream(),
        duplex: 'half',
      } as RequestInit)
      return response.status
    }
    expect(await post('a=b')).toBe(303)
    expect(await post(`a=${'x'.repeat(9000)}`)).toBe(413)
    const many = Array.from({ length: 900 }, (_, at) => `name-${at}=${at}`).join('&')
    expect(await post(many)).toBe(413)
  })

  it('is taken of no body but a form', async () => {
    const { submit } = await startAuthorize()
    for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x']) {
      const response = await submit('{"client_id":"wiki"}', { 'Content-Type': type })
      expect([response.status, pageOf(response)]).toEqual([415, expect.any(String)])
    }
  })

  it('is read in steps that grow with its length, and not with the square of it', async () => {
    const { parseAuthorizationRequest } = await import('../../src/oauth/authorization-request.js')
    const read = (query: string) => stepsOf(() => parseAuthorizationRequest(query))
    for (const piece of ['&', 'a&', '=&', '%20', '+']) {
      const [half, whole] = [2048, 4096].map((n) => piece.repeat(Math.floor(n / piece.length)))
      read(half as string)
      expect(read(whole as string), `of ${piece}`).toBeLessThan(2.1 * read(half as string) + 500)
      expect(read(whole as string), `of ${piece}`).toBeLessThan(50 * 4096)
    }
  })
})

describe('an answer to a client', () => {
  it('carries nothing of a request but its state, as text', async () => {
    const { visit, Cookie } = await signedIn()
    const state = 'a&iss=https://evil.test/#x?code=1 "<>\'()*!'
    const response = await visit(queryOf({ state }), { Cookie })
    expect(answerOf(response)).toEqual({
      at: callback,
      with: { code: expect.any(String), state, iss: 'https://chat.example.com' },
    })
    expect(response.headers['location']).not.toMatch(/[\s"'<>()*!#]/)
    const faulty = await visit(queryOf({ state, scope: 'a\\b' }), { Cookie })
    expect(answerOf(faulty).with).toMatchObject({ error: 'invalid_scope', state })
  })

  it('has no header that a request brings along', async () => {
    const { visit, submit, Cookie } = await signedIn()
    const lines = 'x\r\nSet-Cookie: a=b\r\n\r\n<html>'
    const told = answerOf(await visit(queryOf({ state: lines }), { Cookie }))
    expect(told.with).toMatchObject({ error: 'invalid_request' })
    expect(told.with).not.toHaveProperty('state')
    for (const body of [`${queryOf()}&x=${lines}`, `${queryOf()}#x`, `${queryOf()}&x=ü`]) {
      const response = await submit(body)
      expect([response.status, pageOf(response)]).toEqual([400, expect.any(String)])
    }
    const encoded = await submit(`x=${encodeURIComponent(lines)}`)
    expect([encoded.status, encoded.headers['set-cookie']]).toEqual([303, undefined])
    expect(encoded.headers['location']).toMatch(/%0D%0A/)
  })

  it('goes where the client is registered, whatever Host says', async () => {
    const { visit, submit, Cookie } = await signedIn()
    const forged = { Host: 'evil.test', 'X-Forwarded-Host': 'evil.test' }
    expect(answerOf(await visit(queryOf(), { Cookie, ...forged })).at).toBe(callback)
    expect((await submit('a=b', forged)).headers['location']).toMatch(
      /^https:\/\/chat\.example\.com\/api\/v1\//,
    )
  })

  it('lets no page of another origin read it', async () => {
    const { visit, submit, Cookie } = await signedIn()
    const Origin = 'https://wiki.example.com'
    for (const response of [
      await visit(queryOf(), { Cookie, Origin }),
      await visit(queryOf({ redirect_uri: evil }), { Cookie, Origin }),
      await submit('a=b', { Origin }),
    ])
      expect(Object.keys(response.headers).filter((name) => /^access-control/.test(name))).toEqual(
        [],
      )
  })
})

describe('a code of the authorization endpoint', () => {
  it('is another for each request, of 50 at once as well', async () => {
    const { visit, Cookie, codes, events } = await signedIn()
    const visits = Array.from({ length: 50 }, () => visit(queryOf(), { Cookie }))
    const issued = new Set((await Promise.all(visits)).map(codeOf))
    expect(issued.size).toBe(50)
    const opened = await Promise.all([...issued].map((code) => codes.find(code)))
    expect(new Set(opened.map((code) => code?.opensSessionId)).size).toBe(50)
    expect(events.filter(({ type }) => type === 'code.issued')).toHaveLength(50)
    expect(JSON.stringify(events)).not.toContain('mar_oc_')
  })

  it('is issued 60 times a minute for an app to one browser, and no more', async () => {
    const { visit, Cookie, clock } = await signedIn()
    for (let times = 0; times < 60; times += 1) codeOf(await visit(queryOf(), { Cookie }))
    const response = await visit(queryOf(), { Cookie })
    expect([response.status, pageOf(response)]).toEqual([429, expect.any(String)])
    const other = { client_id: 'desktop', redirect_uri: 'https://app.example.com/callback' }
    codeOf(await visit(queryOf(other), { Cookie }))
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0)
    clock.advance(61)
    expect((await visit(queryOf(), { Cookie })).status).toBeOneOf([303, 429])
  })

  it.each([
    ['cross-site', { prompt: 'none' }, {}],
    ['cross-site', {}, { prompt: 'none' }],
    ['same-site', { prompt: 'none' }, {}],
  ] as const)(
    'is left to the user whose browser a page sends here by itself, %s, with %j',
    async (site, change, other) => {
      const { visit, Cookie } = await signedIn()
      const byItself = { Cookie, 'Sec-Fetch-Site': site, 'Sec-Fetch-User': '' }
      const statuses: number[] = []
      for (let times = 0; times < 70; times += 1)
        statuses.push((await visit(queryOf(change), byItself)).status)
      expect(statuses.filter((status) => status === 303)).toHaveLength(30)
      expect(statuses.filter((status) => status === 429)).toHaveLength(40)
      // By a press, and by an app that looks whether she is still signed in.
      codeOf(await visit(queryOf(change), { Cookie }))
      codeOf(await visit(queryOf(other), byItself))
    },
  )

  it('is nothing at /auth/pkce/token, by its prefix and by its record', async () => {
    const { visit, Cookie, stores, codes, host } = await signedIn()
    const code = codeOf(await visit(queryOf(), { Cookie }))
    const record = await stores.codes.find(sha256(code))
    if (record === null) throw new Error('no code')
    // As if one had been made with the other's prefix.
    const disguised = `mar_ac_${code.slice('mar_oc_'.length)}`
    await stores.codes.save({ ...record, codeHash: sha256(disguised) })
    const answers = []
    for (const authorizationCode of [code, disguised]) {
      const codeVerifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
      answers.push(await post(host, '/auth/pkce/token', { authorizationCode, codeVerifier }))
    }
    expect(answers.map(({ body }) => body.error)).toEqual(['invalid_grant', 'invalid_grant'])
    // Nor has it been used up there.
    expect(await codes.find(code)).toMatchObject({ consumedAt: null })
  })

  it('is none that /auth/pkce has issued, by its prefix and by its record', async () => {
    const { stores, codes, visit, Cookie } = await signedIn()
    const record = await stores.codes.find(sha256(codeOf(await visit(queryOf(), { Cookie }))))
    if (record === null) throw new Error('no code')
    const { clientId, redirectUri, nonce, resources, acr, ...pkce } = record
    const secret = 'A'.repeat(43)
    await stores.codes.save({ ...pkce, codeHash: sha256(`mar_ac_${secret}`) })
    await stores.codes.save({ ...pkce, codeHash: sha256(`mar_oc_${secret}`) })
    const disguised = `mar_ac_${'B'.repeat(43)}`
    await stores.codes.save({ ...record, codeHash: sha256(disguised) })
    for (const code of [`mar_ac_${secret}`, `mar_oc_${secret}`, disguised, 'mar_oc_', ''])
      expect(await codes.find(code)).toBeNull()
  })

  it('that was burnt is used', async () => {
    const { codes, visit, Cookie } = await signedIn()
    const record = await codes.find(codeOf(await visit(queryOf(), { Cookie })))
    if (record === null) throw new Error('no code')
    const burnt = await Promise.all(Array.from({ length: 50 }, () => codes.burn(record)))
    expect(burnt.filter(({ outcome }) => outcome === 'consumed')).toHaveLength(1)
  })
})

describe('whom the authorization endpoint takes for signed in', () => {
  it('is nobody without the cookie of a browser, whatever else is shown', async () => {
    const { visit, host, users, signIn } = await startAuthorize()
    const request = new IncomingMessage(new Socket())
    const opened = await host.auth.sessions.open({ userId: 'u-alice', request })
    users.add({ id: 'u-bob' })
    const { Cookie } = await signIn('u-bob')
    const name = Cookie.split('=')[0]
    host.issued.add(opened.token)
    for (const headers of [
      { Authorization: `Bearer ${opened.token}` },
      { 'X-Auth-Token': opened.token, 'X-User-Id': 'u-alice' },
      { Cookie: `${name}=${opened.token}` },
      { Cookie: `${Cookie}x` },
      { Cookie: `${Cookie}; ${name}=x` },
    ]) {
      const response = await visit(queryOf({ prompt: 'none' }), headers)
      expect(answerOf(response).with).toMatchObject({ error: 'login_required' })
    }
  })

  it('is nobody for what a page of somebody else embeds or fetches', async () => {
    const { visit, Cookie } = await signedIn()
    for (const headers of [
      { ...byLink, 'Sec-Fetch-Dest': 'iframe' },
      { ...byLink, 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'image' },
      { ...byLink, Origin: 'https://evil.test' },
    ]) {
      const response = await visit(queryOf({ prompt: 'none' }), { Cookie, ...headers })
      expect(answerOf(response).with).toMatchObject({ error: 'login_required' })
    }
  })

  it('is nobody whose session has ended, or who has been disabled or refused', async () => {
    let objection: string | undefined
    const beforeLogin = () => objection
    const { visit, Cookie, session, users, clock, stores, events } = await signedIn({
      options: { beforeLogin },
    })
    const told = async () => {
      clock.advance(6)
      const response = await visit(queryOf({ prompt: 'none' }), { Cookie })
      return (answerOf(response).with as { error?: string }).error
    }
    expect(await told()).toBeUndefined()
    objection = 'Not today.'
    events.length = 0
    expect(await told()).toBe('login_required')
    expect(events).toEqual([expect.objectContaining({ type: 'request.refused' })])
    objection = undefined
    users.change('u-alice', { disabled: true })
    expect(await told()).toBe('login_required')
    users.change('u-alice', { disabled: false })
    expect(await told()).toBeUndefined()
    await stores.sessions.end(session, 'logout', clock())
    expect(await told()).toBe('login_required')
  })
})

describe('an id_token_hint', () => {
  it('that is none of this client is told to the client, before anything is decided', async () => {
    const { visit, Cookie, signer, clock } = await signedIn()
    const iat = Math.floor(clock().getTime() / 1000)
    const claims = { sub: 'u-alice', aud: 'tracker', iat, exp: iat + 600 }
    const foreign = await signer.signIdToken?.(claims as never, { algorithm: 'ES256' })
    for (const hint of [foreign, 'x', `${foreign}x`, 'a.b.c', '.'.repeat(2000)]) {
      const response = await visit(queryOf({ id_token_hint: hint }), { Cookie })
      expect(answerOf(response).with).toMatchObject({ error: 'invalid_request' })
    }
  })

  it('is none to a signer that reads no ID tokens', async () => {
    const { visit, Cookie } = await signedIn({ signer: () => ({}) })
    const response = await visit(queryOf({ id_token_hint: 'a.b.c' }), { Cookie })
    expect(answerOf(response).with).toMatchObject({ error: 'invalid_request' })
  })
})

describe('an outage', () => {
  const down = async (): Promise<never> => {
    throw new Error('ECONNREFUSED 10.0.0.1')
  }

  it('is a page that says when to come back, and no redirect', async () => {
    const { stores, visit, Cookie, consents } = await signedIn()
    const isDown = async (query = queryOf()) => {
      const response = await visit(query, { Cookie })
      expect([response.status, response.headers['retry-after']]).toEqual([503, '2'])
      expect(pageOf(response)).not.toContain('10.0.0.1')
    }
    stores.codes.save = down
    await isDown()
    await isDown(queryOf({ prompt: 'none' }))
    consents.find = async () => {
      throw new AuthError('temporarily-unavailable', { retryAfter: 2 })
    }
    await isDown(queryOf({}, askedByTracker))
    const find = consents.find as () => Promise<never>
    const clientless = await signedIn({ find })
    const response = await clientless.visit(queryOf(), { Cookie: clientless.Cookie })
    expect(response.status).toBe(503)
    const hintless = await signedIn({ signer: () => ({ verifyIdToken: down }) })
    const hinted = await hintless.visit(queryOf({ id_token_hint: 'a.b.c' }), {
      Cookie: hintless.Cookie,
    })
    expect(hinted.status).toBe(503)
  })

  it('of the sessions signs nobody out', async () => {
    const { stores, visit, Cookie, clock } = await signedIn()
    const { find } = stores.sessions
    stores.sessions.find = down
    const response = await visit(queryOf({ prompt: 'none' }), { Cookie })
    expect([response.status, pageOf(response)]).toEqual([503, expect.any(String)])
    stores.sessions.find = find
    clock.advance(6)
    codeOf(await visit(queryOf({ prompt: 'none' }), { Cookie }))
  })
})
