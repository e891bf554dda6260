// Every way in against everything that must be true of each of them: a rule that one door forgets
// is the commonest hole of sign-ins.
import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { AuthRouterOptions, Mail } from '../../src/index.js'
import { rocketChat } from '../../src/rocketchat/rocketchat.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { totpCode } from '../../src/testing/testing.js'
import { approved } from '../device-links/link-host.js'
import {
  begin,
  comeBack,
  connected,
  finish,
  type ProviderHost,
  startProviders,
} from '../provider-sign-in/provider-host.js'
import { type Answered, afterAttack, expectCommon } from '../support/after-attack.js'
import { bearer, get, logIn, obtainCode, pkcePair, post, remove } from '../support/client.js'
import { password, passwordHash, startHost, type TestHost, totpSecret } from '../support/host.js'
import { memoryDirectory } from '../support/memory-directory.js'
import { accountsOptions } from '../support/mounted-accounts.js'
import { deviceLinksOptions } from '../support/mounted-device-links.js'
import { makeToken } from '../support/named-tokens.js'
import { ownPage, send, signInByPage, startPages } from '../support/pages.js'
import {
  confirmation,
  disabling,
  enrolled,
  pendingOf,
  regeneration,
  totp,
} from '../support/two-factor.js'

/** An upgrade that brings a ticket. */
const upgradeWith = (ticket: string) =>
  ({
    headers: { host: 'x', 'sec-websocket-protocol': `auth.ticket, ${ticket}` },
    rawHeaders: [],
    socket: { remoteAddress: '127.0.0.1' },
  }) as unknown as IncomingMessage

/** A request that the host's own code hands on. */
const fromHost = upgradeWith('none')

const buyTicket = async (host: TestHost, token: string) =>
  (await post(host, '/auth/socket-ticket', undefined, bearer(token))).body.data.ticket as string

/** A host that has switched on all that lets somebody in. */
async function startWithEveryDoor(options: Partial<AuthRouterOptions> = {}) {
  const mails: Mail[] = []
  const host = await startProviders({
    start: startPages,
    options: { namedTokens: true, ...accountsOptions(mails), ...deviceLinksOptions(), ...options },
    before: (app, auth) => void app.use('/rocket', rocketChat(auth)),
  })
  host.users.change('u-alice', { emailVerified: true, phone: number, phoneVerified: true })
  await connected(host)
  return { ...host, mails }
}

const number = '+4917012345678'

/** What a sign-in by a code sends that went to an address or a number. */
async function codeSentTo(
  host: Awaited<ReturnType<typeof startWithEveryDoor>>,
  to: string,
  name: object,
) {
  const { body } = await post(host, '/auth/code', name)
  // Besides notices.
  const sent = () => host.mails.find((mail) => mail.kind === 'sign-in-code' && mail.to === to)
  await expect.poll(sent).toBeDefined()
  return { requestId: body.data.requestId, code: sent()?.code }
}

const mailedCode = (host: Awaited<ReturnType<typeof startWithEveryDoor>>) =>
  codeSentTo(host, 'alice@example.com', { username: 'alice' })

const textedCode = (host: Awaited<ReturnType<typeof startWithEveryDoor>>) =>
  codeSentTo(host, number, { phone: number })

/** What a sign-in by a provider sends. */
async function vouchedFor(host: ProviderHost) {
  const begun = await begin(host)
  return { ticket: (await comeBack(begun)).ticket, codeVerifier: begun.codeVerifier }
}

/** What the doors of pages, of Rocket.Chat's clients and of named tokens answer to a password. */
async function knockElsewhere(host: TestHost): Promise<unknown[]> {
  const credentials = { username: 'alice', password }
  const answers = [
    await send(host, 'POST', '/sign-in', ownPage, credentials),
    await send(host, 'POST', '/open', ownPage, { userId: 'u-alice' }),
    await send(host, 'POST', '/rocket/login', {}, { user: 'alice', password }),
  ]
  for (const { headers } of answers) expect(headers['set-cookie']).toBeUndefined()
  const byHost = await host.auth.namedTokens.create({ userId: 'u-alice', name: 'bot' }).then(
    () => 'made',
    ({ code }: { code: string }) => code,
  )
  return [...answers.map(({ status, body }) => [status, body.error]), byHost]
}

