// Whoever wants to be signed in on another's account by a picture, or another on theirs.
import { describe, expect, it } from 'vitest'
import { afterAttack } from '../support/after-attack.js'
import { bearer, get, logIn, obtainCode, pkcePair, post } from '../support/client.js'
import { password, passwordHash, type TestHost, totpSecret } from '../support/host.js'
import { makeToken } from '../support/named-tokens.js'
import { codeOf, noon } from '../support/two-factor.js'
import {
  approved,
  begin,
  checkCodeOn,
  deviceOf,
  phone,
  signedIn,
  startLinks,
  tv,
  wrongCode,
} from './link-host.js'

const mallory = { username: 'mallory', password }
const addMallory = (host: TestHost) =>
  host.users.add({ id: 'u-mallory', username: 'mallory', name: 'Mallory', passwordHash })
const sessionsOf = (host: TestHost, userId = 'u-alice') => host.auth.sessions.list(userId)
const reasonsOf = (host: TestHost) =>
  host.events.flatMap((event) => (event.type === 'device-link.refused' ? [event.reason] : []))
const burst = <T>(work: (i: number) => PromiseLike<T>) =>
  Promise.all(Array.from({ length: 50 }, async (_one, i) => work(i)))
const count = (answers: readonly { status: number }[], status: number) =>
  answers.filter((one) => one.status === status).length

describe("a stranger's picture", () => {
  it('signs nobody in by being scanned: its code is on the screen of the stranger', async () => {
    const host = await startLinks()
    const alice = await signedIn(host)
    const theirs = await begin(host, { name: 'Your phone' })
    const { body } = await alice.open(theirs.link).expect(200)
    // What the victim is shown, to be warned.
    expect(body.data).toMatchObject({ name: 'Your phone', sameNetwork: false })
    for (let i = 0; i < 3; i++) expect((await theirs.ask()).body.error).toBe('opened')
    expect(await sessionsOf(host)).toHaveLength(1)
    host.clock.advance(180)
    expect((await theirs.ask()).body.error).toBe('expired_token')
    await afterAttack(host, await theirs.collect())
  })

  it('is not opened by who holds only its id, and not approved by the stranger', async () => {
    const host = await startLinks()
    addMallory(host)
    const alice = await signedIn(host)
    const stranger = await signedIn(host, mallory)
    const theirs = await begin(host)
    expect((await stranger.open(theirs.linkId)).status).toBe(400)
    await alice.open(theirs.link).expect(200)
    const checkCode = await checkCodeOn(theirs)
    const refused = await stranger.approve(theirs.linkId, checkCode)
    expect(refused.body.error).toBe('proof-refused')
    expect((await stranger.deny(theirs.linkId)).body.error).toBe('proof-refused')
    expect((await theirs.ask()).body.error).toBe('opened')
    await afterAttack(host, refused)
  })
})

describe("the picture of another's device", () => {
  it('tells its device nobody’s name before the right check code was typed', async () => {
    const host = await startLinks()
    const alice = await signedIn(host)
    const device = await begin(host)
    await alice.open(device.link).expect(200)
    const checkCode = await checkCodeOn(device)
    await alice.approve(device.linkId, wrongCode(checkCode)).expect(400)
    await alice.approve(device.linkId, wrongCode(checkCode)).expect(400)
    const refused = await device.collect()
    expect(refused.text.toLowerCase()).not.toContain('alice')
    await alice.deny(device.linkId).expect(200)
    host.clock.advance(5)
    expect((await device.collect()).text.toLowerCase()).not.toContain('alice')
    await afterAttack(host, refused)
  })

  it('belongs to who opens it first, whom the device names before it asks for a session', async () => {
    const host = await startLinks()
    addMallory(host)
    const device = await begin(host)
    const theirs = await signedIn(host, mallory)
    await theirs.open(device.link).expect(200)
    await theirs.approve(device.linkId, await checkCodeOn(device)).expect(200)
    host.clock.advance(2)
    const { linkId, codeVerifier } = device
    const { body } = await post(host, '/auth/device-links/collect', { linkId, codeVerifier })
    expect(body.details.account).toEqual({ name: 'Mallory', username: 'mallory' })
    expect(await host.auth.sessions.list('u-mallory')).toHaveLength(1)
    const refused = await (await signedIn(host)).open(device.link)
    expect(refused.body).toMatchObject({ error: 'proof-refused' })
    expect(reasonsOf(host)).toEqual(['unknown'])
    await afterAttack(host, refused)
  })

  it('is opened for one of two users, however many ask at once', async () => {
    const host = await startLinks()
    addMallory(host)
    const [alice, stranger] = [await signedIn(host), await signedIn(host, mallory)]
    const device = await begin(host)
    const answers = await burst((i) => (i % 2 === 0 ? alice : stranger).open(device.link))
    const whose = answers.map(({ status }, i) => (status === 200 ? i % 2 : null))
    const winners = new Set(whose.filter((one) => one !== null))
    expect(winners.size).toBe(1)
    expect(count(answers, 200)).toBe(25)
    await afterAttack(host, answers)
  })
})

