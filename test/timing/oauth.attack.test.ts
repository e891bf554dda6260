import { describe, it } from 'vitest'
import { type Ask, expectSameTime } from './measure.js'
import {
  about,
  accessTokenOf,
  asClient,
  endedSession,
  type OAuthHost,
  openSession,
  startTimedOAuth,
  text,
  unknownRefreshToken,
} from './oauth-host.js'

type Make = (on: OAuthHost) => Promise<string>
type Pair = [promise: string, one: Make, other: Make]

const unknown: Make = async () => unknownRefreshToken
const past = () => new Date(Date.now() - 60_000)

/** Refresh tokens: nothing of them can be read, so their state is a secret whole. */
const refreshTokens: Pair[] = [
  [
    'is of another client, or of nobody',
    unknown,
    async (on) => (await openSession(on, { clientId: 'others' })).refreshToken,
  ],
  [
    'is of another client whose session has ended, or lives',
    async (on) => (await endedSession(on, { clientId: 'others' })).refreshToken,
    async (on) => (await openSession(on, { clientId: 'others' })).refreshToken,
  ],
  [
    'is of a session that was ended, or of nobody',
    unknown,
    async (on) => (await endedSession(on)).refreshToken,
  ],
  [
    'is of a session that is over by its time, or of nobody',
    unknown,
    async (on) => (await openSession(on, { idleExpiresAt: past() })).refreshToken,
  ],
  [
    'is of a login and not of an app, or of nobody',
    unknown,
    async (on) => (await openSession(on, { kind: 'pkce' })).refreshToken,
  ],
  [
    'was invented for a session that lives, or for none',
    unknown,
    async (on) =>
      `${(await openSession(on)).refreshToken.slice(0, 'mar_rt_'.length + 22)}.${text(65)}`,
  ],
]

const ended: Make = async (on) => accessTokenOf((await endedSession(on)).session)

/**
 * Access tokens: for which API they are and until when, their holder can read. Whether their
 * session lives is a secret, whatever else is wrong with them.
 */
const accessTokens: Pair[] = [
  [
    'is of a session that was ended, or never was',
    async (on) => accessTokenOf((await openSession(on)).session, { sid: text(22) }),
    ended,
  ],
  [
    'is for another API, and its session lives',
    async (on) => accessTokenOf((await endedSession(on)).session, { aud: 'https://wiki.example/' }),
    async (on) => accessTokenOf((await openSession(on)).session, { aud: 'https://wiki.example/' }),
  ],
  [
    'is of another user than its session, which lives',
    ended,
    async (on) =>
      accessTokenOf({
        ...(await openSession(on, { clientId: 'others' })).session,
        userId: 'u-clara',
      }),
  ],
]

const expired: Pair = [
  'has expired, and its session lives',
  async (on) => accessTokenOf((await endedSession(on)).session, { lifetime: -200 }),
  async (on) => accessTokenOf((await openSession(on)).session, { lifetime: -200 }),
]
// Of one's own, an expired token ends the session: that is what it is for.
const expiredOfOthers: Pair = [
  'of another client has expired, and its session lives',
  async (on) =>
    accessTokenOf((await endedSession(on, { clientId: 'others' })).session, { lifetime: -200 }),
  async (on) =>
    accessTokenOf((await openSession(on, { clientId: 'others' })).session, { lifetime: -200 }),
]

describe('nobody learns by the clock of an introspection', () => {
  it.each([
    ...refreshTokens.map(([promise, ...pair]) => [`a refresh token ${promise}`, ...pair] as Pair),
    ...[...accessTokens, expired].map(
      ([promise, ...pair]) => [`an access token ${promise}`, ...pair] as Pair,
    ),
  ])('whether %s', async (promise, one, other) => {
    await expectSameAbout('introspect', promise, one, other)
  })
})

describe('nobody learns by the clock of a revocation', () => {
  it.each([
    ...refreshTokens.map(([promise, ...pair]) => [`a refresh token ${promise}`, ...pair] as Pair),
    ...[...accessTokens, expiredOfOthers].map(
      ([promise, ...pair]) => [`an access token ${promise}`, ...pair] as Pair,
    ),
  ])('whether %s', async (promise, one, other) => {
    await expectSameAbout('revoke', promise, one, other)
  })
})

async function expectSameAbout(
  endpoint: 'introspect' | 'revoke',
  promise: string,
  one: Make,
  other: Make,
): Promise<void> {
  const on = await startTimedOAuth()
  await expectSameTime({
    name: `${endpoint}: whether ${promise}`,
    url: on.host.url,
    one: about(endpoint, await one(on)),
    other: about(endpoint, await other(on)),
    hashes: false,
    status: 200,
  })
}

const grant = { grant_type: 'authorization_code', code: `mar_ac_${text(43)}` }
const asForm = (id: string, secret?: string): Ask => ({
  path: '/oauth/token',
  body: asClient(id, grant, secret),
})
const byHeader = (id: string, secret: string): Ask => ({
  path: '/oauth/token',
  headers: { Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` },
  body: new URLSearchParams(grant),
})
const wrong = `mar_cs_${text(43)}`

describe('nobody learns by the clock of a refused client', () => {
  it.each<[promise: string, one: Ask, other: Ask]>([
    ['whether there is one', asForm('nobody', wrong), asForm('search', wrong)],
    ['whether there is one, by a header', byHeader('nobody', wrong), byHeader('search', wrong)],
    ['whether it is disabled', asForm('search', wrong), asForm('fallen', wrong)],
    ['whether a disabled one has this secret', asForm('fallen', wrong), asForm('fallen')],
  ])('%s', async (promise, one, other) => {
    const { host } = await startTimedOAuth()
    const pair = { one, other, hashes: false, status: 401 }
    await expectSameTime({ name: `a client: ${promise}`, url: host.url, ...pair })
  })
})