/** Everything a user can hold. */
async function holdings(host: TestHost) {
  const { authToken } = await logIn(host)
  const first = await obtainCode(host, authToken)
  const { refresh_token: refreshToken } = (await post(host, '/auth/pkce/token', first)).body as {
    refresh_token: string
  }
  return {
    authToken,
    refreshToken,
    code: await obtainCode(host, authToken),
    ticket: await buyTicket(host, authToken),
  }
}

/** A host whose user can be shut out, and what shuts the user out. */
type Shut = readonly [
  how: string,
  /** The answer to a mailed code. */
  byCode: number,
  start: () => Promise<readonly [WithEveryDoor, () => Promise<unknown>]>,
]
type WithEveryDoor = Awaited<ReturnType<typeof startWithEveryDoor>>

const shut: readonly Shut[] = [
  [
    'was disabled',
    400,
    async () => {
      const host = await startWithEveryDoor()
      return [host, async () => host.users.change('u-alice', { disabled: true })]
    },
  ],
  [
    'has left the directory that has the password',
    401,
    async () => {
      const directory = memoryDirectory()
      const host = await startWithEveryDoor({
        directories: { list: [directory], guesses: 50 },
      })
      const { subject } = directory.add({ username: 'alice', password })
      await host.auth.identities.connect({ userId: 'u-alice', directory: 'corp', subject })
      const leave = async () => {
        directory.disable('alice')
        await host.auth.directories.look()
      }
      return [host, leave]
    },
  ],
]

describe.each(shut)('a user who %s', (_how, byCode, start) => {
  it(
    'comes in by no door, whatever was obtained before: one policy for all (CVE-2026-30831, ' +
      'CVE-2026-9798)',
    async () => {
      const [host, leave] = await start()
      const { authToken, refreshToken, code, ticket } = await holdings(host)
      const { token: bot } = await makeToken(host, authToken)
      const { Cookie } = await signInByPage(host)
      const mailed = await mailedCode(host)
      const texted = await textedCode(host)
      const vouched = await vouchedFor(host)
      const { device } = await approved(host)
      await leave()
      host.clock.advance(5)
      expect((await send(host, 'GET', '/page', { Cookie })).status).toBe(401)
      expect(await knockElsewhere(host)).toEqual([
        [401, 'Unauthorized'],
        [401, 'Unauthorized'],
        [401, 'Unauthorized'],
        'Unauthorized',
      ])
      const refused: [number, Answered][] = [
        [401, await post(host, '/login', { username: 'alice', password })],
        [401, await get(host, '/me', bearer(authToken))],
        [401, await get(host, '/me', bearer(bot))],
        [
          401,
          await post(
            host,
            '/auth/pkce/authorize',
            { codeChallenge: pkcePair().codeChallenge },
            bearer(authToken),
          ),
        ],
        [401, await post(host, '/auth/socket-ticket', undefined, bearer(authToken))],
        [400, await post(host, '/auth/pkce/token', code)],
        [400, await post(host, '/auth/refresh', { refreshToken })],
        [byCode, await post(host, '/auth/code/login', mailed)],
        [byCode, await post(host, '/auth/code/login', texted)],
        [400, await device.collect()],
        [401, await finish(host, vouched)],
      ]
      expect(refused.map(([, { status }]) => status)).toEqual(refused.map(([status]) => status))
      const { codeChallenge } = pkcePair()
      for (const door of [
        () => host.auth.issueAuthorizationCode({ userId: 'u-alice', codeChallenge }),
        () => host.auth.signIn(fromHost, { username: 'alice', password }),
        () => host.auth.sessions.open({ userId: 'u-alice', request: fromHost }),
        () => host.auth.authenticateToken(authToken),
      ])
        await expect(door()).rejects.toMatchObject({ status: 401 })
      await expect(host.auth.sockets.authenticate(upgradeWith(ticket))).rejects.toMatchObject({
        status: 401,
      })
      await afterAttack(
        host,
        refused.map(([, answer]) => answer),
      )
    },
  )
})