describe('a check code', () => {
  it('may be wrong three times, however many are sent at once; the device is told', async () => {
    const host = await startLinks()
    const alice = await signedIn(host)
    const device = await begin(host)
    await alice.open(device.link).expect(200)
    const checkCode = await checkCodeOn(device)
    const answers = await burst(() => alice.approve(device.linkId, wrongCode(checkCode)))
    expect(count(answers, 400)).toBe(50)
    expect(reasonsOf(host).filter((reason) => reason === 'wrong-check-code')).toHaveLength(3)
    const left = answers.flatMap(({ body }) => body.details?.triesLeft ?? [])
    expect(left.toSorted()).toEqual([0, 1, 2])
    expect((await alice.approve(device.linkId, checkCode)).body.error).toBe('proof-refused')
    expect((await device.ask()).body.error).toBe('access_denied')
    await afterAttack(host, answers)
  })

  it('is another one for another device and another user', async () => {
    const host = await startLinks({
      options: { throttle: { network: { points: 1000, duration: 900 } } },
    })
    const alice = await signedIn(host)
    const codes = new Set<string>()
    for (let i = 0; i < 18; i++) {
      const device = await begin(host)
      await alice.open(device.link).expect(200)
      codes.add(await checkCodeOn(device))
    }
    expect(codes.size).toBeGreaterThan(15)
  })

  it('cannot be tried on many devices: a network may begin twenty', async () => {
    const host = await startLinks()
    const answers = await burst(() =>
      post(host, '/auth/device-links', { codeChallenge: pkcePair().codeChallenge }, tv),
    )
    expect([count(answers, 200), count(answers, 429)]).toEqual([20, 30])
    await begin(host, {}, { 'X-Forwarded-For': '198.51.100.8' })
    host.clock.advance(1)
    await afterAttack(host, answers)
  })
})

describe('a short code', () => {
  it('is guessed five times by a session and ten times from a network', async () => {
    const host = await startLinks({ deviceLinks: { shortCode: true } })
    const device = await begin(host)
    const alice = await signedIn(host)
    const guesses = await burst(() => alice.open('BCDF-GHJK'))
    expect([count(guesses, 400), count(guesses, 429)]).toEqual([5, 45])
    // Another session in the same network has the five that are left to it, and no more.
    const other = await signedIn(host)
    expect(count(await burst(() => other.open('BCDF-GHJK')), 400)).toBe(5)
    const third = await signedIn(host)
    expect((await third.open(device.link)).status).toBe(429)
    const elsewhere = { 'X-Forwarded-For': '192.0.2.1' }
    await (await signedIn(host, undefined, elsewhere)).open(device.link).expect(200)
    await afterAttack(host, guesses)
  })

  it('that is right is no guess', async () => {
    const host = await startLinks({ deviceLinks: { shortCode: true } })
    const alice = await signedIn(host)
    const device = await begin(host)
    for (let i = 0; i < 12; i++) await alice.open(device.link).expect(200)
  })

  it('is no code of eight letters where links have 256 bits, and the other way round', async () => {
    const host = await startLinks()
    const alice = await signedIn(host)
    for (const link of ['BCDF-GHJK', 'mar_dl_', `mar_dl_${'A'.repeat(43)}`])
      expect((await alice.open(link)).body.error).toBe('proof-refused')
    const short = await startLinks({ deviceLinks: { shortCode: true } })
    const { link } = await begin(host)
    expect((await (await signedIn(short)).open(link)).body.error).toBe('proof-refused')
  })
})

