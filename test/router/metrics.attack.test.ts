// Attackers who want the monitoring to burst, or to tell it what they know.
import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createEventCounts } from '../../src/audit/event-counts.js'
import type { AuthEventBody } from '../../src/audit/events.js'
import { createCallCounts } from '../../src/router/counts.js'
import { bearer, get, logIn, post } from '../support/client.js'
import { password, startHost, totpSecret } from '../support/host.js'
import { valuesIn } from '../support/prometheus.js'

let last = 0
const run = randomBytes(6).toString('hex')
const invented = () => {
  last += 1
  return `${run}${last}`
}

describe('what strangers send', () => {
  it('adds no series: 100,000 invented clients, names, reasons and providers', async () => {
    const counts = createEventCounts()
    const calls = createCallCounts()
    const before = [counts.events().length, calls.calls().length]
    for (let i = 0; i < 100_000; i += 1) {
      const [a, b] = [invented(), invented()]
      const raised = [
        { type: 'client.refused', reason: a, clientId: b },
        { type: 'provider.refused', provider: a, reason: b },
        { type: 'login.failed', reason: a, identifierDigest: b, userId: b },
        { type: 'session.ended', reason: a, userId: b, sessionId: a },
        { type: 'login.throttled', scope: a, identifierDigest: b },
        { type: a, reason: b },
        { type: 'request.refused', reason: a },
      ][i % 7]
      counts.raised(raised as AuthEventBody)
      calls.onDone(`${['providers', a, 'constructor'][i % 3]}.${b}`, 1, false)
    }
    expect([counts.events().length, calls.calls().length]).toEqual(before)
    const sum = calls.calls().reduce((so, { buckets }) => so + (buckets.at(-1) ?? 0), 0)
    expect(sum).toBe(100_000)
    expect(counts.events().find(({ type }) => type === 'request.refused')?.count).toBe(14_285)
  })

  it('adds no series and no word, over HTTP', async () => {
    const host = await startHost({ isBeyond: () => true })
    const before = Object.keys(valuesIn(host.auth.metrics()))
    const words: string[] = []
    const word = () => {
      words.push(invented())
      return words.at(-1) ?? ''
    }
    for (let i = 0; i < 40; i += 1) {
      await Promise.all([
        post(host, '/login', { username: word(), password: word() }),
        post(host, '/auth/refresh', { refreshToken: word() }),
        post(host, '/auth/pkce/token', { code: word(), codeVerifier: word().repeat(3) }),
        get(host, `/${word()}/${word()}?${word()}=${word()}`),
        get(host, '/me', { ...bearer(word()), 'User-Agent': word(), 'X-Request-Id': word() }),
        get(host, `/auth/invitations/${word()}`),
      ])
    }
    const text = host.auth.metrics()
    expect(Object.keys(valuesIn(text))).toEqual(before)
    expect(words.filter((one) => text.includes(one))).toEqual([])
    expect(words.length).toBeGreaterThan(400)
  })

  it('names no user, no session, no secret and no address, whatever happened', async () => {
    const host = await startHost()
    const { authToken, userId } = await logIn(host)
    await host.auth.namedTokens.create({ userId, name: 'my-secret-bot' })
    await host.auth.secondFactors.importTotp({ userId, secret: totpSecret })
    await post(host, '/logout', undefined, bearer(authToken))
    const text = host.auth.metrics()
    const known = [password, totpSecret, authToken, userId, 'alice', 'my-secret-bot', '127.0.0.1']
    const sessions = host.events.flatMap((event) => ('sessionId' in event ? event.sessionId : []))
    expect(
      [...known, ...host.issued, ...sessions].filter((one) => text.includes(String(one))),
    ).toEqual([])
  })
})