describe('a user who has a second factor', () => {
  it(
    'comes in by no door with the password alone, nor with what was obtained before ' +
      '(CVE-2026-30831, CVE-2023-28316)',
    async () => {
      const host = await startWithEveryDoor()
      const { authToken, refreshToken, code, ticket } = await holdings(host)
      const { device } = await approved(host)
      host.clock.advance(2)
      await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
      expect(await knockElsewhere(host)).toEqual([
        [401, 'totp-required'],
        [401, 'totp-required'],
        [401, 'totp-required'],
        'totp-required',
      ])
      const refused: [number, Answered][] = [
        [401, await post(host, '/login', { username: 'alice', password })],
        [401, await post(host, '/login', { email: 'alice@example.com', password })],
        [401, await post(host, '/login', { user: 'u-alice', password })],
        [401, await get(host, '/me', bearer(authToken))],
        [400, await post(host, '/auth/pkce/token', code)],
        [400, await post(host, '/auth/refresh', { refreshToken })],
        [401, await post(host, '/auth/code/login', await mailedCode(host))],
        [401, await post(host, '/auth/code/login', await textedCode(host))],
        [400, await device.collect()],
        [401, await finish(host, await vouchedFor(host))],
      ]
      expect(refused.map(([, { status }]) => status)).toEqual(refused.map(([status]) => status))
      const { codeChallenge } = pkcePair()
      const withoutCode = () =>
        host.auth.issueAuthorizationCode({ userId: 'u-alice', codeChallenge })
      for (const door of [
        withoutCode,
        () => host.auth.signIn(fromHost, { username: 'alice', password }),
        () => host.auth.sessions.open({ userId: 'u-alice', request: fromHost }),
        () => host.auth.sessions.open({ userId: 'u-alice', request: fromHost, methods: ['mfa'] }),
      ])
        await expect(door()).rejects.toMatchObject({ code: 'totp-required' })
      await expect(host.auth.authenticateToken(authToken)).rejects.toMatchObject({ status: 401 })
      await expect(host.auth.sockets.authenticate(upgradeWith(ticket))).rejects.toMatchObject({
        status: 401,
      })
      expect(await host.stores.sessions.listForUser('u-alice', host.clock())).toEqual([])
      await afterAttack(
        host,
        refused.map(([, answer]) => answer),
      )
    },
  )
})

describe('a value of one kind', () => {
  it(
    'is nothing at the doors of the others, and is not used up there (CVE-2026-4282, ' +
      'CVE-2026-82469, CVE-2025-12421)',
    async () => {
      const { host, token: authToken, recoveryCodes } = await enrolled()
      const recoveryCode = recoveryCodes[0] as string
      const first = await obtainCode(host, authToken)
      const { refresh_token: refreshToken } = (await post(host, '/auth/pkce/token', first)).body
      const code = await obtainCode(host, authToken)
      const { authorizationCode, codeVerifier } = code
      const values = {
        authToken,
        refreshToken,
        authorizationCode,
        recoveryCode,
        ticket: await buyTicket(host, authToken),
      }

      const doors: Record<string, (value: string) => PromiseLike<{ status: number }>> = {
        authToken: (value) => get(host, '/me', bearer(value)),
        'authToken, of a queue': (value) =>
          host.auth.authenticateToken(value).then(
            () => ({ status: 200 }),
            (error) => error,
          ),
        'authToken, the other form': (value) =>
          get(host, '/me', { 'X-User-Id': 'u-alice', 'X-Auth-Token': value }),
        authorizationCode: (value) =>
          post(host, '/auth/pkce/token', { authorizationCode: value, codeVerifier }),
        refreshToken: (value) => post(host, '/auth/refresh', { refreshToken: value }),
        recoveryCode: (value) => post(host, '/login', { username: 'alice', password, code: value }),
        ticket: (value) =>
          host.auth.sockets.authenticate(upgradeWith(value)).then(
            () => ({ status: 101 }),
            (error) => error,
          ),
      }
      for (const [door, open] of Object.entries(doors)) {
        for (const [kind, value] of Object.entries(values)) {
          if (door.startsWith(kind)) continue
          expect([kind, door, (await open(value)).status]).toEqual([
            kind,
            door,
            expect.toBeOneOf([400, 401]),
          ])
        }
      }
      expect((await host.auth.sockets.authenticate(upgradeWith(values.ticket))).userId).toBe(
        'u-alice',
      )
      const answers = [
        await get(host, '/me', bearer(authToken)),
        await post(host, '/auth/pkce/token', code),
        await post(host, '/auth/refresh', { refreshToken }),
        await post(host, '/login', { username: 'alice', password, code: recoveryCode }),
      ]
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      await afterAttack(host, answers, Object.values(values))
    },
  )

  it('is never taken from a URL at the doors of tokens: they are POST alone (CVE-2026-82469)', async () => {
    const host = await startHost()
    const { authToken, refreshToken, code } = await holdings(host)
    const query = new URLSearchParams({
      refreshToken,
      refresh_token: refreshToken,
      access_token: authToken,
      ...code,
    }).toString()
    const answers = [
      await get(host, `/auth/refresh?${query}`),
      await get(host, `/auth/pkce/token?${query}`),
      await post(host, `/auth/refresh?${query}`, {}),
      await post(host, `/auth/pkce/token?${query}`, {}),
    ]
    expect(answers.map(({ status }) => status)).toEqual([405, 405, 400, 400])
    expect((await post(host, '/auth/pkce/token', code)).status).toBe(200)
    await afterAttack(host, answers, [refreshToken])
  })
})