describe('a session of a link', () => {
  it('is collected only by who has the verifier; others are told nothing', async () => {
    const host = await startLinks()
    const { device } = await approved(host)
    const { linkId } = device
    host.clock.advance(2)
    const collect = (body: object) => post(host, '/auth/device-links/collect', body, tv)
    const refused = [
      await collect({ linkId, codeVerifier: pkcePair().codeVerifier }),
      await collect({ linkId: 'A'.repeat(43), codeVerifier: device.codeVerifier }),
    ]
    for (const { status, body } of refused)
      expect([status, body.error, body.details]).toEqual([400, 'invalid_grant', undefined])
    expect((await collect({ linkId })).body.error).toBe('invalid-request')
    // Neither has cost the owner a turn.
    expect((await device.collect()).status).toBe(200)
    await afterAttack(host, refused)
  })

  it('is opened once, however many collect it at once', async () => {
    const host = await startLinks()
    const { device } = await approved(host)
    host.clock.advance(2)
    const answers = await burst(() => device.collect())
    expect(count(answers, 200)).toBe(1)
    expect(new Set(answers.map(({ body }) => body.error))).toEqual(
      new Set([undefined, 'slow_down']),
    )
    expect(await sessionsOf(host)).toHaveLength(2)
    await afterAttack(host, answers)
  })

  it('is opened once, however often the link is approved at once', async () => {
    const host = await startLinks()
    const alice = await signedIn(host)
    const device = await begin(host)
    await alice.open(device.link).expect(200)
    const checkCode = await checkCodeOn(device)
    const answers = await burst(() => alice.approve(device.linkId, checkCode))
    expect(count(answers, 200)).toBe(1)
    expect(count(answers, 400)).toBe(49)
    expect((await device.ask()).status).toBe(200)
    expect((await alice.approve(device.linkId, checkCode)).status).toBe(400)
    expect((await alice.deny(device.linkId)).status).toBe(400)
    expect(await sessionsOf(host)).toHaveLength(2)
    await afterAttack(host, answers)
  })

  it('is not opened after a no, nor after three minutes', async () => {
    const host = await startLinks()
    const { device } = await approved(host)
    host.clock.advance(180)
    const late = await device.collect()
    expect(late.body.error).toBe('expired_token')
    const alice = await signedIn(host)
    const denied = await begin(host)
    await alice.open(denied.link).expect(200)
    const checkCode = await checkCodeOn(denied)
    await alice.deny(denied.linkId).expect(200)
    expect((await alice.approve(denied.linkId, checkCode)).status).toBe(400)
    expect((await denied.ask()).body.error).toBe('access_denied')
    await afterAttack(host, late)
  })

  it('is not given again half a minute later: whoever asks then has stolen the verifier', async () => {
    const host = await startLinks()
    const { device } = await approved(host)
    const { body } = await device.ask()
    host.clock.advance(31)
    const late = await device.collect()
    expect(late.body.error).toBe('invalid_grant')
    await get(host, '/me', bearer(body.data.authToken)).expect(401)
    expect(host.events).toContainEqual(
      expect.objectContaining({ type: 'session.ended', reason: 'code-replayed' }),
    )
    await afterAttack(host, late)
  })

  it('is opened by nothing else: its code is told to nobody', async () => {
    const host = await startLinks()
    const { device } = await approved(host)
    const { codeVerifier, linkId, link } = device
    const row = await host.stores.deviceCodes.find(linkId)
    const known = [linkId, link, row?.authorizationCodeHash, codeVerifier]
    for (const one of known)
      for (const authorizationCode of [one, `mar_ac_${one}`, `mar_oc_${one}`]) {
        const answer = await post(host, '/auth/pkce/token', { authorizationCode, codeVerifier })
        expect([answer.status, answer.body.error]).toEqual([400, 'invalid_grant'])
      }
    expect((await device.ask()).status).toBe(200)
  })
})

