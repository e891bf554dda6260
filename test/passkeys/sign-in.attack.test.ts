// Each fault of an authenticator, a browser or a thief, one at a time: the same sign-in without it
// is let in, so that nothing but the fault can be the reason.
import { describe, expect, it, vi } from 'vitest'
import { assertion, creation, type Deviations, newPasskey, origin } from './authenticator.js'
import { type PasskeyHost, startPasskeys } from './passkey-host.js'

/** One with a passkey of alice's that is on one device, and what signs in with it. */
async function withPasskey(flags: Parameters<typeof newPasskey>[0] = {}) {
  const host = await startPasskeys()
  const { passkey } = await host.add(await host.logIn(), newPasskey(flags))
  return { host, passkey }
}

async function expectRefused(
  host: PasskeyHost,
  answer: Awaited<ReturnType<PasskeyHost['signIn']>>,
) {
  expect({ status: answer.status, body: answer.body }).toMatchObject({
    status: 401,
    body: { error: 'Unauthorized', details: { wrong: 'passkey' } },
  })
  expect(await host.sessionsOf()).toHaveLength(1)
}

const faults: readonly (readonly [what: string, given: Deviations, reason: string])[] = [
  ['made for another origin', { clientData: { origin: 'https://evil.example' } }, 'wrong-origin'],
  [
    'made for a longer origin',
    { clientData: { origin: `${origin}.evil.example` } },
    'wrong-origin',
  ],
  [
    'made for an origin in capitals',
    { clientData: { origin: origin.toUpperCase() } },
    'wrong-origin',
  ],
  ['made for an origin in a list', { clientData: { origin: [origin] } }, 'wrong-origin'],
  ['made in a frame of another site', { clientData: { crossOrigin: true } }, 'cross-origin'],
  [
    'made in a frame whose site is named',
    { clientData: { crossOrigin: true, topOrigin: 'https://evil.example' } },
    'cross-origin',
  ],
  ['that says which page is on top', { clientData: { topOrigin: origin } }, 'cross-origin'],
  ['made in a frame, as a text', { clientData: { crossOrigin: 'false' } }, 'cross-origin'],
  ['signed as a new passkey', { clientData: { type: 'webauthn.create' } }, 'wrong-type'],
  ['signed for a payment', { clientData: { type: 'payment.get' } }, 'wrong-type'],
  ['for another site', { rpId: 'evil.example' }, 'wrong-rp-id'],
  ['for the site above', { rpId: 'example.com' }, 'wrong-rp-id'],
  ['that nobody has touched', { flags: { up: false } }, 'user-not-present'],
  ['of a found key: nobody was verified', { flags: { uv: false } }, 'user-not-verified'],
  ['that says that it is of another user', { userHandle: 'b2Z-Ym9i' }, 'wrong-user-handle'],
  ['that does not say whose it is', { userHandle: null }, 'wrong-user-handle'],
  ['that says so with nothing', { userHandle: '' }, 'wrong-user-handle'],
  [
    'that may be synced no longer',
    { flags: { be: false, bs: false } },
    'changed-backup-eligibility',
  ],
  [
    'that is backed up, and cannot be',
    { flags: { be: false, bs: true } },
    'impossible-backup-state',
  ],
  ['with bytes behind what is signed', { behind: Buffer.from([0]) }, 'not-verified'],
  ['with client data that is no JSON', { clientDataText: '{"type":' }, 'malformed'],
  [
    'with client data that is no UTF-8',
    { clientDataText: Buffer.from([0x22, 0xff, 0x22]) },
    'malformed',
  ],
  ['with client data that is null', { clientDataText: 'null' }, 'malformed'],
  ['with no challenge', { clientData: { challenge: undefined } }, 'malformed'],
  ['with a challenge of the thief’s', { clientData: { challenge: 'AAAA' } }, 'unknown-challenge'],
]

