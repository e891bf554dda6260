// The networks of people whom the host finds by no name until their directory has named them: at a
// first sign-in, and at one by an address that stands in the directory alone.
import { describe, expect, it } from 'vitest'
import type { AuthRouterOptions, DirectoriesOptions } from '../../src/index.js'
import type { LimiterSettings } from '../../src/throttle/counter.js'
import { afterAttack } from '../support/after-attack.js'
import { post } from '../support/client.js'
import { behindProxy, from } from '../support/guessing.js'
import { memoryLimiter } from '../support/memory-limiter.js'
import { accountsOptions } from '../support/mounted-accounts.js'
import { type DirectoryHost, rightPassword, startDirectories } from './directory-host.js'

const home = '203.0.113.7'
const away = '198.51.100.9'
const adasAddress = 'ada.lovelace@corp.example'
const oneGuessElsewhere = { unknownNetworks: { points: 1, duration: 86_400 } }

interface Settings {
  readonly options?: Partial<AuthRouterOptions>
  readonly directories?: Partial<DirectoriesOptions>
}

/** With grace and eve, who are no users yet; the host does not know the address of ada. */
async function start({ options, directories }: Settings = {}): Promise<DirectoryHost> {
  const host = await startDirectories({
    ...behindProxy,
    directories: { unknown: 'create', guesses: 50, ...directories },
    options: { throttle: oneGuessElsewhere, ...options },
  })
  const add = (username: string, email: string) =>
    host.directory.add({ username, subject: `guid-${username}`, email, password: rightPassword })
  add('ada', adasAddress)
  add('grace', 'grace@corp.example')
  add('eve', 'eve@corp.example')
  return host
}

const right = async (host: DirectoryHost, name: object, ip: string) =>
  (await post(host, '/login', { ...name, password: rightPassword }, from(ip))).status
const guess = async (host: DirectoryHost, name: object, ip: string) =>
  (await post(host, '/login', { ...name, password: 'wrong' }, from(ip))).status

const firsts = [
  ['whom the sign-in has made a user', { username: 'grace' }, { username: 'grace' }],
  ['who has typed an address of the directory', { email: adasAddress }, { username: 'ada' }],
] as const

describe('the network of somebody', () => {
  it.each(firsts)('%s is known from then on, and no other', async (_who, typed, name) => {
    const host = await start()
    expect(await right(host, typed, home)).toBe(200)
    expect(await guess(host, name, away)).toBe(401)
    expect(await right(host, name, away)).toBe(429)
    expect(await right(host, name, home)).toBe(200)
  })

  it.each(firsts)('%s is known to no name that nobody has', async (_who, typed) => {
    const host = await start()
    expect(await right(host, typed, home)).toBe(200)
    const nobody = { username: 'nobody' }
    expect(await guess(host, nobody, away)).toBe(401)
    expect(await guess(host, nobody, home)).toBe(429)
    await afterAttack(host, [])
  })

  it('is new to nobody at a first sign-in, whoever has come before', async () => {
    const host = await start({ options: accountsOptions([], { notices: ['new-network'] }) })
    expect(await right(host, { username: 'grace' }, home)).toBe(200)
    expect(await right(host, { username: 'eve' }, away)).toBe(200)
    expect(await right(host, { email: adasAddress }, '192.0.2.4')).toBe(200)
    expect(host.events.map(({ type }) => type)).not.toContain('login.new-network')
    expect(await right(host, { email: adasAddress }, away)).toBe(200)
    expect(host.events).toContainEqual(
      expect.objectContaining({ type: 'login.new-network', userId: 'u-ada' }),
    )
  })

  it('keeps the last guess at an address that the host does not know, too', async () => {
    const host = await start({ directories: { guesses: 3 }, options: { throttle: {} } })
    const typed = { email: adasAddress }
    expect(await right(host, typed, home)).toBe(200)
    expect(await guess(host, typed, away)).toBe(401)
    expect(await guess(host, typed, away)).toBe(401)
    expect(await right(host, typed, away)).toBe(429)
    expect(await right(host, typed, home)).toBe(200)
  })

  it('is charged with the refusals of an address, instead of all networks', async () => {
    const host = await start()
    expect(await right(host, { username: 'ada' }, home)).toBe(200)
    host.users.change('u-ada', { disabled: true })
    const typed = { email: adasAddress }
    expect(await right(host, typed, home)).toBe(401)
    expect(await right(host, typed, home)).toBe(401)
  })
})

describe('a first sign-in', () => {
  it.each(firsts)('of somebody %s leaves no wrong password counted', async (_who, typed) => {
    const counters: ReturnType<typeof memoryLimiter>[] = []
    const keys = new Set<string>()
    const limiter = (settings: LimiterSettings) => {
      const made = memoryLimiter(settings)
      if (settings.keyPrefix !== 'mar-account') return made
      counters.push(made)
      const consume = made.consume.bind(made)
      made.consume = (key, ...rest) => consume(keys.add(String(key)) && key, ...rest)
      return made
    }
    const host = await start({ options: { throttle: { limiter } } })
    expect(await right(host, typed, home)).toBe(200)
    const counts = await Promise.all(
      counters.flatMap((one) => [...keys].map((key) => one.get(key))),
    )
    expect(counts.length).toBeGreaterThan(0)
    expect(counts.map((one) => one?.consumedPoints ?? 0)).toEqual(counts.map(() => 0))
  })
})
