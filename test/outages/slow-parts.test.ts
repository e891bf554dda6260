import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import {
  joseSigner,
  type KeyRing,
  keyRing,
  type LimiterSettings,
  type TokenSigner,
} from '../../src/index.js'
import { requests, startTapped } from '../support/call-sites.js'
import { bearer, get, logIn, obtainCode, post } from '../support/client.js'
import { askWith } from '../support/failing-calls.js'
import { encryptionKey, password, startHost } from '../support/host.js'
import { memoryLimiter } from '../support/memory-limiter.js'
import { memoryKeyStore } from '../testing/memory-key-store.js'

/**
 * The calls for a request, of which the router makes one more of each of these by itself some
 * seconds after its start: it reads a token, so that the first client need not wait for that. On a
 * busy machine that falls in between.
 */
function counted(calls: readonly string[], others: readonly string[]): string[] {
  const left = calls.filter((name) => !name.startsWith('passwords.')).sort()
  for (const prepared of ['signer.verify', 'signer.verifyExpired']) {
    const times = (list: readonly string[]) => list.filter((name) => name === prepared).length
    if (times(calls) === times(others) + 1) left.splice(left.indexOf(prepared), 1)
  }
  return left
}

describe('a store that takes its time', () => {
  // A quarter of the time, and a tenth of the calls nearly all of it: what is left, 300 ms, is more
  // than a busy machine takes to notice.
  const storeTimeout = 3000
  const slowness = (call: number) => (call % 10 === 9 ? 0.9 * storeTimeout : storeTimeout / 4)

  it('is asked no more often than a fast one, is never asked again, and spoils no answer', async () => {
    const names = Object.keys(requests)
    const answered = names.map(async (name) => {
      const usual = await askWith(name, (await startTapped()).newScene())
      const { tap, stores, newScene } = await startTapped(storeTimeout)
      let call = 0
      for (const store of [stores.codes, stores.sessions, stores.secondFactors, stores.tickets]) {
        for (const [method, real] of Object.entries(store)) {
          if (typeof real !== 'function') continue
          const slow = async (...given: unknown[]) => {
            call += 1
            if (tap.calls !== null) await pause(slowness(call))
            return real(...given)
          }
          Object.assign(store, { [method]: slow })
        }
      }
      const slow = await askWith(name, newScene())
      expect([name, slow.outcome.status], name).toEqual([name, usual.outcome.status])
      const [asked, expected] = [slow.calls, usual.calls]
      expect(counted(asked, expected), name).toEqual(counted(expected, asked))
    })
    await Promise.all(answered)
  })
})

const refuse = () => {
  throw new Error('redis down')
}

describe('counters that are away', () => {
  it.each<[string, () => unknown]>([
    ['throw', refuse],
    ['reject', () => Promise.reject(new Error('redis down'))],
    ['do not answer', () => new Promise(() => {})],
  ])(
    '%s: logins are 503; who is signed in, exchanges and refreshes does so as before',
    async (_how, fail) => {
      let isAway = false
      const limiter = (settings: LimiterSettings) => {
        const real = memoryLimiter(settings)
        for (const method of [
          'consume',
          'reward',
          'penalty',
          'delete',
          'get',
          'set',
          'block',
        ] as const) {
          const usual = (real[method] as (...given: unknown[]) => unknown).bind(real)
          Object.assign(real, {
            [method]: (...given: unknown[]) => (isAway ? fail() : usual(...given)),
          })
        }
        return real
      }
      const host = await startHost({ options: { throttle: { limiter }, storeTimeout: 200 } })
      const { authToken } = await logIn(host)
      const code = await obtainCode(host, authToken)
      isAway = true
      const login = await post(host, '/login', { username: 'alice', password })
      expect([login.status, Number(login.headers['retry-after']) > 0]).toEqual([503, true])
      const from = performance.now()
      expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
      expect(performance.now() - from, 'the guard does not ask them').toBeLessThan(200)
      const exchanged = await post(host, '/auth/pkce/token', code)
      expect(exchanged.status).toBe(200)
      expect(
        (await post(host, '/auth/refresh', { refresh_token: exchanged.body.refresh_token })).status,
      ).toBe(200)
      isAway = false
      expect((await post(host, '/login', { username: 'alice', password })).status).toBe(200)
    },
  )
})

describe('a sink that is slow', () => {
  it('is not waited for: the answer is there while no event has been taken yet', async () => {
    let taken = 0
    const never = new Promise<void>(() => {})
    const onEvent = async () => {
      await never
      taken += 1
    }
    const host = await startHost({ options: { onEvent } })
    const { authToken } = await logIn(host)
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
    expect((await post(host, '/logout', undefined, bearer(authToken))).status).toBe(200)
    expect(taken).toBe(0)
  })
})

describe('keys that are rotated while two processes serve', () => {
  it(
    'and one of them starts late: no token of either is refused by the other, from the first ' +
      'day to the last',
    async () => {
      const store = memoryKeyStore()
      let now = new Date('2030-01-01T00:00:00Z')
      const clock = () => now
      const options = {
        store,
        encryptionKeys: [encryptionKey],
        publishAhead: 600,
        longestToken: 3600,
        clock,
      }
      const startNode = () => {
        const ring: KeyRing = keyRing(options)
        return {
          ring,
          signer: joseSigner({
            issuer: 'https://chat.example.com',
            audience: 'chat',
            keys: ring,
            clock,
          }),
        }
      }
      const nodes = [startNode(), startNode()]
      // The second is away while the key of each third rotation is made, and knows nothing when it
      // comes back.
      const servingAt = (minute: number) => {
        if (minute % 270 === 20) nodes[1] = startNode()
        return minute % 270 < 20 ? nodes.slice(0, 1) : nodes
      }
      let issued: Issued[] = []
      const kids = new Set<string>()
      for (let minute = 0; minute < 6 * 60; minute += 1) {
        now = new Date(now.getTime() + 60_000)
        if (minute % 90 === 0) await nodes[0]?.ring.rotate()
        const serving = servingAt(minute)
        const made = await Promise.all(serving.map(({ signer }) => issue(signer, now)))
        made.forEach(({ kid }) => void kids.add(kid))
        issued = [...issued, ...made].filter(({ until }) => until * 1000 > now.getTime())
        const sample = issued.filter((_token, index) => index % 7 === minute % 7)
        await Promise.all(
          serving.flatMap(({ signer }) => sample.map(({ token }) => signer.verify(token))),
        )
      }
      expect(kids.size, 'keys were rotated').toBeGreaterThan(3)
    },
  )
})

interface Issued {
  readonly token: string
  readonly kid: string
  readonly until: number
}

async function issue(signer: TokenSigner, now: Date): Promise<Issued> {
  const iat = Math.floor(now.getTime() / 1000)
  const claims = {
    sub: 'u-alice',
    sid: 's1',
    iat,
    exp: iat + 3600,
    jti: `${iat}`,
    auth_time: iat,
    amr: ['pwd'] as const,
    scope: '*',
  }
  const token = await signer.sign(claims)
  return { token, kid: token.split('.')[0] ?? '', until: claims.exp }
}