describe('a passkey is refused', () => {
  it.each(faults)('%s', async (_what, given, reason) => {
    const { host, passkey } = await withPasskey()
    await expectRefused(host, await host.signIn(passkey, given))
    expect(host.reasons()).toEqual([reason])
    expect((await host.signIn(passkey)).status).toBe(200)
  })

  it('whose bit has changed since it was made: one device, and now several', async () => {
    const { host, passkey } = await withPasskey({ flags: { be: false, bs: false } })
    await expectRefused(host, await host.signIn(passkey, { flags: { be: true } }))
    expect(host.reasons()).toEqual(['changed-backup-eligibility'])
  })

  it('signed by a key that is not the passkey’s', async () => {
    const { host, passkey } = await withPasskey()
    await expectRefused(host, await host.signIn(passkey, { signedBy: newPasskey() }))
    expect(host.reasons()).toEqual(['not-verified'])
    // A counter that a stranger sends must not be kept.
    await host.signIn(passkey, { signedBy: newPasskey(), counter: 4_000_000_000 })
    expect((await host.store.find(passkey.id))?.counter).toBe(0)
  })

  it('whose signature, client data or data is exchanged for that of another use', async () => {
    const { host, passkey } = await withPasskey()
    const other = assertion(passkey, await host.challenge(), { counter: 1 })
    for (const part of ['signature', 'clientDataJSON', 'authenticatorData'] as const) {
      const own = assertion(passkey, await host.challenge())
      const response = { ...own, response: { ...own.response, [part]: other.response[part] } }
      await expectRefused(host, await host.post('/auth/passkey/login', { response }))
    }
    expect(host.reasons()).toEqual(Array(3).fill('not-verified'))
  })

  it('that nobody has, and the client is told to forget it', async () => {
    const { host } = await withPasskey()
    const answer = await host.signIn(newPasskey())
    await expectRefused(host, answer)
    expect(answer.body.details).toMatchObject({ signal: 'unknown-credential' })
    const known = await host.signIn({
      ...newPasskey(),
      id: (await host.store.listForUser('u-alice'))[0]?.credentialId as string,
    })
    expect(known.body.details).not.toHaveProperty('signal')
  })

  it('where the user is disabled, or gone, or the host objects', async () => {
    const { host, passkey } = await withPasskey()
    host.users.change('u-alice', { disabled: true })
    expect((await host.signIn(passkey)).status).toBe(401)
    host.users.rows.delete('u-alice')
    expect((await host.signIn(passkey)).status).toBe(401)
    expect(host.reasons()).toEqual(['disabled', 'unknown-user'])
    const strict = await startPasskeys({
      options: { beforeLogin: ({ door }) => (door === 'passkey' ? 'Not here.' : undefined) },
    })
    const added = await strict.add(await strict.logIn())
    expect(await strict.signIn(added.passkey)).toMatchObject({
      status: 403,
      body: { error: 'forbidden', message: 'Not here.' },
    })
    expect(strict.reasons()).toEqual(['vetoed'])
  })
})