describe('a device is signed in by no session', () => {
  it('whose sign-in is older than ten minutes, unless the password is shown', async () => {
    const host = await startLinks()
    const alice = await signedIn(host)
    host.clock.advance(601)
    const device = await begin(host)
    await alice.open(device.link).expect(200)
    const checkCode = await checkCodeOn(device)
    const stale = await alice.approve(device.linkId, checkCode)
    expect([stale.status, stale.body.error]).toEqual([403, 'reauthentication-required'])
    expect(stale.body.details).toEqual({ maxAge: 600 })
    expect((await device.ask()).body.error).toBe('opened')
    await alice.approve(device.linkId, checkCode, { password }).expect(200)
    await afterAttack(host, stale)
  })

  it('whose sign-in is older than a day: it is not even opened', async () => {
    const host = await startLinks()
    const alice = await signedIn(host)
    host.clock.advance(24 * 60 * 60 - 100)
    const device = await begin(host)
    await alice.open(device.link).expect(200)
    const checkCode = await checkCodeOn(device)
    host.clock.advance(120)
    const stale = await alice.open(device.link)
    expect([stale.status, stale.body.error]).toEqual([403, 'reauthentication-required'])
    await alice.approve(device.linkId, checkCode, { password }).expect(200)
    await afterAttack(host, stale)
  })

  it('of a bot, or of a limited scope', async () => {
    const host = await startLinks({ options: { namedTokens: true } })
    const { authToken } = await logIn(host)
    const device = await begin(host)
    const { token: bot } = await makeToken(host, authToken)
    const { codeVerifier, codeChallenge } = pkcePair()
    const { authorizationCode } = await host.auth.issueAuthorizationCode({
      userId: 'u-alice',
      codeChallenge,
      scope: ['rooms:read'],
    })
    const { body } = await post(host, '/auth/pkce/token', { authorizationCode, codeVerifier })
    for (const token of [bot, body.access_token as string]) {
      const theirs = deviceOf(host, token)
      const refused = [
        await theirs.open(device.link),
        await theirs.approve(device.linkId, '1234'),
        await theirs.deny(device.linkId),
      ]
      expect(refused.map(({ status }) => status)).toEqual([403, 403, 403])
      await afterAttack(host, refused)
    }
  })

  it('that ends with another one: the device would outlive both', async () => {
    const host = await startLinks({ options: { pkce: { endWithIssuer: true } } })
    const { authToken } = await logIn(host)
    const { body } = await post(host, '/auth/pkce/token', await obtainCode(host, authToken))
    const device = await begin(host)
    const refused = await deviceOf(host, body.access_token).open(device.link)
    expect(refused.status).toBe(403)
    await deviceOf(host, authToken).open(device.link).expect(200)
    await afterAttack(host, refused)
  })

  it('that has ended since it opened the link, or since it approved it', async () => {
    const host = await startLinks()
    const [first, second] = [await signedIn(host), await signedIn(host)]
    const device = await begin(host)
    await first.open(device.link).expect(200)
    const checkCode = await checkCodeOn(device)
    await post(host, '/logout', undefined, first.headers).expect(200)
    const ended = await first.approve(device.linkId, checkCode)
    expect(ended.status).toBe(401)
    await second.approve(device.linkId, checkCode).expect(200)
    await post(host, '/logout', undefined, second.headers).expect(200)
    const refused = await device.ask()
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_grant'])
    expect(await sessionsOf(host)).toHaveLength(0)
    await afterAttack(host, ended)
  })
})

