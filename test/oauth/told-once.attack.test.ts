// However a session ends in two processes at the same moment, its app is told of it once.
import { describe, expect, it } from 'vitest'
import type { AuthStats } from '../../src/index.js'
import { randomId } from '../../src/lib/secrets.js'
import { newSession } from '../../src/stores/new-records.js'
import { logInAt } from '../support/account-steps.js'
import { bearer } from '../support/client.js'
import { tally } from '../support/guessing.js'
import {
  openServers,
  type ServerProcess,
  type SharedKind,
  sharedKinds,
} from '../support/server-processes.js'
import { startToldApp, type ToldApp } from './told-apps.js'

const callers = 50
const baseUrl = 'http://localhost:3000/api/v1'

/** Two processes that tell an app, and alice, who is signed in to both. */
async function start(kind: SharedKind, wiki: ToldApp, withBus: boolean) {
  const tables = await openServers(kind)
  const settings = {
    ...{ clients: [wiki.client], baseUrl, oauth: { logout: true }, withBus },
    // Their pages are elsewhere than on this machine.
    without: ['accounts', 'deviceLinks', 'passkeys', 'providers'],
  }
  const servers = await Promise.all([tables.start(settings), tables.start(settings)])
  const authToken = await logInAt(servers[0])

  /** Sessions of alice's at the app. */
  async function openApps(count: number): Promise<readonly string[]> {
    const ids = []
    for (let i = 0; i < count; i += 1) {
      const end = new Date(Date.now() + 3_600_000)
      const times = { idleExpiresAt: end, expiresAt: end, endedAt: null, endReason: null }
      const of = { userId: 'u-alice', kind: 'oauth', clientId: wiki.client.id } as const
      const session = newSession(() => new Date(), { id: randomId(), ...of, ...times })
      await servers[0].call('stores.sessions.create', session)
      ids.push(session.id)
    }
    return ids
  }

  /** The same from all callers at once, each at one of the processes. */
  const race = (method: string, path: string) =>
    Promise.all(
      Array.from({ length: callers }, async (_none, turn) => {
        const headers = bearer(authToken)
        return (await fetch(`${servers[turn % 2]?.url}${path}`, { method, headers })).status
      }),
    )

  /** What both have sent, once nothing waits. */
  async function sent(): Promise<number> {
    let all = 0
    const sentBy = async ({ call }: ServerProcess) => {
      for (;;) {
        const { rpLogout } = await call<AuthStats>('auth.stats')
        if (rpLogout?.waiting !== 0) continue
        expect(rpLogout.failed).toBe(0)
        return rpLogout.sent
      }
    }
    for (const server of servers) all += await sentBy(server)
    return all
  }

  const told = () => wiki.claims().map(({ sid }) => sid)
  return { openApps, race, sent, told }
}

describe.each(sharedKinds)('in two processes on $name', (kind) => {
  it.skipIf(!kind.isThere).each([false, true])(
    'an app is told once of each session, with a bus: %s',
    async (withBus) => {
      const wiki = await startToldApp('wiki')
      const { openApps, race, sent, told } = await start(kind, wiki, withBus)
      const [one] = await openApps(1)
      const single = tally(await race('DELETE', `/auth/sessions/${one}`))
      expect(single[200]).toBeGreaterThanOrEqual(1)
      expect([await sent(), told()]).toEqual([1, [one]])

      const others = await openApps(5)
      expect(tally(await race('DELETE', '/auth/sessions'))).toEqual({ 200: callers })
      expect([await sent(), told().toSorted()]).toEqual([6, [one, ...others].toSorted()])

      const last = await openApps(5)
      const consents = await race('DELETE', `/auth/consents/${wiki.client.id}`)
      // Whoever comes last finds neither a consent nor a session.
      expect(tally(consents)).toEqual({ 200: expect.any(Number), 404: expect.any(Number) })
      const all = [one, ...others, ...last]
      expect([await sent(), told().toSorted()]).toEqual([11, all.toSorted()])
    },
    120_000,
  )
})