describe('a challenge', () => {
  it('is good for five minutes', async () => {
    const { host, passkey } = await withPasskey()
    const challenge = await host.challenge()
    const late = await host.challenge()
    host.clock.advance(299)
    const login = (one: string) =>
      host.post('/auth/passkey/login', { response: assertion(passkey, one) })
    expect((await login(challenge)).status).toBe(200)
    host.clock.advance(1)
    await host.sessionsOf()
    expect((await login(late)).status).toBe(401)
    expect(host.reasons()).toEqual(['unknown-challenge'])
  })

  it('signs in once, of fifty at a time', async () => {
    const { host, passkey } = await withPasskey()
    const response = assertion(passkey, await host.challenge())
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => host.post('/auth/passkey/login', { response })),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(new Set(statuses)).toEqual(new Set([200, 401, 429]))
    expect(await host.sessionsOf()).toHaveLength(2)
    // Nor later, nor with a new signature.
    expect((await host.post('/auth/passkey/login', { response })).status).not.toBe(200)
    const challenge = JSON.parse(
      Buffer.from(response.response.clientDataJSON, 'base64url').toString(),
    ).challenge as string
    const again = { response: assertion(passkey, challenge) }
    expect((await host.post('/auth/passkey/login', again)).status).not.toBe(200)
  })

  it('is used up by whoever has the private key alone: forged uses write nothing', async () => {
    const { host, passkey } = await withPasskey({ flags: { be: false, bs: false }, counter: 5 })
    const claims = vi.spyOn(host.once, 'claim')
    const login = (response: object) => host.post('/auth/passkey/login', { response })
    const challenge = await host.challenge()
    const forged: readonly Deviations[] = [
      ...Array.from({ length: 12 }, () => ({ signedBy: newPasskey(), counter: 9 })),
      { flags: { uv: false } },
      { clientData: { origin: 'https://evil.example' } },
    ]
    for (const given of forged)
      expect((await login(assertion(passkey, challenge, given))).data.authToken).toBeUndefined()
    expect(claims).not.toHaveBeenCalled()
    // A copy has the key: its challenge is used up though it is refused.
    const copied = await host.challenge()
    expect((await login(assertion(passkey, copied, { counter: 1 }))).status).toBe(429)
    expect((await login(assertion(passkey, copied, { counter: 6 }))).status).toBe(429)
    expect(host.reasons().slice(-2)).toEqual(['suspected-clone', 'used-challenge'])
    expect(claims).toHaveBeenCalledTimes(2)
  })

  it('of a new passkey is not used up by what is none', async () => {
    const host = await startPasskeys()
    const token = await host.logIn()
    const claims = vi.spyOn(host.once, 'claim')
    const { data } = await host.post('/auth/passkeys/options', {}, token)
    const challenge = data.challenge as string
    const made = (given: Deviations) =>
      host.post('/auth/passkeys', { response: creation(newPasskey(), challenge, given) }, token)
    for (const given of [{ flags: { uv: false } }, { rpId: 'evil.example' }])
      expect((await made(given)).status).toBe(400)
    expect(claims).not.toHaveBeenCalled()
    const answers = await Promise.all(Array.from({ length: 50 }, () => made({})))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  it('of another purpose, user or session is none', async () => {
    const { host, passkey } = await withPasskey()
    const token = await host.logIn()
    const creating = (await host.post('/auth/passkeys/options', {}, token)).data.challenge as string
    const again = await host.challenge(token)
    const other = await host.logIn()
    await host.importTotp()
    const { challenge: besides } = await host.due()
    for (const challenge of [creating, again, besides]) {
      const response = assertion(passkey, challenge)
      expect((await host.post('/auth/passkey/login', { response })).status).toBe(401)
    }
    for (const [challenge, by] of [
      [await host.challenge(), token],
      [creating, token],
      [again, other],
    ] as const) {
      const passkeyOf = assertion(passkey, challenge)
      const answer = await host.post('/auth/reauthenticate', { passkey: passkeyOf }, by)
      expect(answer.status).toBe(401)
    }
    expect(new Set(host.reasons())).toEqual(new Set(['unknown-challenge']))
    // It was not used up by all that.
    const response = assertion(passkey, again)
    expect((await host.post('/auth/reauthenticate', { passkey: response }, token)).status).toBe(200)
  })

  it('that was sealed by another key, or touched, is none', async () => {
    const { host, passkey } = await withPasskey()
    const foreign = await (
      await startPasskeys({
        options: { encryptionKeys: [Buffer.alloc(32, 'another key').toString('base64')] },
      })
    ).challenge()
    const own = await host.challenge()
    const touched = Buffer.from(own, 'base64url')
    touched[40] = (touched[40] ?? 0) ^ 1
    for (const challenge of [foreign, touched.toString('base64url'), `${own}A`, own.slice(1)]) {
      const response = assertion(passkey, challenge)
      expect((await host.post('/auth/passkey/login', { response })).status).toBe(401)
    }
    expect(new Set(host.reasons())).toEqual(new Set(['unknown-challenge']))
  })
})

describe('a counter', () => {
  it('that goes backwards on one device is that of a copy: refused, noted, and told of', async () => {
    const { host, passkey } = await withPasskey({ flags: { be: false, bs: false }, counter: 1 })
    expect((await host.signIn(passkey, { counter: 5 })).status).toBe(200)
    for (const counter of [5, 4, 0]) {
      const { status } = await host.signIn(passkey, { counter })
      expect(status).toBe(401)
    }
    expect(host.reasons()).toEqual(Array(3).fill('suspected-clone'))
    expect(host.events).toContainEqual(
      expect.objectContaining({
        type: 'passkey.clone-suspected',
        userId: 'u-alice',
        passkeyId: passkey.id,
        name: 'Phone',
      }),
    )
    expect(await host.store.find(passkey.id)).toMatchObject({
      counter: 5,
      suspectedCloneAt: host.clock(),
    })
    // Whoever of the two is ahead is refused like the other, and the other ways in stay.
    for (const counter of [6, 4_000_000_000])
      expect((await host.signIn(passkey, { counter })).status).toBe(401)
    const told = host.typesOf().filter((type) => type === 'passkey.clone-suspected')
    expect(told).toHaveLength(1)
    const token = await host.logIn()
    expect(
      (await host.ask('DELETE', `/auth/passkeys/${passkey.id}`, undefined, token)).status,
    ).toBe(200)
    const { passkey: anew } = await host.add(token)
    expect((await host.signIn(anew)).status).toBe(200)
  })

  it('that is a little behind is that of a use which was overtaken: refused, and not for good', async () => {
    const one = { flags: { be: false, bs: false }, counter: 1 } as const
    const { host, passkey } = await withPasskey(one)
    const status = async (counter: number) => (await host.signIn(passkey, { counter })).status
    expect([await status(6), await status(5), await status(3), await status(7)]).toEqual([
      200, 401, 401, 200,
    ])
    expect(host.reasons()).toEqual(['overtaken', 'overtaken'])
    expect((await host.store.find(passkey.id))?.suspectedCloneAt).toBeNull()
    host.clock.advance(60)
    expect([await status(6), await status(8)]).toEqual([401, 401])
    expect(host.reasons().slice(2)).toEqual(['suspected-clone', 'suspected-clone'])
  })

  it('of a copy that is noted between the look and the use lets nobody in', async () => {
    const host = await startPasskeys({
      store: (store) => ({
        ...store,
        async use(id, from, seen) {
          if (seen.counter === 9) await store.suspectClone(id, seen.lastUsedAt)
          return store.use(id, from, seen)
        },
      }),
    })
    const one = newPasskey({ flags: { be: false, bs: false }, counter: 1 })
    const { passkey } = await host.add(await host.logIn(), one)
    expect((await host.signIn(passkey, { counter: 9 })).status).toBe(401)
    expect(host.reasons()).toEqual(['suspected-clone'])
  })

  it('that goes backwards on a synced passkey passes, and the higher one stays', async () => {
    const { host, passkey } = await withPasskey({ counter: 3 })
    expect((await host.signIn(passkey, { counter: 9 })).status).toBe(200)
    for (const counter of [9, 4, 0])
      expect((await host.signIn(passkey, { counter })).status).toBe(200)
    expect(await host.store.find(passkey.id)).toMatchObject({ counter: 9, suspectedCloneAt: null })
    const regressed = host.typesOf().filter((type) => type === 'passkey.counter-regressed')
    expect(regressed).toHaveLength(3)
  })

  it('lets one of two copies through that show the same one at once', async () => {
    const { host, passkey } = await withPasskey({ flags: { be: false, bs: false }, counter: 1 })
    const responses = await Promise.all(
      Array.from({ length: 50 }, async () =>
        assertion(passkey, await host.challenge(), { counter: 2 }),
      ),
    )
    const answers = await Promise.all(
      responses.map((response) => host.post('/auth/passkey/login', { response })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status >= 500)).toEqual([])
  })

  it('is judged anew where another use was noted meanwhile, and given up at the third', async () => {
    let late = 0
    const host = await startPasskeys({
      store: (store) => ({
        ...store,
        async use(id, from, seen) {
          if (late > 0) {
            late -= 1
            await store.use(id, from, { ...seen, counter: from + 1 })
          }
          return store.use(id, from, seen)
        },
      }),
    })
    const { passkey } = await host.add(await host.logIn(), newPasskey({ counter: 1 }))
    late = 2
    expect((await host.signIn(passkey, { counter: 50 })).status).toBe(200)
    late = 3
    expect(await host.signIn(passkey, { counter: 60 })).toMatchObject({
      status: 503,
      body: { error: 'temporarily-unavailable' },
    })
    expect((await host.signIn(passkey, { counter: 70 })).status).toBe(200)
  })
})

describe('refused passkeys', () => {
  it('are counted by network and by passkey; what is right passes all the same', async () => {
    const { host, passkey } = await withPasskey()
    const wrong = () => host.signIn(passkey, { flags: { uv: false } })
    const statuses = []
    for (let tries = 0; tries < 12; tries += 1) statuses.push((await wrong()).status)
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429])
    expect((await host.signIn(passkey)).status).toBe(200)
    host.clock.advance(1)
    expect(host.events.filter(({ type }) => type === 'login.throttled')).toHaveLength(2)
  })

  it('of passkeys that nobody has are counted by network alone', async () => {
    const host = await startPasskeys({
      options: { throttle: { network: { points: 3, duration: 60 } } },
    })
    const statuses = []
    for (let tries = 0; tries < 5; tries += 1)
      statuses.push((await host.signIn(newPasskey())).status)
    expect(statuses).toEqual([401, 401, 401, 429, 429])
  })
})