describe('what changes meanwhile', () => {
  it('keeps a disabled user out, whichever step is next', async () => {
    const host = await startLinks()
    const { device } = await approved(host)
    const alice = await signedIn(host)
    const other = await begin(host)
    await alice.open(other.link).expect(200)
    const checkCode = await checkCodeOn(other)
    host.users.change('u-alice', { disabled: true })
    const refused = await alice.approve(other.linkId, checkCode)
    expect(refused.status).toBe(401)
    expect((await device.ask()).body.error).toBe('invalid_grant')
    host.users.change('u-alice', { disabled: false })
    expect((await device.ask()).status).toBe(400)
    await afterAttack(host, refused)
  })

  it('demands a factor that the user has, at the approval', async () => {
    const host = await startLinks({ now: noon })
    await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
    const code = () => codeOf(host, totpSecret)
    const alice = await signedIn(host, { username: 'alice', password, code: code() })
    const device = await begin(host)
    await alice.open(device.link).expect(200)
    const checkCode = await checkCodeOn(device)
    const refused = [
      await alice.approve(device.linkId, checkCode),
      await alice.approve(device.linkId, checkCode, { password }),
      await alice.approve(device.linkId, checkCode, { password: 'wrong', code: code() }),
    ]
    expect(refused.map(({ status, body }) => [status, body.error])).toEqual([
      [403, 'reauthentication-required'],
      [401, 'totp-required'],
      [401, 'Unauthorized'],
    ])
    host.clock.advance(30)
    await alice.approve(device.linkId, checkCode, { password, code: code() }).expect(200)
    const { body } = await device.ask()
    await get(host, '/me', bearer(body.data.authToken)).expect(200)
    await afterAttack(host, refused)
  })

  it('voids an approval by a factor that the user has changed since', async () => {
    const host = await startLinks()
    const { device } = await approved(host)
    await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
    const refused = await device.ask()
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_grant'])
    expect(await sessionsOf(host)).toHaveLength(0)
  })

  it('voids an approval by a session whose password has changed since', async () => {
    const host = await startLinks({ options: { watchPasswordHash: true } })
    const { device } = await approved(host)
    host.users.change('u-alice', { passwordHash: passwordHash.replace('$2b$', '$2a$') })
    expect((await device.ask()).body.error).toBe('invalid_grant')
  })

  it('lets nobody approve who must have a factor and has none', async () => {
    let policy: 'optional' | 'required' = 'optional'
    const host = await startLinks({ options: { secondFactor: () => policy } })
    const alice = await signedIn(host)
    const device = await begin(host)
    await alice.open(device.link).expect(200)
    const checkCode = await checkCodeOn(device)
    policy = 'required'
    host.clock.advance(6)
    const refused = await alice.approve(device.linkId, checkCode)
    expect(refused.body.error).toBe('second-factor-enrolment-required')
    await afterAttack(host, refused)
  })

  it('is judged by beforeLogin, which knows the door', async () => {
    const doors: string[] = []
    const host = await startLinks({
      options: {
        beforeLogin: ({ door }) => {
          doors.push(door)
          return door === 'device-link' ? 'No devices here.' : undefined
        },
      },
    })
    const alice = await signedIn(host)
    const device = await begin(host)
    await alice.open(device.link).expect(200)
    const refused = await alice.approve(device.linkId, await checkCodeOn(device))
    expect([refused.status, refused.body.message]).toEqual([403, 'No devices here.'])
    expect(doors).toEqual(['login', 'device-link'])
    expect(reasonsOf(host)).toEqual(['vetoed'])
    expect((await device.ask()).body.error).toBe('opened')
    await afterAttack(host, refused)
  })
})

describe('the rows of links', () => {
  it('are as many as the networks may begin, and are purged when they are over', async () => {
    const host = await startLinks()
    for (let network = 0; network < 5; network++) {
      const headers = { 'X-Forwarded-For': `198.51.100.${network}` }
      for (let i = 0; i < 4; i++)
        await Promise.all(Array.from({ length: 10 }, () => knock(host, headers)))
    }
    expect(await host.stores.deviceCodes.purge(host.clock())).toBe(0)
    host.clock.advance(180)
    // And the one by which the router asks whether the store keeps all of a row.
    expect(await host.stores.deviceCodes.purge(host.clock())).toBe(101)
  })

  it('cost one statement for a device that waits', async () => {
    const host = await startLinks()
    const device = await begin(host)
    const calls: string[] = []
    for (const [store, methods] of Object.entries(host.stores))
      for (const [name, method] of Object.entries(methods as object))
        if (typeof method === 'function')
          Object.assign(methods as object, {
            [name]: (...given: unknown[]) => {
              calls.push(`${store}.${name}`)
              return method.apply(methods, given)
            },
          })
    expect((await device.ask()).body.error).toBe('authorization_pending')
    expect(calls).toEqual(['deviceCodes.poll'])
    calls.length = 0
    await (await signedIn(host, undefined, phone)).open(device.link).expect(200)
    calls.length = 0
    expect((await device.ask()).body.error).toBe('opened')
    expect(calls).toEqual(['deviceCodes.poll'])
  })

  it('hold no secret in clear', async () => {
    const host = await startLinks({ deviceLinks: { shortCode: true } })
    const device = await begin(host)
    const row = JSON.stringify(await host.stores.deviceCodes.find(device.linkId))
    for (const secret of [device.link, device.link.replace('-', ''), device.codeVerifier])
      expect(row).not.toContain(secret)
  })
})

const knock = (host: TestHost, headers: Record<string, string>) =>
  post(host, '/auth/device-links', { codeChallenge: pkcePair().codeChallenge }, headers)
