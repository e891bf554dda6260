// While a deployment rolls, a newer release writes to the same rows. What this one does not know,
// it reads over and leaves where it is.
import { randomUUID } from 'node:crypto'
import { CompiledQuery } from 'kysely'
import { createClient } from 'redis'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { SessionRecord, SessionStore } from '../../src/index.js'
import { newWholeCode, newWholeSession } from '../../src/stores/new-records.js'
import { redisStores } from '../../src/stores/redis/redis-stores.js'
import { databaseKinds, openDatabase } from '../support/databases.js'
import { at } from '../support/records.js'
import { redisUrl } from '../support/services.js'

const ofNewerRelease = { kind: 'kiosk', methods: ['pwd', 'palm'] }

/** Everything that changes a session, and the session afterwards. */
async function useSession(sessions: SessionStore, session: SessionRecord) {
  const { id, userId, refresh, passwordMark, secretHash } = session
  if (refresh === null) throw new Error('no refresh token')
  const found = await sessions.find(id)
  const seen = { lastSeenAt: at(1), idleExpiresAt: at(601), ip: null }
  await sessions.touch(id, seen)
  const next = { ...seen, refresh: { ...refresh, ...found?.refresh, hash: 'next' } }
  expect(await sessions.rotateRefresh(id, refresh.hash, next, at(1))).toEqual({
    outcome: 'rotated',
  })
  await sessions.setMethods(id, ['pwd'])
  await sessions.setAuthenticated?.(id, { methods: ['pwd', 'palm'], authenticatedAt: at(1) })
  await sessions.addPasswordMark?.(userId, String(passwordMark), 'mark')
  const replacement = { from: String(secretHash), to: 'new', formerUntil: at(9) }
  expect(await sessions.replaceSecret?.(id, replacement)).toBe(true)
  expect(await sessions.end(id, 'device-lost' as never, at(2))).toBe(true)
  return sessions.find(id)
}

const afterUse = {
  ...ofNewerRelease,
  secretHash: 'new',
  endReason: 'device-lost',
  refresh: { hash: 'next' },
}

describe.skipIf(redisUrl === null)('what a newer release has put into rows of Redis', () => {
  it('is read over, and is still there when the row was changed', async () => {
    const client = await createClient({ url: String(redisUrl) }).connect()
    const prefix = `newer-${randomUUID()}:`
    onTestFinished(async () => {
      const keys = await client.keys(`${prefix}*`)
      if (keys.length > 0) await client.del(keys)
      client.destroy()
    })
    const { sessions, codes } = redisStores(client, { prefix })
    const session = newWholeSession(at, ofNewerRelease)
    await sessions.create(session)
    const row = `${prefix}{s:${session.id}}`
    const parts = ['record', 'seen', 'refresh']
    const add = async (key: string, part: string) => {
      const known = JSON.parse((await client.hGet(key, part)) ?? '')
      await client.hSet(key, part, JSON.stringify({ ...known, later: ['kept', 7] }))
    }
    for (const part of parts) await add(row, part)
    await client.hSet(row, 'later', 'kept')
    expect(await useSession(sessions, session)).toMatchObject(afterUse)
    for (const part of parts)
      expect(JSON.parse((await client.hGet(row, part)) ?? '')).toMatchObject({ later: ['kept', 7] })
    expect(await client.hGet(row, 'later')).toBe('kept')

    const code = newWholeCode(at, { methods: ofNewerRelease.methods })
    await codes.save(code)
    await add(`${prefix}{c:${code.codeHash}}`, 'record')
    expect(await codes.consume(code.codeHash, at(1))).toMatchObject({
      outcome: 'consumed',
      code: { ...code, consumedAt: at(1) },
    })
  })
})

describe.each(databaseKinds)('what a newer release has put into rows on $name', (kind) => {
  it.skipIf(kind.open === null)(
    'is read over, and is still there when the row was changed',
    async () => {
      const { kysely, prefix, stores, close } = await openDatabase(kind)
      onTestFinished(close)
      const run = async (sql: string) =>
        (await kysely.executeQuery<Record<string, string>>(CompiledQuery.raw(sql))).rows
      for (const table of ['sessions', 'authorization_codes'])
        await run(`alter table ${prefix}${table} add column later varchar(9) null`)
      const session = newWholeSession(at, ofNewerRelease)
      await stores.sessions.create(session)
      const [written] = await run(`select refresh_state from ${prefix}sessions`)
      const state = { ...JSON.parse(written?.['refresh_state'] ?? ''), later: 7 }
      await run(
        `update ${prefix}sessions set later = 'kept', refresh_state = '${JSON.stringify(state)}'`,
      )
      expect(await useSession(stores.sessions, session)).toMatchObject(afterUse)
      const [changed] = await run(`select later, refresh_state from ${prefix}sessions`)
      expect(changed?.['later']).toBe('kept')
      expect(JSON.parse(changed?.['refresh_state'] ?? '')).toMatchObject({ later: 7 })

      const code = newWholeCode(at, { methods: ofNewerRelease.methods })
      await stores.codes.save(code)
      await run(`update ${prefix}authorization_codes set later = 'kept'`)
      expect(await stores.codes.consume(code.codeHash, at(1))).toMatchObject({
        outcome: 'consumed',
        code: { ...code, consumedAt: at(1) },
      })
      expect(await run(`select later from ${prefix}authorization_codes`)).toEqual([
        { later: 'kept' },
      ])
    },
  )
})
