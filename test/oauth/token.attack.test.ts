import { afterEach, describe, expect, it } from 'vitest'
import { noRequest } from '../../src/audit/events.js'
import { sha256 } from '../../src/lib/secrets.js'
import type { OAuthClient } from '../../src/stores/client-contract.js'
import { afterAttack } from '../support/after-attack.js'
import { bearer, get, logIn, obtainCode, pkcePair, post } from '../support/client.js'
import { openPair } from '../support/pairs.js'
import { sharedKinds } from '../support/shared-stores.js'
import {
  asTracker,
  asWiki,
  claimsOf,
  desktop,
  phone,
  search,
  startOAuth,
  wiki,
} from './oauth-parts.js'

type OAuth = Awaited<ReturnType<typeof startOAuth>>

const running: OAuth[] = []
const start = async (...settings: Parameters<typeof startOAuth>) => {
  const oauth = await startOAuth(...settings)
  running.push(oauth)
  return oauth
}

// Before the server of the test is stopped: these run first.
afterEach(async () => {
  for (const { host, app } of running.splice(0)) {
    await afterAttack(host, [], [])
    expect(app.unforeseen).toEqual([])
  }
})

const reasonsOf = ({ host }: OAuth) =>
  host.events.flatMap((event) => (event.type === 'code.refused' ? [event.reason] : []))
const invalidGrant = {
  success: false,
  status: 'error',
  error: 'invalid_grant',
  message: 'The authorization code or token is not valid.',
  error_description: 'The authorization code or token is not valid.',
}