/** Remembers what a store was asked. */
function watched<Store extends object>(store: Store, asked: unknown[]): Store {
  const watch = (method: unknown) =>
    typeof method !== 'function'
      ? method
      : (...given: unknown[]) => {
          asked.push(...given)
          return method.apply(store, given)
        }
  return Object.fromEntries(
    Object.entries(store).map(([name, method]) => [name, watch(method)]),
  ) as Store
}

describe('a query operator', () => {
  const operators: unknown[] = [
    { $gt: '' },
    { $ne: null },
    { $regex: '.*' },
    [{ $gt: '' }],
    ['alice'],
    { toString: 'alice' },
    7,
    true,
    null,
  ]
  const bodies: [string, Record<string, unknown>, boolean][] = [
    ['/login', { username: 'alice', password, tokens: 'session' }, false],
    ['/login', { email: 'alice@example.com', password, code: '123456' }, false],
    ['/login', { user: 'alice', password }, false],
    [
      '/auth/pkce/authorize',
      { codeChallenge: pkcePair().codeChallenge, codeChallengeMethod: 'S256' },
      true,
    ],
    [
      '/auth/pkce/token',
      { authorizationCode: `mar_ac_${'A'.repeat(43)}`, codeVerifier: 'v'.repeat(43) },
      false,
    ],
    ['/auth/refresh', { refreshToken: `mar_rt_${'A'.repeat(22)}.${'A'.repeat(65)}` }, false],
    ['/auth/code', { email: 'alice@example.com' }, false],
    ['/auth/code/login', { requestId: 'r', code: '1', secondFactor: '123456' }, false],
    [totp, { password }, true],
    [confirmation, { code: '123456' }, true],
    [disabling, { password, code: '123456' }, true],
    [regeneration, { password, code: '123456' }, true],
  ]

  async function startWatched() {
    const asked: unknown[] = []
    const { codes, sessions, secondFactors, tickets } = memoryStores()
    const stores = { codes: watched(codes, asked), sessions: watched(sessions, asked) }
    const host = await startHost({
      options: {
        ...stores,
        secondFactors: watched(secondFactors, asked),
        tickets: watched(tickets, asked),
        ...accountsOptions(),
      },
    })
    const { findById, findByIdentifier } = host.users
    Object.assign(host.users, watched({ findById, findByIdentifier }, asked))
    return { host, asked }
  }

  it(
    'in any field of any body reaches no store (CVE-2026-45689, CVE-2026-29198, CVE-2026-30833, ' +
      'CVE-2021-22911)',
    async () => {
      const { host, asked } = await startWatched()
      const { authToken } = await logIn(host)
      for (const [path, body, signedIn] of bodies) {
        for (const [field, operator] of Object.keys(body).flatMap((name) =>
          operators.map((one) => [name, one] as const),
        )) {
          const answer = await post(
            host,
            path,
            { ...body, [field]: operator },
            signedIn ? bearer(authToken) : {},
          )
          expect([path, field, operator, answer.status]).toEqual([path, field, operator, 400])
          expectCommon(answer)
        }
      }
      expect(JSON.stringify(asked)).not.toMatch(/\$(gt|ne|regex)/)
      await afterAttack(host, [])
    },
  )

  it('in a header, a path or a query ends nothing and finds nobody', async () => {
    const { host, asked } = await startWatched()
    const { authToken } = await logIn(host)
    const operator = '{"$ne":null}'
    const answers = [
      await get(host, '/me', { 'X-User-Id': operator, 'X-Auth-Token': authToken }),
      await get(host, '/me', { 'X-User-Id': 'u-alice', 'X-Auth-Token': operator }),
      await remove(host, `/auth/sessions/${encodeURIComponent(operator)}`, bearer(authToken)),
      await remove(host, '/auth/sessions/x?id[$ne]=null', bearer(authToken)),
    ]
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 404, 404])
    expect(
      asked.filter((given) => typeof given === 'object' && given !== null && '$ne' in given),
    ).toEqual([])
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
    await afterAttack(host, answers)
  })
})

