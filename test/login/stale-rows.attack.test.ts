// Hosts whose look-ups by name come from a cache or a replica, or from a database that compares
// loosely.
import { describe, expect, it } from 'vitest'
import type { AuthUser, LoginIdentifier } from '../../src/index.js'
import { afterAttack } from '../support/after-attack.js'
import { post, uncountedHeadersOf } from '../support/client.js'
import { until } from '../support/gated-hasher.js'
import { cheapHasher, password, startHost } from '../support/host.js'

describe('a login by a name whose look-up is older than the user’s row', () => {
  it.each<[string, () => Promise<Partial<AuthUser> | null>]>([
    ['disabled', async () => ({ disabled: true })],
    ['gone', async () => null],
    [
      'given another password',
      async () => ({ passwordHash: await cheapHasher.hash('a new password') }),
    ],
    ['left without a password', async () => ({ passwordHash: null })],
  ])('is refused where the user is %s by now, and leaves no session', async (_name, change) => {
    const host = await startHost()
    const { findById } = host.users
    const now = await change()
    host.users.findById = async (id) => {
      const row = await findById(id)
      return row === null || now === null ? null : { ...row, ...now }
    }
    const answer = await post(host, '/login', { username: 'alice', password })
    expect(answer.status).toBe(401)
    expect(await host.auth.sessions.list('u-alice')).toEqual([])
    host.users.findById = findById
    await afterAttack(host, [answer])
  })

  it('is a login where the row holds another hash of the same password', async () => {
    const host = await startHost()
    const { findById } = host.users
    const passwordHash = await cheapHasher.hash(password)
    host.users.findById = async (id) => ({ ...((await findById(id)) as AuthUser), passwordHash })
    expect((await post(host, '/login', { username: 'alice', password })).status).toBe(200)
  })
})

describe('a user store that compares more loosely than by case', () => {
  const bare = (name: string) => name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().trim()
  async function startLoose(options = {}) {
    const host = await startHost({ options })
    host.users.findByIdentifier = async ({ value }) =>
      [...host.users.rows.values()].find((row) => bare(row.username) === bare(value)) ?? null
    return host
  }

  it('finds nobody by another user name than their own: the same bytes, and one word to the host', async () => {
    const host = await startLoose()
    const [loose, again, nobody] = [
      await post(host, '/login', { username: 'álice', password }),
      await post(host, '/login', { username: 'alicé', password }),
      await post(host, '/login', { username: 'nobody', password }),
    ]
    expect([loose.status, loose.text, uncountedHeadersOf(loose)]).toEqual([
      401,
      nobody.text,
      uncountedHeadersOf(nobody),
    ])
    expect(again.text).toBe(nobody.text)
    const told = host.events.filter(({ type }) => type === 'user.mismatched')
    expect(told).toEqual([expect.objectContaining({ userId: 'u-alice' })])
    expect(host.events.filter(({ type }) => type === 'login.failed')).toEqual(
      Array.from({ length: 3 }, () =>
        expect.objectContaining({ reason: 'unknown-user', userId: null }),
      ),
    )
  })

  it(
    'finds whoever goes by the name, in any case, and by an id or an e-mail address whatever ' +
      'they are called',
    async () => {
      const host = await startLoose()
      for (const name of [{ username: 'ALICE' }, { user: 'álice' }, { email: 'álice' }]) {
        expect((await post(host, '/login', { ...name, password })).status).toBe(200)
      }
      host.users.add({
        id: 'u-w',
        username: 'W\u030AILL',
        passwordHash: (await host.users.findById('u-alice'))?.passwordHash ?? null,
      })
      expect((await post(host, '/login', { username: '\u1E98ill', password })).status).toBe(200)
      expect(host.events.filter(({ type }) => type === 'user.mismatched')).toEqual([])
    },
  )

  it('is left to a host that makes names canonical itself', async () => {
    const host = await startLoose({ canonicalIdentifier: ({ value }: { value: string }) => value })
    expect((await post(host, '/login', { username: 'álice', password })).status).toBe(200)
  })

  it.each(['alice ', ' alice', '\talice', 'alice\u2003', '\ufeffalice'])(
    'is never asked for %j, but for the name without blanks',
    async (value) => {
      const host = await startLoose()
      const asked: string[] = []
      const { findByIdentifier } = host.users
      host.users.findByIdentifier = async (identifier) => {
        asked.push(identifier.value)
        return findByIdentifier(identifier)
      }
      for (const kind of ['username', 'user'])
        expect((await post(host, '/login', { [kind]: value, password })).status).toBe(200)
      await host.auth.unlockLogin({ kind: 'username', value })
      expect(new Set(asked)).toEqual(new Set(['alice']))
    },
  )
})

describe('a user store that keeps names as they were typed', () => {
  async function startTyped(options = {}) {
    const host = await startHost({ options })
    host.users.change('u-alice', { username: 'Alice', email: 'Alice@Example.com' })
    const findByAnyCase = ({ kind, value }: LoginIdentifier) =>
      findByIdentifier({ kind, value: kind === 'email' ? value.toLowerCase() : value })
    const { findByIdentifier } = host.users
    const asked: string[] = []
    host.users.findByIdentifier = async (identifier) => {
      const { kind, value } = identifier
      asked.push(value)
      return kind === 'email' && value !== 'Alice@Example.com' ? null : findByAnyCase(identifier)
    }
    return {
      host,
      asked,
      told: () => host.events.filter(({ type }) => type === 'user.unreachable'),
    }
  }

  it.each([{ username: 'Alice' }, { email: 'Alice@Example.com' }])(
    'is told of once, after the answer: %j',
    async (name) => {
      const { host, asked, told } = await startTyped()
      for (let time = 0; time < 3; time += 1) {
        expect((await post(host, '/login', { ...name, password: 'wrong' })).status).toBe(401)
        await until(() => told().length === 1)
        host.clock.advance(61)
      }
      expect(told()).toEqual([expect.objectContaining({ userId: 'u-alice' })])
      expect(asked).toHaveLength(4)
      expect(host.log).toContainEqual(
        expect.objectContaining({ level: 'warn', message: 'user.unreachable' }),
      )
    },
  )

  it('is not asked again more than once a minute, however many names are tried', async () => {
    const { host, asked, told } = await startTyped()
    const again = () => asked.filter((name) => name !== name.toLowerCase())
    for (const username of ['Nobody', 'Nemo', 'alice'])
      await post(host, '/login', { username, password })
    await until(() => again().length === 1)
    host.clock.advance(61)
    await post(host, '/login', { username: 'Niemand', password })
    await until(() => again().length === 2)
    expect(again()).toEqual(['Nobody', 'Niemand'])
    expect(told()).toEqual([])
  })

  it(
    'is not asked at all while the answer waits, nor where the host makes names canonical ' +
      'itself',
    async () => {
      const { host, asked, told } = await startTyped({
        canonicalIdentifier: ({ value }: { value: string }) => value.toLowerCase(),
      })
      expect((await post(host, '/login', { username: 'Alice', password })).status).toBe(401)
      await new Promise((resolve) => setTimeout(resolve, 20))
      expect([asked, told()]).toEqual([['alice'], []])
    },
  )
})