describe('a code', () => {
  it('works once: of 50 exchanges at once exactly one is answered 200', async () => {
    const { issueCode, token, host } = await start()
    const { record, form } = await issueCode(desktop)
    const answers = await Promise.all(Array.from({ length: 50 }, () => token(form)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ json }) => json['error'] === 'invalid_grant').length).toBeGreaterThan(
      0,
    )
    expect(host.events.filter(({ type }) => type === 'code.redeemed')).toHaveLength(1)
    const started = host.events.filter(
      (event) => event.type === 'session.started' && event.sessionId === record.opensSessionId,
    )
    expect(started).toHaveLength(1)
  })

  it.each<[string, string, (form: Record<string, string>) => Record<string, string>]>([
    ['another client', 'wrong-client', (form) => ({ ...form, client_id: 'phone' })],
    [
      'another redirect URI',
      'wrong-redirect-uri',
      (form) => ({ ...form, redirect_uri: 'com.example.chat:/cb2' }),
    ],
    [
      'a redirect URI in other letters',
      'wrong-redirect-uri',
      (form) => ({ ...form, redirect_uri: 'com.example.chat:/CB' }),
    ],
    [
      'another verifier',
      'wrong-verifier',
      (form) => ({ ...form, code_verifier: pkcePair().codeVerifier }),
    ],
    ['no verifier', 'wrong-verifier', ({ code_verifier: _, ...form }) => form],
  ])('is burnt by %s', async (_what, reason, change) => {
    const oauth = await start()
    const { form, record } = await oauth.issueCode(desktop)
    const wrong = await oauth.token(change({ ...form }))
    expect([wrong.status, wrong.json]).toEqual([400, invalidGrant])
    expect((await oauth.token(form)).json).toEqual(invalidGrant)
    expect(reasonsOf(oauth)).toEqual([reason, 'replayed'])
    expect(await oauth.session(record.opensSessionId)).toBeNull()
  })

  it('races its wrong verifiers for one write: it opens a session, or nothing does', async () => {
    const { issueCode, token } = await start()
    for (let round = 0; round < 10; round += 1) {
      const { form } = await issueCode(desktop)
      const wrong = { ...form, code_verifier: pkcePair().codeVerifier }
      const answers = await Promise.all([token(wrong), token(form), token(wrong)])
      expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
      expect(answers[0]?.status).not.toBe(200)
      expect(answers[2]?.status).not.toBe(200)
    }
  })

  it('issued without a challenge takes no verifier, and no client without a secret', async () => {
    const oauth = await start()
    const downgraded = await oauth.issueCode(wiki, { codeChallenge: '' })
    expect((await oauth.token(downgraded.form, asWiki)).json).toEqual(invalidGrant)
    const { code_verifier: _, ...form } = (await oauth.issueCode(desktop, { codeChallenge: '' }))
      .form
    expect((await oauth.token(form)).json).toEqual(invalidGrant)
    expect(reasonsOf(oauth)).toEqual(['wrong-verifier', 'wrong-verifier'])
  })

  it('shown again within 20 seconds is refused, and what it opened lives', async () => {
    const { issueCode, token, session, clock } = await start()
    const { form, record } = await issueCode(desktop)
    await token(form)
    clock.advance(20)
    expect((await token(form)).json).toEqual(invalidGrant)
    expect((await session(record.opensSessionId))?.endedAt).toBeNull()
  })

  it('shown again later ends the session it opened, be the verifier right or wrong', async () => {
    const { issueCode, token, session, clock, host, refresh } = await start()
    const { form, record } = await issueCode(desktop, { scope: '*' })
    const { json } = await token(form)
    clock.advance(21)
    const wrong = { ...form, code_verifier: pkcePair().codeVerifier }
    expect((await token(wrong)).json).toEqual(invalidGrant)
    expect((await session(record.opensSessionId))?.endReason).toBe('code-replayed')
    expect((await get(host, '/me', bearer(String(json['access_token'])))).status).toBe(401)
    const next = await refresh(String(json['refresh_token']), { client_id: 'desktop' })
    expect(next.json).toEqual(invalidGrant)
  })

  it('that was spent is nothing to another client, which ends no session', async () => {
    const oauth = await start()
    const { form, record } = await oauth.issueCode(wiki)
    expect((await oauth.token(form, asWiki)).status).toBe(200)
    oauth.clock.advance(21)
    expect((await oauth.token({ ...form, client_id: 'phone' })).json).toEqual(invalidGrant)
    expect((await oauth.token(form, asTracker)).json).toEqual(invalidGrant)
    expect((await oauth.session(record.opensSessionId))?.endedAt).toBeNull()
    expect(reasonsOf(oauth)).toEqual(['wrong-client', 'wrong-client'])
    // In the hands of the client itself it is a replay.
    expect((await oauth.token(form, asWiki)).json).toEqual(invalidGrant)
    expect((await oauth.session(record.opensSessionId))?.endReason).toBe('code-replayed')
  })

  it('is worth nothing from its 60th second on', async () => {
    const { issueCode, token, clock } = await start()
    const { form } = await issueCode(desktop)
    clock.advance(60)
    expect((await token(form)).json).toEqual(invalidGrant)
  })

  it('dies with the browser that it was issued to', async () => {
    const oauth = await start()
    const { form, record } = await oauth.issueCode(desktop)
    const browser = { id: record.issuedBySessionId as string, userId: 'u-alice' }
    await oauth.kit.sessions.end(browser, 'logout', noRequest)
    expect((await oauth.token(form)).json).toEqual(invalidGrant)
    expect(reasonsOf(oauth)).toEqual(['issuing-session-ended'])
  })

  it('is worth nothing once its user is disabled or gone, or the host objects', async () => {
    const disabled = await start()
    const one = await disabled.issueCode(desktop)
    disabled.host.users.change('u-alice', { disabled: true })
    expect((await disabled.token(one.form)).json).toEqual(invalidGrant)
    disabled.host.users.change('u-alice', { disabled: false })
    const vetoed = await start({
      options: { beforeLogin: ({ door }) => (door === 'code-exchange' ? 'No.' : undefined) },
    })
    expect((await vetoed.token((await vetoed.issueCode(desktop)).form)).json).toEqual(invalidGrant)
  })

  it('of /auth/pkce is unknown here, and stays good there', async () => {
    const oauth = await start()
    const { authToken } = await logIn(oauth.host)
    const { authorizationCode, codeVerifier } = await obtainCode(oauth.host, authToken)
    const form = {
      grant_type: 'authorization_code',
      client_id: 'desktop',
      redirect_uri: desktop.redirectUris[0] as string,
      code: authorizationCode,
      code_verifier: codeVerifier,
    }
    expect((await oauth.token(form)).json).toEqual(invalidGrant)
    expect(reasonsOf(oauth)).toEqual(['unknown'])
    const there = await post(oauth.host, '/auth/pkce/token', { authorizationCode, codeVerifier })
    expect(there.status).toBe(200)
  })

  it('of no client, or of a client and with another prefix, is unknown', async () => {
    const oauth = await start()
    const { clientId: _, ...ofNobody } = (await oauth.issueCode(desktop)).record
    const { form } = await oauth.issueCode(desktop, {}, 'mar_ac_')
    expect((await oauth.token(form)).json).toEqual(invalidGrant)
    const codes = oauth.kit.codeStore
    const presented = `mar_oc_${'A'.repeat(43)}`
    await codes.save({ ...ofNobody, codeHash: sha256(presented) })
    expect((await oauth.token({ ...form, code: presented })).json).toEqual(invalidGrant)
    expect(reasonsOf(oauth)).toEqual(['unknown', 'unknown'])
    expect((await codes.find(sha256(presented)))?.consumedAt).toBeNull()
  })

  it('is refused with the same bytes for every reason', async () => {
    const { issueCode, token } = await start()
    const { form } = await issueCode(desktop)
    const texts = new Set<string>()
    for (const wrong of [
      { ...form, code: 'rubbish' },
      { ...form, code: `mar_oc_${'A'.repeat(43)}` },
      { ...form, code_verifier: pkcePair().codeVerifier },
      form,
    ])
      texts.add((await token(wrong)).text)
    expect([...texts]).toHaveLength(1)
  })

  it('brings no token for an API that was not granted, nor for two at once', async () => {
    const { issueCode, token } = await start()
    const { form } = await issueCode(desktop)
    const errorFor = async (resource: string | readonly string[]) =>
      (await token({ ...form, resource })).json['error']
    expect(await errorFor(search)).toBe('invalid_target')
    expect(await errorFor('https://evil.example/')).toBe('invalid_target')
    expect(await errorFor(['chat', search])).toBe('invalid_target')
    // Asked with the right verifier by the right client: no guess, so the code is not burnt.
    expect((await token(form)).status).toBe(200)
  })

  it('says nothing about its API to who has not proven to be its client', async () => {
    const { issueCode, token } = await start()
    const { form } = await issueCode(desktop)
    const guessed = { ...form, resource: search, code_verifier: pkcePair().codeVerifier }
    expect((await token(guessed)).json).toEqual(invalidGrant)
  })

  it('of a client that has a secret is nothing without it, and is not burnt', async () => {
    const { issueCode, token } = await start()
    const { form } = await issueCode(wiki)
    expect((await token({ ...form, client_id: 'wiki' })).status).toBe(401)
    const disabled = await start({ clients: [{ ...desktop, disabled: true }] })
    expect((await disabled.token((await disabled.issueCode(desktop)).form)).status).toBe(401)
    expect((await token(form, asWiki)).status).toBe(200)
  })
})