describe('a token that was given for a part of the account', () => {
  it(
    'manages nothing of the account: sessions, factors, and no token of its own grows ' +
      '(CVE-2026-16045)',
    async () => {
      const host = await startHost()
      const pair = pkcePair()
      const { authorizationCode } = await host.auth.issueAuthorizationCode({
        userId: 'u-alice',
        codeChallenge: pair.codeChallenge,
        scope: ['rooms:read'],
      })
      const tokens = (
        await post(host, '/auth/pkce/token', { authorizationCode, codeVerifier: pair.codeVerifier })
      ).body
      const token = bearer(tokens.access_token)
      const victim = (await logIn(host)).authToken
      const answers = [
        await get(host, '/auth/sessions', token),
        await remove(host, '/auth/sessions', token),
        await remove(host, '/auth/sessions/x', token),
        await post(host, '/auth/pkce/authorize', { codeChallenge: pair.codeChallenge }, token),
        await get(host, totp, token),
        await post(host, totp, { password }, token),
        await post(host, confirmation, { code: '123456' }, token),
        await post(host, disabling, { password, code: '123456' }, token),
        await post(host, regeneration, { password, code: '123456' }, token),
      ]
      for (const { status, body } of answers)
        expect([status, body.error]).toEqual([403, 'forbidden'])

      const refreshed = (
        await post(host, '/auth/refresh', { refreshToken: tokens.refresh_token, scope: '*' })
      ).body.access_token
      expect((await get(host, '/auth/sessions', bearer(refreshed))).status).toBe(403)
      expect((await get(host, '/me', bearer(victim))).status).toBe(200)
      await afterAttack(host, answers)
    },
  )
})

describe('somebody else’s id in a body', () => {
  it(
    'is nobody’s identity at any endpoint: what happens, happens to whoever asks ' +
      '(CVE-2025-61928)',
    async () => {
      const host = await startHost()
      host.users.add({ id: 'u-bob', username: 'bob', passwordHash })
      const bob = bearer((await logIn(host, { username: 'bob', password })).authToken)
      const alice = (await logIn(host)).authToken
      const [{ id: sessionId } = { id: '' }] = await host.stores.sessions.listForUser(
        'u-alice',
        host.clock(),
      )
      const claim = {
        userId: 'u-alice',
        _id: 'u-alice',
        id: 'u-alice',
        user_id: 'u-alice',
        sub: 'u-alice',
        sid: sessionId,
        sessionId,
      }

      const pair = pkcePair()
      const issued = await post(
        host,
        '/auth/pkce/authorize',
        { ...claim, codeChallenge: pair.codeChallenge },
        bob,
      )
      const { authorizationCode } = issued.body.data
      const redeemed = await post(host, '/auth/pkce/token', {
        ...claim,
        authorizationCode,
        codeVerifier: pair.codeVerifier,
      })
      expect((await get(host, '/me', bearer(redeemed.body.access_token))).body).toMatchObject({
        _id: 'u-bob',
      })
      const refreshed = await post(host, '/auth/refresh', {
        ...claim,
        refreshToken: redeemed.body.refresh_token,
      })
      expect((await get(host, '/me', bearer(refreshed.body.access_token))).body).toMatchObject({
        _id: 'u-bob',
      })
      await post(host, totp, { ...claim, password }, bob)
      expect(await pendingOf(host, alice)).toBeNull()
      await post(host, '/logout', claim, bob)
      expect((await get(host, '/me', bearer(alice))).status).toBe(200)
      await afterAttack(host, [issued, redeemed, refreshed])
    },
  )

  it(
    'does not confirm what another has begun: a grant that waits is its owner’s ' +
      '(CVE-2026-45337)',
    async () => {
      const host = await startHost()
      host.users.add({ id: 'u-bob', username: 'bob', passwordHash })
      const bob = bearer((await logIn(host, { username: 'bob', password })).authToken)
      const alice = bearer((await logIn(host)).authToken)
      const { secret } = (await post(host, totp, { password }, alice)).body.data
      const code = totpCode(secret, host.clock())
      const stolen = await post(host, confirmation, { code, userId: 'u-alice' }, bob)
      expect([stolen.status, stolen.body.error]).toEqual([409, 'totp-not-enabled'])
      expect((await post(host, confirmation, { code }, alice)).status).toBe(200)
      await afterAttack(host, stolen, [secret])
    },
  )
})
