// Ids of clients that somebody invents, at an endpoint over a register with a store.
import { describe, expect, it } from 'vitest'
import { AuthError } from '../../src/errors.js'
import type { OAuthClient } from '../../src/stores/client-contract.js'
import { manualClock } from '../../src/testing/manual-clock.js'
import { secret, startClients } from '../support/oauth-clients.js'
import { desktop, registerOf, wiki as wikiOf } from './some-clients.js'

const wiki: OAuthClient = { ...wikiOf, secretHashes: [secret.hash] }
const asWiki = { client_id: 'wiki', client_secret: secret.secret }

async function start() {
  const asked: string[] = []
  const clock = manualClock(new Date('2026-03-01T12:00:00Z'))
  let isDown = false
  const register = registerOf(
    {
      find: async (id) => {
        asked.push(id)
        if (isDown) throw new AuthError('temporarily-unavailable', { retryAfter: 2 })
        return [wiki, desktop].find((one) => one.id === id) ?? null
      },
    },
    { clock },
  )
  const app = await startClients([], register)
  const invent = async (count: number) => {
    const answers = await Promise.all(
      Array.from({ length: count }, (_none, index) =>
        app.show({ client_id: `invented-${count}-${index}` }),
      ),
    )
    return answers.map(({ status }) => status).sort()
  }
  const setDown = (isNow: boolean) => {
    isDown = isNow
  }
  return { ...app, register, clock, asked, invent, setDown }
}

describe('ids that are invented', () => {
  it('are looked up 300 times in 15 minutes, then waited with', async () => {
    const { asked, invent, show } = await start()
    const statuses = await invent(400)
    expect(statuses).toEqual([...Array<number>(300).fill(401), ...Array<number>(100).fill(429)])
    expect(asked).toHaveLength(300)
    const { status, json, headers } = await show({ client_id: 'one-more' })
    expect([status, json['error']]).toEqual([429, 'too-many-requests'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(asked).toHaveLength(300)
  })

  it('do not lock out a client that was there within a day', async () => {
    const { asked, clock, invent, show } = await start()
    expect((await show(asWiki)).status).toBe(200)
    await invent(400)
    // What is remembered of it is too old.
    clock.advance(23 * 3600)
    asked.length = 0
    expect((await show(asWiki)).status).toBe(200)
    expect((await show({ ...asWiki, client_secret: 'wrong' })).status).toBe(429)
    expect(asked).toEqual(['wiki'])
    // The house's rule for networks: whoever was never seen here waits with the others.
    expect((await show({ client_id: 'desktop' })).status).toBe(429)
  })

  it('are not what clients are taken for that come for the first time', async () => {
    const { asked, invent, show } = await start()
    await invent(299)
    const answers = await Promise.all(Array.from({ length: 50 }, () => show(asWiki)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect((await show({ client_id: 'desktop' })).status).toBe(200)
    expect(asked).toHaveLength(301)
  })

  it('are remembered, and cost nothing when they come again', async () => {
    const { asked, register, show } = await start()
    for (let index = 0; index < 5; index += 1) await show({ client_id: 'nobody' })
    expect([asked, register.isFamiliar('nobody')]).toEqual([['nobody'], true])
    expect([register.isFamiliar('somebody'), register.isFamiliar('no id')]).toEqual([false, true])
  })

  it('are not what a client is taken for that is being looked for', async () => {
    const { register, show } = await start()
    const finding = register.find('wiki')
    // Of a hundred who come at once after a restart, one counts.
    expect(register.isFamiliar('wiki')).toBe(true)
    await finding
    expect((await show(asWiki)).status).toBe(200)
  })

  it('are none while the store is down: that is 503, and counts for nothing', async () => {
    const { invent, setDown, show } = await start()
    setDown(true)
    expect(new Set(await invent(310))).toEqual(new Set([503]))
    setDown(false)
    expect((await show(asWiki)).status).toBe(200)
    expect((await show({ client_id: 'nobody' })).status).toBe(401)
  })
})
