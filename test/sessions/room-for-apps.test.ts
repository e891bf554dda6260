import { describe, expect, it } from 'vitest'
import { noRequest } from '../../src/audit/events.js'
import type { SessionRecord } from '../../src/index.js'
import { createSessionOpening } from '../../src/sessions/opening.js'
import type { SessionRowsKit } from '../../src/sessions/rows-kit.js'
import { createSessionTimes } from '../../src/sessions/session-times.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { newSession } from '../../src/stores/new-records.js'
import { kitOf } from '../support/kit-of.js'
import { at } from '../support/records.js'

function start(maxSessionsPerUser = 2) {
  const { sessions: store } = memoryStores()
  const clock = () => at(1)
  const lifetimes = { sessionIdle: 3600, sessionAbsolute: 7200 }
  const opening = createSessionOpening(
    kitOf<SessionRowsKit>({
      store,
      redeem: () => Promise.reject(new Error('no codes here')),
      createUnlessThere: () => Promise.reject(new Error('no services here')),
      maxSessionsPerUser,
      passwordWatch: { marksOf: () => ({}) },
      clock,
      audit: () => {},
    }),
    createSessionTimes(lifetimes, clock),
    (session, reason) => store.end(session.id, reason, clock()),
  )
  let opened = 0
  const open = async (given: Partial<SessionRecord>) => {
    opened += 1
    const session = newSession(at, { userId: 'u-alice', createdAt: at(opened / 1000), ...given })
    await opening.start(session, noRequest)
    return session.id
  }
  const isLive = async (id: string) => (await store.find(id))?.endedAt === null
  return { open, isLive }
}

describe('the room for the sessions of a user', () => {
  it('is not taken up by apps, and apps keep theirs however often the user signs in', async () => {
    const { open, isLive } = start()
    const devices = [await open({ kind: 'login' }), await open({ kind: 'pkce' })]
    const apps = [
      await open({ kind: 'oauth', clientId: 'wiki' }),
      await open({ kind: 'oauth', clientId: 'wiki' }),
      await open({ kind: 'oauth', clientId: 'desktop' }),
    ]
    for (const id of [...devices, ...apps]) expect(await isLive(id)).toBe(true)
    const third = await open({ kind: 'login' })
    const [oldest = '', newer = ''] = devices
    expect(await isLive(oldest)).toBe(false)
    for (const id of [newer, third, ...apps]) expect(await isLive(id)).toBe(true)
  })

  it('is 10 for each app: its oldest session goes, and no other app loses one', async () => {
    const { open, isLive } = start()
    const other = await open({ kind: 'oauth', clientId: 'desktop' })
    const token = await open({ kind: 'token' })
    const wiki: string[] = []
    for (let index = 0; index < 11; index += 1)
      wiki.push(await open({ kind: 'oauth', clientId: 'wiki' }))
    const [oldest = '', ...rest] = wiki
    expect(await isLive(oldest)).toBe(false)
    for (const id of [...rest, other, token]) expect(await isLive(id)).toBe(true)
  })

  it('of an app is kept for browsers in use: what was signed in to anew goes first', async () => {
    const { open, isLive } = start(9)
    const browsers: string[] = []
    for (let index = 0; index < 9; index += 1) browsers.push(await open({ kind: 'browser' }))
    const [impatient = '', ...others] = browsers
    const inOthers: string[] = []
    for (const parentId of others)
      inOthers.push(await open({ kind: 'oauth', clientId: 'wiki', parentId }))
    const again: string[] = []
    for (let index = 0; index < 5; index += 1)
      again.push(await open({ kind: 'oauth', clientId: 'wiki', parentId: impatient }))
    for (const id of inOthers) expect(await isLive(id)).toBe(true)
    // Of ten in all, the former one stays for its minute.
    expect(await Promise.all(again.map(isLive))).toEqual([false, false, false, true, true])
  })
})
