// However a session ends in two processes at the same moment, its app is told of it once.
import { describe, expect, it } from 'vitest'
import { joseSigner } from '../../src/index.js'
import { randomId } from '../../src/lib/random.js'
import { newSession } from '../../src/stores/new-records.js'
import { bearer, logIn } from '../support/client.js'
import { tally } from '../support/guessing.js'
import { startHost } from '../support/host.js'
import {
  openShared,
  type SharedKind,
  sharedKinds,
  signingKey,
  startProcesses,
} from '../support/oauth-processes.js'
import { startToldApp, type ToldApp } from './told-apps.js'

const callers = 50
const baseUrl = 'http://localhost:3000/api/v1'

/** Two processes that tell an app, and alice, who is signed in to both. */
async function start(kind: SharedKind, wiki: ToldApp, withBus: boolean) {
  const { stores, reached } = await openShared(kind)
  if (reached === null) throw new Error('no process reaches these')
  const { codes, sessions, tickets } = stores
  const issuer = new URL(baseUrl).origin
  const signer = joseSigner({ issuer, audience: 'chat', keys: [signingKey] })
  const host = await startHost({ options: { codes, sessions, tickets, signer } })
  const { authToken } = await logIn(host)
  const settings = { clients: [wiki.client], baseUrl, oauth: { logout: true }, withBus }
  const urls = await startProcesses(reached, settings)

  /** Sessions of alice's at the app. */
  async function openApps(count: number): Promise<readonly string[]> {
    const ids = []
    for (let i = 0; i < count; i += 1) {
      const end = new Date(Date.now() + 3_600_000)
      const times = { idleExpiresAt: end, expiresAt: end, endedAt: null, endReason: null }
      const of = { userId: 'u-alice', kind: 'oauth', clientId: wiki.client.id } as const
      const session = newSession(() => new Date(), { id: randomId(), ...of, ...times })
      await sessions.create(session)
      ids.push(session.id)
    }
    return ids
  }

  /** The same from all callers at once, each at one of the processes. */
  const race = (method: string, path: string) =>
    Promise.all(
      Array.from({ length: callers }, async (_none, turn) => {
        const headers = bearer(authToken)
        return (await fetch(`${urls[turn % 2]}${path}`, { method, headers })).status
      }),
    )

  /** What both have sent, once nothing waits. */
  async function sent(): Promise<number> {
    let all = 0
    for (const url of urls)
      for (;;) {
        const answer = await fetch(url.replace('/api/v1', '/stats'))
        const { rpLogout } = (await answer.json()) as { rpLogout: Record<string, number> }
        if (rpLogout['waiting'] === 0) {
          all += rpLogout['sent'] ?? 0
          expect(rpLogout['failed']).toBe(0)
          break
        }
      }
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
