import { randomUUID } from 'node:crypto'
import { createClient } from 'redis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { redisStores } from '../../src/stores/redis/redis-stores.js'
import { at, sessionRecord } from '../support/records.js'
import { redisUrl } from '../support/services.js'

const keys = {
  "the client's index": '{a:wiki}',
  "the user's index": '{u:u-alice}',
  "the parent's index": '{p:page}',
}
const lost = Object.entries(keys)

async function start() {
  const client = createClient({ url: String(redisUrl) })
  await client.connect()
  onTestFinished(() => void client.destroy())
  const prefix = `owners-${randomUUID()}:`
  const { sessions } = redisStores(client, { prefix })
  const owned = { kind: 'oauth', userId: 'u-alice', clientId: 'wiki', parentId: 'page' } as const
  const mine = sessionRecord(owned)
  const others = [
    sessionRecord({ ...owned, clientId: 'desktop', parentId: 'another' }),
    sessionRecord({ userId: 'u-alice' }),
  ]
  for (const session of [mine, ...others]) await sessions.create(session)
  const endings = {
    'its client': () => sessions.endAllForClient?.('wiki', {}, 'client-disabled', at(2)),
    'its user at the client': () =>
      sessions.endAllForClient?.('wiki', { userId: 'u-alice' }, 'client-disabled', at(2)),
    'its parent': () => sessions.endChildren?.('page', 'client-disabled', at(2)),
  }
  const lose = async (key: string) => expect(await client.del(prefix + key)).toBe(1)
  const next = () => sessionRecord().refresh ?? { hash: '', familyKey: '', spent: [] }
  const rotated = ({ id, refresh }: typeof mine) => {
    const seen = { lastSeenAt: at(3), idleExpiresAt: at(603), ip: null }
    return sessions.rotateRefresh(id, refresh?.hash ?? '', { ...seen, refresh: next() }, at(3))
  }
  return { client, prefix, sessions, owned, mine, others, endings, lose, rotated }
}

type Endings = Awaited<ReturnType<typeof start>>['endings']
const ways: (keyof Endings)[] = ['its client', 'its user at the client', 'its parent']
const cases = ways.flatMap((way) => lost.map(([name, key]) => [way, name, key] as const))

describe.skipIf(redisUrl === null)('a session that is ended with others, on Redis', () => {
  it.each(cases)('by %s, where %s was lost before: opens nothing', async (way, _name, key) => {
    const { sessions, mine, others, endings, lose, rotated } = await start()
    await lose(key)
    await endings[way]()
    expect(await sessions.find(mine.id)).toMatchObject({
      endedAt: at(2),
      endReason: 'client-disabled',
    })
    expect(await rotated(mine)).toEqual({ outcome: 'ended' })
    const ids = [mine, ...others].map(({ id }) => id)
    expect((await sessions.liveAmong(ids, at(3))).sort()).toEqual(others.map(({ id }) => id).sort())
    expect((await sessions.listForUser('u-alice', at(3))).map(({ id }) => id)).not.toContain(
      mine.id,
    )
    for (const other of others) expect((await sessions.find(other.id))?.endedAt).toBeNull()
  })

  it.each(ways)('by %s leaves what is opened afterwards', async (way) => {
    const { sessions, owned, endings, rotated } = await start()
    await endings[way]()
    const later = sessionRecord(owned)
    await sessions.create(later)
    expect(await sessions.find(later.id)).toEqual(later)
    expect(await rotated(later)).toEqual({ outcome: 'rotated' })
    expect(await sessions.liveAmong([later.id], at(3))).toEqual([later.id])
    expect(await endings[way]()).toEqual([later.id])
  })

  it.each(lost)('%s is whole again with the next use', async (_name, key) => {
    const { sessions, mine, endings, lose } = await start()
    await lose(key)
    await sessions.touch(mine.id, { lastSeenAt: at(1), idleExpiresAt: at(601), ip: null })
    const way = key === keys["the parent's index"] ? 'its parent' : 'its client'
    expect(await endings[way]()).toEqual([mine.id])
  })

  it('leaves no index of what has ended', async () => {
    const { client, prefix, sessions, mine, others, endings } = await start()
    await sessions.end(mine.id, 'logout', at(1))
    for (const key of ['{a:wiki}', '{p:page}'])
      expect(await client.exists(prefix + key), key).toBe(0)
    for (const { id } of others) await sessions.end(id, 'logout', at(1))
    expect(await client.exists(`${prefix}{u:u-alice}`)).toBe(0)
    expect(await endings['its client']()).toEqual([])
  })

  it('leaves nothing behind of a parent that has opened none, and else no longer than they live', async () => {
    const { client, prefix, sessions, mine } = await start()
    await sessions.endChildren?.('nobody', 'logout', at(1))
    expect(await client.keys(`${prefix}{p:nobody}*`)).toEqual([])
    expect(await sessions.endChildren?.('page', 'logout', at(1))).toEqual([mine.id])
    const life = mine.expiresAt.getTime() - mine.lastSeenAt.getTime()
    const kept = await client.pTTL(`${prefix}{p:page}:cutoff`)
    expect(kept).toBeGreaterThan(life)
    expect(kept).toBeLessThan(life + 3 * 3_600_000)
  })

  it('ends more than a page of them, each named once', async () => {
    const { sessions, endings, mine } = await start()
    const more = Array.from({ length: 2500 }, () => sessionRecord({ clientId: 'wiki' }))
    for (let from = 0; from < more.length; from += 100)
      await Promise.all(more.slice(from, from + 100).map((session) => sessions.create(session)))
    const ended = await Promise.all([endings['its client'](), endings['its client']()])
    expect(ended.flat().sort()).toEqual([mine, ...more].map(({ id }) => id).sort())
  })

  it('of somebody else, whose id was refused as a duplicate, goes on', async () => {
    const { sessions, owned, others, endings } = await start()
    const [, login] = others
    if (login === undefined) throw new Error('no login')
    await expect(sessions.create(sessionRecord({ ...owned, id: login.id }))).rejects.toThrow()
    for (const way of ways) await endings[way]()
    expect(await sessions.find(login.id)).toEqual(login)
  })
})