describe.each(sharedKinds)('a code, over $name,', ({ isThere, open }) => {
  it.skipIf(!isThere)('opens one session for 50 exchanges at once, of its client', async () => {
    const { codes, sessions } = (await open())()
    const { issueCode, token, session } = await start({ stores: { codes, sessions } })
    const { record, form } = await issueCode(wiki)
    const answers = await Promise.all(Array.from({ length: 50 }, () => token(form, asWiki)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const { clientId, issuedBySessionId: parentId } = record
    const opened = await session(record.opensSessionId)
    expect(opened).toMatchObject({ kind: 'oauth', clientId, parentId, endedAt: null })
  })
})

describe('a refresh token', () => {
  it('of a public client has one successor, however many show it at once', async () => {
    const { openApp, refresh, host } = await start()
    const { refreshToken } = await openApp(desktop)
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => refresh(refreshToken, { client_id: 'desktop' })),
    )
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    expect(new Set(answers.map(({ json }) => json['refresh_token']))).toHaveProperty('size', 1)
    expect(host.events.filter(({ type }) => type === 'refresh.succeeded')).toHaveLength(1)
  })

  it('of a client with a secret stays the same, however many show it at once', async () => {
    const { openApp, refresh } = await start()
    const { refreshToken } = await openApp(wiki, asWiki)
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => refresh(refreshToken, {}, asWiki)),
    )
    expect(answers.map(({ json }) => json['refresh_token'])).toEqual(
      answers.map(() => refreshToken),
    )
  })

  it('of a client with a secret never revives its session', async () => {
    const { openApp, refresh, kit, session } = await start()
    for (let round = 0; round < 20; round += 1) {
      const { refreshToken, sessionId } = await openApp(wiki, asWiki)
      const name = { id: sessionId, userId: 'u-alice' }
      await Promise.all([
        refresh(refreshToken, {}, asWiki),
        kit.sessions.end(name, 'logout', noRequest),
        refresh(refreshToken, {}, asWiki),
      ])
      expect((await session(sessionId))?.endReason).toBe('logout')
      expect((await refresh(refreshToken, {}, asWiki)).json).toEqual(invalidGrant)
    }
  })

  it('that was spent and used since ends its session', async () => {
    const { openApp, refresh, session, clock } = await start()
    const { refreshToken, sessionId } = await openApp(desktop)
    const asked = { client_id: 'desktop' }
    const next = await refresh(refreshToken, asked)
    await refresh(String(next.json['refresh_token']), asked)
    clock.advance(61)
    expect((await refresh(refreshToken, asked)).json).toEqual(invalidGrant)
    expect((await session(sessionId))?.endReason).toBe('refresh-reused')
  })

  it('is nothing to another client, and goes on as before', async () => {
    const { openApp, refresh, session } = await start()
    const { refreshToken, sessionId } = await openApp(desktop)
    expect((await refresh(refreshToken, { client_id: 'phone' })).json).toEqual(invalidGrant)
    expect((await refresh(refreshToken, {}, asWiki)).json).toEqual(invalidGrant)
    expect((await session(sessionId))?.endedAt).toBeNull()
    expect((await refresh(refreshToken, { client_id: 'desktop' })).status).toBe(200)
  })

  it('that was spent is nothing to another client either, which ends no session', async () => {
    const { openApp, refresh, session, clock } = await start()
    const { refreshToken, sessionId } = await openApp(desktop)
    const next = await refresh(refreshToken, { client_id: 'desktop' })
    await refresh(String(next.json['refresh_token']), { client_id: 'desktop' })
    clock.advance(61)
    expect((await refresh(refreshToken, { client_id: 'phone' })).json).toEqual(invalidGrant)
    expect((await session(sessionId))?.endedAt).toBeNull()
  })

  it('of a session of /auth is refused here, and one of an app at /auth/refresh', async () => {
    const { host, openApp, refresh } = await start()
    const pair = await openPair(host)
    expect((await refresh(pair.refresh_token, { client_id: 'desktop' })).json).toEqual(invalidGrant)
    expect((await refresh(pair.refresh_token, {}, asWiki)).json).toEqual(invalidGrant)
    const { refreshToken } = await openApp(desktop)
    const there = await post(host, '/auth/refresh', { refreshToken })
    expect([there.status, there.body]).toEqual([400, invalidGrant])
    // Neither has ended anything.
    const again = await post(host, '/auth/refresh', { refreshToken: pair.refresh_token })
    expect(again.status).toBe(200)
    expect((await refresh(refreshToken, { client_id: 'desktop' })).status).toBe(200)
  })

  it('brings no more than was granted, and is not spent by the attempt', async () => {
    const { openApp, refresh, session } = await start()
    const { refreshToken, sessionId } = await openApp(desktop)
    const before = (await session(sessionId))?.refresh?.hash
    const errorFor = async (more: Record<string, string | readonly string[]>) =>
      (await refresh(refreshToken, { client_id: 'desktop', ...more })).json['error']
    for (const scope of ['*', 'openid *', 'openid  email', ' ', 'toString', 'openid\tprofile'])
      expect(await errorFor({ scope }), scope).toBe('invalid_scope')
    expect(await errorFor({ resource: 'https://evil.example/' })).toBe('invalid_target')
    expect(await errorFor({ resource: [search, 'chat'] })).toBe('invalid_target')
    expect((await session(sessionId))?.refresh?.hash).toBe(before)
    expect((await refresh(refreshToken, { client_id: 'desktop' })).status).toBe(200)
  })

  it('is worth nothing to a client that may not refresh any more, or was disabled', async () => {
    const grants: OAuthClient['grants'] = ['authorization_code']
    const clients = [desktop, phone, wiki]
    const oauth = await start({ clients })
    const { refreshToken } = await oauth.openApp(desktop)
    clients[0] = { ...desktop, grants }
    const asked = { client_id: 'desktop' }
    const refused = await oauth.refresh(refreshToken, asked)
    expect([refused.status, refused.json['error']]).toEqual([400, 'unauthorized_client'])
    clients[0] = { ...desktop, disabled: true }
    expect((await oauth.refresh(refreshToken, asked)).status).toBe(401)
    clients[0] = desktop
    expect((await oauth.refresh(refreshToken, asked)).status).toBe(200)
  })

  it('is worth nothing once its user is disabled, or the host objects', async () => {
    let objection: string | undefined
    const oauth = await start({
      options: { beforeLogin: ({ door }) => (door === 'refresh' ? objection : undefined) },
    })
    const { refreshToken } = await oauth.openApp(wiki, asWiki)
    objection = 'No.'
    expect((await oauth.refresh(refreshToken, {}, asWiki)).json).toEqual(invalidGrant)
    objection = undefined
    oauth.host.users.change('u-alice', { disabled: true })
    expect((await oauth.refresh(refreshToken, {}, asWiki)).json).toEqual(invalidGrant)
    oauth.host.users.change('u-alice', { disabled: false })
    expect((await oauth.refresh(refreshToken, {}, asWiki)).status).toBe(200)
  })
})

describe('what the host says of a user', () => {
  it('never stands in the place of what an ID token says of itself', async () => {
    const forged = {
      iss: 'https://evil.example',
      sub: 'u-bob',
      aud: 'evil',
      exp: 9e9,
      nonce: 'theirs',
      acr: 'phr',
      amr: ['hwk'],
      sid: 'theirs',
      at_hash: 'theirs',
      auth_time: 1,
      iat: 1,
    }
    const { issueCode, token } = await start({ change: { userClaims: async () => forged } })
    const { form } = await issueCode(desktop, { nonce: undefined as never, methods: ['host'] })
    const { json } = await token(form)
    const claims = claimsOf(json['id_token'])
    for (const [name, value] of Object.entries(forged))
      expect(claims[name], name).not.toEqual(value)
    expect(claims).not.toHaveProperty('nonce')
    expect(claims).not.toHaveProperty('amr')
  })
})
