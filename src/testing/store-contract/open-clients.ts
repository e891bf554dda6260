import { randomId } from '../../lib/secrets.js'
import type { ManagedClientStore, OpenClientStore } from '../../stores/client-contract.js'
import { type Moment, newClient } from '../../stores/new-records.js'
import { purgeContract } from './every-store/purge-contract.js'
import { check, isNone, type Part, same, whereOffered } from './harness.js'

const most = 5

const registration = (at: Moment, over = 60) => ({ most, unusedUntil: at(over) })

/** Clients that register themselves, where the store lets them. `purge` needs an own database. */
export function openClients(given: Part<ManagedClientStore & Partial<OpenClientStore>>): void {
  const part = whereOffered(given, 'register') as unknown as Part<OpenClientStore>
  capOfUnused(part)
  usedClients(part)
}

function capOfUnused({ inRounds }: Part<OpenClientStore>): void {
  inRounds('of 20 that register at once, no more are unused than may be', async (clients, at) => {
    await clients.purge(at(10_000))
    const register = () => clients.register(newClient(), registration(at), at(0))
    const outcomes = (await Promise.all(Array.from({ length: 20 }, register))).map(
      ({ outcome }) => outcome,
    )
    const registered = outcomes.filter((outcome) => outcome === 'registered').length
    same(
      registered,
      most,
      `clients.register let ${registered} of 20 callers register, where ${most} may be unused. ` +
        'Make the bound part of the insert, such as a unique place for each unused client.',
    )
    same(
      await register(),
      { outcome: 'full' },
      'clients.register where as many are unused as may be.',
    )
    same(
      await clients.register(newClient(), registration(at, 120), at(60)),
      { outcome: 'registered' },
      'clients.register when the others are over. Those that are over do not count.',
    )
    await clients.purge(at(10_000))
  })
}

function usedClients({ it }: Part<OpenClientStore>): void {
  it('who was used or updated makes room, and is never purged', async (clients, at) => {
    await clients.purge(at(10_000))
    const made = Array.from({ length: most }, () => newClient({ selfRegistered: true }))
    for (const client of made) await clients.register(client, registration(at), at(0))
    const [one, other, third] = made.map(({ id }) => id) as [string, string, string]
    const use = (id: string) => clients.use(id, at(1))
    same(await use(one), { outcome: 'used' }, 'clients.use.')
    same(await use(one), { outcome: 'used' }, 'clients.use once more.')
    same(
      await use(randomId()),
      { outcome: 'unknown' },
      'clients.use of a client that is not there.',
    )
    await clients.update(newClient({ id: other }), at(1))
    const next = () => clients.register(newClient(), registration(at), at(2))
    for (const outcome of ['registered', 'registered', 'full'])
      same(await next(), { outcome }, 'clients.register after two of those unused were used.')
    await clients.purge(at(60))
    const left = 'clients.purge deletes what is unused, and nothing else.'
    check(!isNone(await clients.find(one)) && !isNone(await clients.find(other)), left)
    check(isNone(await clients.find(third)), left)
    same(await use(third), { outcome: 'unknown' }, 'clients.use of a client that was purged.')
  })
}

/** `purge` of unused clients. */
export function unusedPurge(given: Part<ManagedClientStore & Partial<OpenClientStore>>): void {
  const part = whereOffered(given, 'purge') as unknown as Part<OpenClientStore>
  const make = (seconds: number) => () => ({ client: newClient(), seconds })
  purgeContract(part, {
    method: 'clients.purge',
    row: 'client',
    moments: [['an unused one at the moment it is over', 30, make(30)]],
    save: (clients, { client, seconds }, at) =>
      clients.register(client, { most: 1000, unusedUntil: at(seconds) }, at(0)),
    isThere: async (clients, { client }) => !isNone(await clients.find(client.id)),
    isCountable: true,
    living: make(60),
    make: make(30),
    over: 30,
  })
}
