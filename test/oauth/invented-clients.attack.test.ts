// Ids of clients that somebody invents, at an endpoint over a register with a store.
import { describe, expect, it } from 'vitest'
import { AuthError } from '../../src/errors.js'
import type { OAuthClient } from '../../src/stores/client-contract.js'
import { manualClock } from '../../src/testing/testing.js'
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
  it('are looked up 300 at once in 15 minutes, and then one after the other', async () => {
    const { asked, invent } = await start()
    const statuses = await invent(400)
    // By the limit of refusals.
    expect(statuses).toEqual([...Array<number>(300).fill(401), ...Array<number>(100).fill(429)])
    expect(asked.length).toBeGreaterThan(300)
  })

  it('shut out no client that was never here: its server is answered, and its users', async () => {
    const { invent, show } = await start()
    await invent(400)
    const [flood, answers] = await Promise.all([
      invent(40),
      Promise.all(Array.from({ length: 20 }, () => show(asWiki))),
    ])
    expect(new Set(flood)).toEqual(new Set([429]))
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(20).fill(200))
    expect((await show({ client_id: 'desktop' })).status).toBe(200)
    expect((await show({ ...asWiki, client_secret: 'wrong' })).status).toBe(429)
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
