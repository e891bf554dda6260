// An approval is judged in this order: the try is counted, the check code compared, the proof used.
import { describe, expect, it } from 'vitest'
import { assertion } from '../passkeys/authenticator.js'
import { startPasskeys } from '../passkeys/passkey-host.js'
import { afterAttack } from '../support/after-attack.js'
import { pkcePair } from '../support/client.js'
import { tally } from '../support/guessing.js'
import { password, type TestHost, totpSecret } from '../support/host.js'
import { deviceLinksOptions } from '../support/mounted-device-links.js'
import { codeOf, noon } from '../support/two-factor.js'
import { begin, checkCodeOn, signedIn, startLinks, wrongCode } from './link-host.js'

const burst = <T>(work: (i: number) => PromiseLike<T>) =>
  Promise.all(Array.from({ length: 50 }, async (_one, i) => work(i)))
const told = (answers: readonly { status: number; body: { error?: string } }[]) =>
  answers.map(({ status, body }) => [status, body.error])
const mistyped = (host: TestHost) =>
  host.events.filter((one) => 'reason' in one && one.reason === 'wrong-check-code').length

/** A link that alice, who has a second factor, has opened on a device that shows its code. */
async function opened(shown?: object) {
  const host = await startLinks({ now: noon })
  if (shown !== undefined)
    await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
  const code = () => codeOf(host, totpSecret)
  const first = shown === undefined ? undefined : { username: 'alice', password, code: code() }
  const alice = await signedIn(host, first)
  host.clock.advance(30)
  const device = await begin(host)
  await alice.open(device.link).expect(200)
  const checkCode = await checkCodeOn(device)
  const approve = (typed: string, proof?: object) => alice.approve(device.linkId, typed, proof)
  return { host, device, checkCode, approve, code }
}

const withFactor = () => opened({})

describe('a mistyped check code', () => {
  it('does not cost the code of a second factor', async () => {
    const { host, device, checkCode, approve, code } = await withFactor()
    const proof = { password, code: code() }
    const refused = await approve(wrongCode(checkCode), proof)
    expect(refused.body).toMatchObject({ error: 'proof-refused', details: { triesLeft: 2 } })
    await approve(checkCode, proof).expect(200)
    expect((await device.ask()).status).toBe(200)
    await afterAttack(host, refused)
  })

  it('does not cost the challenge of a passkey', async () => {
    const host = await startPasskeys({ options: deviceLinksOptions() })
    const token = await host.logIn()
    const { passkey } = await host.add(token)
    const { codeVerifier, codeChallenge } = pkcePair()
    const { data } = await host.post('/auth/device-links', { codeChallenge })
    const [linkId, qr] = [String(data['linkId']), String(data['qr'])]
    await host.post('/auth/device-links/open', { link: qr.split('#')[1] }, token)
    const collected = await host.post('/auth/device-links/collect', { linkId, codeVerifier })
    const checkCode = String(collected.body.details?.['checkCode'])
    const shown = assertion(passkey, await host.challenge(token))
    const approve = (typed: string) =>
      host.post('/auth/device-links/approve', { linkId, checkCode: typed, passkey: shown }, token)
    expect((await approve(wrongCode(checkCode))).body.error).toBe('proof-refused')
    expect((await approve(checkCode)).status).toBe(200)
  })
})

describe('a wrong proof', () => {
  it('does not make the check code guessable: three are compared, and no fourth', async () => {
    const { host, device, checkCode, approve, code } = await withFactor()
    const wrong = { password: 'wrong', code: '000000' }
    const answers = [
      await approve(wrongCode(checkCode), wrong),
      await approve(checkCode, wrong),
      await approve(checkCode, { password, code: '000000' }),
      await approve(checkCode, { password, code: code() }),
    ]
    expect(told(answers)).toEqual([
      [400, 'proof-refused'],
      [401, 'Unauthorized'],
      [401, 'totp-invalid'],
      [400, 'proof-refused'],
    ])
    expect((await device.ask()).body.error).toBe('opened')
    await afterAttack(host, answers)
  })

  it('leaves three tries of fifty that are sent at once', async () => {
    const { host, checkCode, approve } = await withFactor()
    const guess = (i: number) => (i % 2 === 0 ? wrongCode(checkCode) : checkCode)
    const answers = await burst((i) => approve(guess(i), { password: 'wrong', code: '000000' }))
    const judged = answers.filter(({ status }) => status === 401).length
    expect(judged + mistyped(host)).toBe(3)
    await afterAttack(host, answers)
  })

  it('does not tell a session without the factor which of four digits are right', async () => {
    const { checkCode, approve, code } = await withFactor()
    const answers = await burst((i) => approve(String(i).padStart(4, '0')))
    expect(new Set(told(answers).map(String))).toEqual(new Set(['403,reauthentication-required']))
    // Nor has it cost the owner a try.
    for (let i = 0; i < 2; i++)
      expect((await approve(wrongCode(checkCode), { password })).body.error).toBe('proof-refused')
    await approve(checkCode, { password, code: code() }).expect(200)
  })
})

describe('fifty right approvals at once', () => {
  it.each([
    ['by a fresh sign-in', () => opened(), () => undefined],
    ['with one code', withFactor, (code: () => string) => ({ password, code: code() })],
  ])('%s make one session', async (_how, start, proofOf) => {
    const { host, device, checkCode, approve, code } = await start()
    const proof = proofOf(code)
    const answers = await burst(() => approve(checkCode, proof))
    expect(tally(answers.map(({ status }) => status))).toMatchObject({ 200: 1 })
    expect((await device.ask()).status).toBe(200)
    expect(await host.auth.sessions.list('u-alice')).toHaveLength(2)
    await afterAttack(host, answers)
  })
})

describe('a no', () => {
  it('is a no again where its answer was lost, and one event', async () => {
    const host = await startLinks()
    const alice = await signedIn(host)
    const device = await begin(host)
    await alice.open(device.link).expect(200)
    const answers = await burst(() => alice.deny(device.linkId))
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 50 })
    expect(host.events.filter(({ type }) => type === 'device-link.denied')).toHaveLength(1)
    expect((await device.ask()).body.error).toBe('access_denied')
    host.clock.advance(180)
    await alice.deny(device.linkId).expect(200)
  })

  it('is not that of another account, and none after a yes or without a question', async () => {
    const host = await startLinks()
    const { passwordHash } = (await host.users.findById('u-alice')) ?? {}
    host.users.add({
      id: 'u-mallory',
      username: 'mallory',
      name: 'Mallory',
      passwordHash: passwordHash ?? null,
    })
    const mallory = await signedIn(host, { username: 'mallory', password })
    const alice = await signedIn(host)
    const [denied, approved, unopened] = [await begin(host), await begin(host), await begin(host)]
    for (const { link } of [denied, approved]) await alice.open(link).expect(200)
    await alice.deny(denied.linkId).expect(200)
    await alice.approve(approved.linkId, await checkCodeOn(approved)).expect(200)
    const refused = [
      await mallory.deny(denied.linkId),
      await alice.deny(approved.linkId),
      await alice.deny(unopened.linkId),
      await alice.deny('A'.repeat(43)),
    ]
    for (const { status, body } of refused)
      expect([status, body.error]).toEqual([400, 'proof-refused'])
    expect((await approved.ask()).status).toBe(200)
    await afterAttack(host, refused)
  })
})
