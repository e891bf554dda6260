import { describe, expect, it } from 'vitest'
import { requests } from '../support/call-sites.js'
import { bearer, get, logIn, post } from '../support/client.js'
import { expectOutageAtEveryCall } from '../support/failing-calls.js'
import { password, startHost } from '../support/host.js'

const timersOpen = () =>
  process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
const generous = { network: { points: 100_000, duration: 900 } }

describe('a store that does not answer', () => {
  it(
    '200 requests: each is 503 within 2.5 s, and nothing of them is left, neither timers nor ' +
      'connections nor slots',
    async () => {
      const host = await startHost({ options: { throttle: generous } })
      const { authToken } = await logIn(host)
      const { sessions } = host.stores
      const { find, create } = sessions
      const before = timersOpen()
      const silent = () => new Promise<never>(() => {})
      host.clock.advance(31)
      Object.assign(sessions, { find: silent, create: silent })
      const from = performance.now()
      const took: number[] = []
      const timed = async (asked: PromiseLike<{ status: number }>) => {
        const { status } = await asked
        took.push(performance.now() - from)
        return status
      }
      for (let i = 0; i < 100; i += 1)
        host.users.add({
          ...(host.users.rows.get('u-alice') as { id: string }),
          id: `u-${i}`,
          username: `user-${i}`,
        })
      const statuses = await Promise.all([
        ...Array.from({ length: 100 }, () => timed(get(host, '/me', bearer(authToken)))),
        ...Array.from({ length: 100 }, (_, i) =>
          timed(post(host, '/login', { username: `user-${i}`, password })),
        ),
      ])
      expect(statuses).toEqual(statuses.map(() => 503))
      // The passwords are hashed first, which takes its time where 200 clients and the server share
      // a core or two.
      expect(took.sort((one, other) => one - other)[99]).toBeLessThan(2500)
      Object.assign(sessions, { find, create })
      for (let i = 0; i < 3; i += 1)
        expect((await post(host, '/login', { username: 'user-0', password })).status).toBe(200)
      expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
      host.server.closeIdleConnections()
      const connections = () =>
        new Promise<number>((resolve) =>
          host.server.getConnections((_error, count) => resolve(count)),
        )
      await expect.poll(connections).toBe(0)
      await expect.poll(timersOpen).toBeLessThanOrEqual(before + 1)
    },
  )
})

describe.each(Object.keys(requests))('%s', (name) => {
  // What npm run test:long does in turn where something is written before.
  it('is 503 where any call fails, in every way, whichever call it is; and works again', () =>
    expectOutageAtEveryCall(name, true))
})
