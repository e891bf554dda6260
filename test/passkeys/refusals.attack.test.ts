// What a refusal tells: the same, for whichever reason, but for a passkey that is not known here.
import { describe, expect, it } from 'vitest'
import { assertion, type Deviations, newPasskey, type TestPasskey } from './authenticator.js'
import { type PasskeyHost, startPasskeys } from './passkey-host.js'

type Shown = (host: PasskeyHost, passkey: TestPasskey) => Promise<object>

const by =
  (given: Deviations): Shown =>
  async (host, passkey) =>
    assertion(passkey, await host.challenge(), given)

const refused: readonly (readonly [what: string, reason: string, shown: Shown])[] = [
  ['a signature by another key', 'not-verified', by({ signedBy: newPasskey() })],
  ['another site', 'wrong-rp-id', by({ rpId: 'evil.example' })],
  ['another origin', 'wrong-origin', by({ clientData: { origin: 'https://evil.example' } })],
  ['a frame', 'cross-origin', by({ clientData: { crossOrigin: true } })],
  ['another type', 'wrong-type', by({ clientData: { type: 'webauthn.create' } })],
  ['client data that is none', 'malformed', by({ clientDataText: '[]' })],
  ['nobody there', 'user-not-present', by({ flags: { up: false } })],
  ['nobody verified', 'user-not-verified', by({ flags: { uv: false } })],
  ['a handle of another user', 'wrong-user-handle', by({ userHandle: 'b2Z-Ym9i' })],
  ['no handle', 'wrong-user-handle', by({ userHandle: null })],
  ['a device of another kind', 'changed-backup-eligibility', by({ flags: { be: true, bs: true } })],
  ['a counter of a copy', 'suspected-clone', by({ counter: 1 })],
  ['no challenge', 'unknown-challenge', async (_host, passkey) => assertion(passkey, 'AAAA')],
  [
    'a challenge for something else',
    'unknown-challenge',
    async (host, passkey) => assertion(passkey, await host.challenge(await host.logIn())),
  ],
  [
    'a challenge that is old',
    'unknown-challenge',
    async (host, passkey) => {
      const response = assertion(passkey, await host.challenge())
      host.clock.advance(300)
      return response
    },
  ],
  [
    'a challenge that was used',
    'used-challenge',
    async (host, passkey) => {
      const response = assertion(passkey, await host.challenge(), { counter: 9 })
      expect((await host.post('/auth/passkey/login', { response })).status).toBe(200)
      return response
    },
  ],
]

/** Alice with a passkey on one device, whose counter stands at 7. */
async function start() {
  const host = await startPasskeys()
  const isOneDevice = { flags: { be: false, bs: false }, counter: 7 }
  const { passkey } = await host.add(await host.logIn(), newPasskey(isOneDevice))
  passkey.counter = 8
  return { host, passkey }
}

const told = { status: 'error', error: 'Unauthorized', details: { wrong: 'passkey' } }

describe('a refused sign-in by a passkey', () => {
  it.each(refused)('says nothing of %s', async (_what, reason, shown) => {
    const { host, passkey } = await start()
    const response = await shown(host, passkey)
    const { status, body } = await host.post('/auth/passkey/login', { response })
    expect(host.reasons()).toEqual([reason])
    expect(status).toBe(401)
    expect(JSON.stringify(body)).toBe(JSON.stringify(await plain(host, passkey)))
  })

  it('names a passkey that is not known here, so that pickers can drop it', async () => {
    const { host, passkey } = await start()
    const unknown = { ...newPasskey(), userHandle: passkey.userHandle }
    const { status, body } = await host.signIn(unknown)
    const { details, ...rest } = body
    expect({ status, details }).toEqual({
      status: 401,
      details: { ...told.details, signal: 'unknown-credential' },
    })
    expect({ ...rest, details: told.details }).toEqual(await plain(host, passkey))
  })

  it('says the same of one that was removed', async () => {
    const { host, passkey } = await start()
    const removed = await host.auth.passkeys.reset('u-alice')
    expect(removed).toBe(1)
    const unknown = (await host.signIn(newPasskey())).body
    expect((await host.signIn(passkey)).body).toEqual(unknown)
  })
})

/** What is answered to a signature that is wrong. */
async function plain(host: PasskeyHost, passkey: TestPasskey) {
  return (await host.signIn(passkey, { signedBy: newPasskey() })).body
}

describe('the options of a sign-in', () => {
  it('are of one length and one shape, whoever asks and whatever is said', async () => {
    const { host } = await start()
    const bodies = [{}, { username: 'alice' }, { username: 'nobody' }, { userId: 'u-alice' }]
    const answers = await Promise.all(
      bodies.map((body) => host.post('/auth/passkey/options', body)),
    )
    const shapes = answers.map(({ status, data, headers }) => [
      status,
      headers['content-length'],
      JSON.stringify({ ...data, challenge: String(data.challenge).replaceAll(/[\w-]/g, '.') }),
    ])
    expect(new Set(shapes.map(String)).size).toBe(1)
    expect(new Set(answers.map(({ data }) => data.challenge)).size).toBe(bodies.length)
  })
})
