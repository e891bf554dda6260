// Which ways in an account has, by what it has: every way to a session, row by row.
import { describe, expect, it } from 'vitest'
import { pkcePair } from '../support/client.js'
import { password } from '../support/host.js'
import { namedTokens } from '../support/named-tokens.js'
import { upgrade } from '../support/pairs.js'
import { assertion, type TestPasskey } from './authenticator.js'
import { type PasskeyHost, type PasskeySettings, startPasskeys } from './passkey-host.js'

const alice = { username: 'alice', password }

/** What an account has, and what the host demands of it. */
interface Row {
  readonly what: string
  readonly settings: PasskeySettings
  readonly passkey: boolean
  readonly totp: boolean
  readonly password: boolean
  /** What a password alone is answered. */
  readonly alone: 200 | 'totp-required' | 'Unauthorized'
  /** What may be shown besides it. */
  readonly besides: readonly ('passkey' | 'totp' | 'recovery')[]
}

const required: PasskeySettings = { options: { secondFactor: { policy: () => 'required' } } }
const always: PasskeySettings = { passkeys: { asSecondFactor: 'always' } }
const both = { passkey: true, totp: false, password: true } as const

const rows: readonly Row[] = [
  {
    what: 'a password',
    settings: {},
    passkey: false,
    totp: false,
    password: true,
    alone: 200,
    besides: [],
  },
  {
    what: 'a password that `always` asks nothing more of',
    settings: always,
    passkey: false,
    totp: false,
    password: true,
    alone: 200,
    besides: [],
  },
  {
    what: 'a password and a passkey',
    settings: {},
    ...both,
    alone: 200,
    besides: ['passkey'],
  },
  {
    what: 'a password and a passkey, of a user who must have a factor',
    settings: required,
    ...both,
    alone: 'totp-required',
    besides: ['passkey', 'recovery'],
  },
  {
    what: 'a password and a passkey, with `always`',
    settings: always,
    ...both,
    alone: 'totp-required',
    besides: ['passkey', 'recovery'],
  },
  {
    what: 'a password, TOTP and a passkey',
    settings: {},
    ...both,
    totp: true,
    alone: 'totp-required',
    besides: ['passkey', 'totp'],
  },
  {
    what: 'a password, TOTP and a passkey, with `always`',
    settings: always,
    ...both,
    totp: true,
    alone: 'totp-required',
    besides: ['passkey', 'totp'],
  },
  {
    what: 'a passkey alone',
    settings: {},
    ...both,
    password: false,
    alone: 'Unauthorized',
    besides: [],
  },
]

interface Account {
  readonly host: PasskeyHost
  readonly passkey: TestPasskey | null
  readonly recoveryCodes: string[]
}

async function accountOf(row: Row): Promise<Account> {
  const { passkeys, options } = row.settings
  const host = await startPasskeys({
    ...(passkeys === undefined ? {} : { passkeys }),
    options: { ...options, namedTokens: true },
  })
  const made = row.passkey ? await host.add(await host.logIn()) : null
  if (row.totp) await host.importTotp()
  if (!row.password) host.users.change('u-alice', { passwordHash: null })
  const recoveryCodes = [...(made?.added.data.recoveryCodes ?? [])]
  return { host, passkey: made?.passkey ?? null, recoveryCodes }
}

/** Signs in by a password with something besides it. */
async function besides(
  { host, passkey, recoveryCodes }: Account,
  how: Row['besides'][number],
  more: object = {},
) {
  if (how === 'totp') return host.post('/login', { ...alice, ...more, code: host.totpCode() })
  if (how === 'recovery')
    return host.post('/login', { ...alice, ...more, code: recoveryCodes.pop() })
  // Where it is not asked for, the one for a sign-in without a password will not do.
  const { challenge } = await host.due()
  const response = assertion(passkey as TestPasskey, challenge)
  return host.post('/login', { ...alice, ...more, passkey: response })
}

/** What its sessions say that was shown. */
const sessionMethods = (way: string) => way.replace('totp', 'otp')

/** Every complete sign-in that the row has, as it is answered. */
function signIns(row: Row, account: Account) {
  const { host, passkey } = account
  const refreshable = { tokens: 'refreshable' }
  const ways: [string, () => ReturnType<PasskeyHost['post']>][] = []
  if (row.alone === 200) ways.push(['pwd', () => host.post('/login', { ...alice, ...refreshable })])
  for (const how of row.besides)
    if (row.alone !== 200) ways.push([`pwd ${how}`, () => besides(account, how, refreshable)])
  if (passkey !== null) ways.push(['passkey', () => host.signIn(passkey, {}, refreshable)])
  return ways
}

describe.each(rows)('an account with $what', (row) => {
  it('is open by a password alone, or not', async () => {
    const { host } = await accountOf(row)
    const { status, body } = await host.post('/login', alice)
    expect(status).toBe(row.alone === 200 ? 200 : 401)
    if (row.alone !== 200) expect(body.error).toBe(row.alone)
    const offered = body.details?.['availableMethods'] ?? []
    if (row.alone === 'totp-required')
      expect([...(offered as string[])].sort()).toEqual(
        [...new Set([...row.besides, 'recovery'])].sort(),
      )
  })

  it('is open by every factor there is, and each session does all that a session does', async () => {
    const account = await accountOf(row)
    const { host } = account
    for (const [way, signIn] of signIns(row, account)) {
      // The step of a code before it is used up by then.
      host.clock.advance(31)
      const { status, data } = await signIn()
      expect(status, way).toBe(200)
      const token = data.authToken as string
      const ask = (path: string) => host.ask('GET', path, undefined, token)
      expect((await ask('/me')).status, way).toBe(200)
      const exchanged = await host.post('/auth/pkce/token', await host.codeFor(token))
      expect(exchanged.status, way).toBe(200)
      const made = await host.post(namedTokens, { name: 'Bot' }, token)
      expect(made.status, way).toBe(200)
      const opened = (await host.sessionsOf()).filter(({ createdAt }) => createdAt >= host.clock())
      const methods = opened.map((session) => session.methods.join(' '))
      expect(methods, way).toEqual([sessionMethods(way), sessionMethods(way), sessionMethods(way)])
      const refreshed = await host.post('/auth/refresh', { refreshToken: data.refreshToken })
      expect(refreshed.status, way).toBe(200)
      expect((await ask('/me')).status, way).toBe(200)
    }
  })

  it('is opened by the host on the same terms', async () => {
    const { host, recoveryCodes } = await accountOf(row)
    const { codeChallenge } = pkcePair()
    const open = (code?: string) =>
      host.auth.sessions.open({
        userId: 'u-alice',
        request: upgrade({}),
        ...(code === undefined ? {} : { code }),
      })
    const issue = (code?: string) =>
      host.auth.issueAuthorizationCode({
        userId: 'u-alice',
        codeChallenge,
        ...(code === undefined ? {} : { code }),
      })
    // A host vouches for a first factor, whatever that was.
    if (row.alone !== 'totp-required') {
      expect(await open()).toMatchObject({ userId: 'u-alice' })
      expect(await issue()).toHaveProperty('authorizationCode')
      return
    }
    for (const way of [open, issue]) {
      await expect(way()).rejects.toMatchObject({ code: 'totp-required' })
      await expect(way('000000')).rejects.toMatchObject({ code: 'totp-invalid' })
    }
    const [code, next] = row.totp ? [host.totpCode()] : recoveryCodes
    expect(await open(code)).toMatchObject({ userId: 'u-alice' })
    if (next !== undefined) expect(await issue(next)).toHaveProperty('authorizationCode')
  })
})

describe('an account with a passkey alone', () => {
  it('is a 401 as ever to a password, and keeps its last way in', async () => {
    const { host, passkey } = await accountOf(rows.at(-1) as Row)
    const unknown = await host.post('/login', { username: 'nobody', password })
    const known = await host.post('/login', alice)
    expect(known.body).toEqual(unknown.body)
    const { data } = await host.signIn(passkey as TestPasskey)
    const path = `/auth/passkeys/${passkey?.id}`
    const { status, body } = await host.ask('DELETE', path, undefined, data.authToken)
    expect({ status, error: body.error }).toEqual({ status: 409, error: 'last-sign-in-method' })
    expect((await host.signIn(passkey as TestPasskey)).status).toBe(200)
  })
})

describe('a session that has to set up a factor', () => {
  it('adds a passkey, gets recovery codes, and may do everything from then on', async () => {
    const host = await startPasskeys(required)
    const { data } = await host.post('/login', { ...alice, tokens: 'refreshable' })
    const token = data.authToken as string
    const ask = (path: string) => host.ask('GET', path, undefined, token)
    expect((await ask('/me')).body.error).toBe('second-factor-enrolment-required')
    expect((await ask('/delicate')).body.error).toBe('second-factor-enrolment-required')
    expect((await ask('/auth/passkeys')).status).toBe(200)
    const { added } = await host.add(token)
    expect(added.data.recoveryCodes).toHaveLength(10)
    expect((await ask('/me')).status).toBe(200)
    expect((await ask('/delicate')).status).toBe(200)
    expect((await host.post('/auth/pkce/token', await host.codeFor(token))).status).toBe(200)
    const refreshed = await host.post('/auth/refresh', { refreshToken: data.refreshToken })
    expect(refreshed.status).toBe(200)
  })

  it('that was opened before goes on where the passkey is added by another', async () => {
    const host = await startPasskeys(always)
    const { data } = await host.post('/login', { ...alice, tokens: 'refreshable' })
    await host.add(await host.logIn())
    const refreshed = await host.post('/auth/refresh', { refreshToken: data.refreshToken })
    expect(refreshed.status).toBe(200)
    expect((await host.ask('GET', '/me', undefined, data.authToken)).status).toBe(200)
  })
})

describe('a route that asks for a fresh sign-in', () => {
  it('takes a password, a password with a code, or a passkey, each for its own session', async () => {
    const host = await startPasskeys()
    const [token, other] = [await host.logIn(), await host.logIn()]
    const { passkey } = await host.add(token)
    const delicate = (by: string) =>
      host.ask('GET', '/delicate', undefined, by).then(({ status }) => status)
    const proofs = [
      async () => ({ password }),
      async () => ({ passkey: assertion(passkey, await host.challenge(token)) }),
      async () => ({ password, code: host.totpCode() }),
    ]
    for (const [index, proof] of proofs.entries()) {
      if (index === 2) await host.importTotp()
      const before = await host.sessionsOf()
      host.clock.advance(61)
      expect(await delicate(token)).toBe(403)
      const { status } = await host.post('/auth/reauthenticate', await proof(), token)
      expect(status).toBe(200)
      expect(await delicate(token)).toBe(200)
      expect(await delicate(other)).toBe(403)
      const after = await host.sessionsOf()
      expect(after.map(({ id }) => id).sort()).toEqual(before.map(({ id }) => id).sort())
      const untouched = (rows: typeof after) =>
        rows.filter(({ methods }) => methods.join() === 'pwd').map((one) => one.authenticatedAt)
      expect(untouched(after)).toEqual(untouched(before))
    }
  })
})
