// What a monitoring system reads.
import { describe, expect, it } from 'vitest'
import { bearer, get, logIn, obtainCode, post } from '../support/client.js'
import { startHost, type TestHost } from '../support/host.js'
import { askPromtool, parseMetrics, promtool, valuesIn } from '../support/prometheus.js'

const valuesOf = (host: TestHost) => valuesIn(host.auth.metrics())
const wrong = { username: 'alice', password: 'wrong' }

describe('auth.metrics()', () => {
  it('is in the text format 0.0.4, and says of each metric what it is', async () => {
    const host = await startHost()
    const metrics = parseMetrics(host.auth.metrics())
    expect(Object.fromEntries([...metrics].map(([name, { type }]) => [name, type]))).toEqual({
      mar_events_total: 'counter',
      mar_sign_in_decisions_total: 'counter',
      mar_host_call_duration_seconds: 'histogram',
      mar_host_call_failures_total: 'counter',
      mar_passwords_waiting: 'gauge',
      mar_passwords_running: 'gauge',
      mar_passwords_concurrency: 'gauge',
      mar_passwords_completed_total: 'counter',
      mar_passwords_failed_total: 'counter',
      mar_passwords_refused_total: 'counter',
      mar_passwords_abandoned_total: 'counter',
      mar_passwords_wait_p50_seconds: 'gauge',
      mar_passwords_wait_p99_seconds: 'gauge',
      mar_sockets_open: 'gauge',
      mar_sockets_sessions: 'gauge',
      mar_audit_delivered_total: 'counter',
      mar_audit_lost_total: 'counter',
      mar_mails_waiting: 'gauge',
      mar_logout_tokens_waiting: 'gauge',
    })
  })

  it.skipIf(promtool === null)('is taken by promtool without a remark', async () => {
    const host = await startHost()
    await logIn(host)
    await post(host, '/login', wrong)
    const { isContent, said } = askPromtool(['check', 'metrics'], host.auth.metrics())
    expect([isContent, said]).toEqual([true, ''])
  })

  it('has fewer than 320 series, all of them from the start', async () => {
    const host = await startHost()
    const before = Object.keys(valuesOf(host))
    expect(before.length).toBeLessThan(320)
    const { authToken } = await logIn(host)
    await post(host, '/login', wrong)
    await post(host, '/auth/refresh', { refresh_token: 'none' })
    await get(host, '/me', bearer(authToken))
    expect(Object.keys(valuesOf(host))).toEqual(before)
  })

  it('counts events by type, and those with a reason that matters by it', async () => {
    const host = await startHost({
      options: { throttle: { account: { points: 1, duration: 900 } } },
    })
    const { authToken } = await logIn(host)
    for (let i = 0; i < 3; i += 1) await post(host, '/login', wrong)
    await post(host, '/login', { username: 'nobody', password: 'wrong' })
    await post(host, '/logout', undefined, bearer(authToken))
    expect(valuesOf(host)).toMatchObject({
      'mar_events_total{type="login.succeeded"}': 1,
      'mar_events_total{type="login.failed",reason="wrong-password"}': 1,
      'mar_events_total{type="login.failed",reason="unknown-user"}': 1,
      'mar_events_total{type="login.throttled",reason="identifier"}': 2,
      'mar_events_total{type="session.ended",reason="logout"}': 1,
      'mar_events_total{type="session.ended",reason="revoked"}': 0,
    })
  })

  it('counts a reason of another release, or of a provider, as other', async () => {
    const host = await startHost()
    const { authToken } = await logIn(host)
    const { end } = host.stores.sessions
    host.stores.sessions.end = (id, _reason, now) => end(id, 'a-new-reason' as 'logout', now)
    await post(host, '/logout', undefined, bearer(authToken))
    const ended = Object.entries(valuesOf(host)).filter(
      ([series, count]) => series.includes('session.ended') && count > 0,
    )
    expect(ended.map(([, count]) => count)).toEqual([1])
  })

  it('counts sign-ins by door, a wrong password among them, and a second step once', async () => {
    const host = await startHost()
    const door = (name: string, outcome: string) =>
      valuesOf(host)[`mar_sign_in_decisions_total{door="${name}",outcome="${outcome}"}`]
    const { authToken } = await logIn(host)
    await post(host, '/login', wrong)
    expect([door('login', 'allowed'), door('login', 'refused')]).toEqual([1, 1])
    const { userId } = await logIn(host)
    await host.auth.secondFactors.importTotp({ userId, secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ' })
    const { status } = await post(host, '/login', {
      username: 'alice',
      password: 'correct horse battery staple',
    })
    expect(status).toBe(401)
    expect([door('login', 'allowed'), door('login', 'refused')]).toEqual([2, 1])
    expect(authToken).not.toBe('')
  })

  it('counts the doors of an app, and of a refresh', async () => {
    const host = await startHost()
    const { authToken } = await logIn(host)
    const { authorizationCode, codeVerifier } = await obtainCode(host, authToken)
    const { body } = await post(host, '/auth/pkce/token', { authorizationCode, codeVerifier })
    await post(host, '/auth/refresh', { refresh_token: body.refresh_token })
    expect(valuesOf(host)).toMatchObject({
      'mar_sign_in_decisions_total{door="authorization-code",outcome="allowed"}': 1,
      'mar_sign_in_decisions_total{door="code-exchange",outcome="allowed"}': 1,
      'mar_sign_in_decisions_total{door="refresh",outcome="allowed"}': 1,
    })
  })

  it('has a histogram of the calls of each part, and counts those that failed', async () => {
    const host = await startHost()
    const call = (part: string) => {
      const values = valuesOf(host)
      const of = (name: string) => values[`mar_host_call_${name}`]
      const buckets = ['0.005', '0.025', '0.1', '0.5', '2', '+Inf'].map(
        (most) => of(`duration_seconds_bucket{part="${part}",le="${most}"}`) ?? Number.NaN,
      )
      return {
        buckets,
        count: of(`duration_seconds_count{part="${part}"}`) ?? Number.NaN,
        seconds: of(`duration_seconds_sum{part="${part}"}`) ?? Number.NaN,
        failed: of(`failures_total{part="${part}"}`) ?? Number.NaN,
      }
    }
    // Calls are measured from the first question on.
    await logIn(host)
    expect(call('users').count).toBe(0)
    const find = host.users.findByIdentifier
    host.users.findByIdentifier = async (identifier) => {
      await new Promise((resolve) => setTimeout(resolve, 60))
      return find(identifier)
    }
    await logIn(host)
    const slow = call('users')
    expect(slow.buckets.at(-1)).toBe(slow.count)
    // It waits 60 ms at least, on whatever machine.
    expect(slow.buckets[1]).toBeLessThan(slow.count)
    expect(slow.seconds).toBeGreaterThan(0.05)
    expect([...slow.buckets].sort((a, b) => a - b)).toEqual(slow.buckets)
    expect(slow.failed).toBe(0)

    host.users.findByIdentifier = () => Promise.reject(new Error('the table is locked'))
    expect((await post(host, '/login', wrong)).status).toBe(503)
    expect(call('users')).toMatchObject({ failed: 1, count: slow.count + 1 })
    for (const part of ['sessions', 'signer', 'passwords'])
      expect(call(part).count, part).toBeGreaterThan(0)
  })

  it('agrees with auth.stats()', async () => {
    const host = await startHost()
    await logIn(host)
    await post(host, '/login', wrong)
    const { passwords, sockets, audit } = host.auth.stats()
    expect(valuesOf(host)).toMatchObject({
      mar_passwords_completed_total: passwords.completed,
      mar_passwords_concurrency: passwords.concurrency,
      mar_passwords_waiting: passwords.waiting,
      mar_sockets_open: sockets.open,
      mar_audit_delivered_total: audit.delivered,
      mar_audit_lost_total: 0,
    })
    expect([passwords.completed, audit.delivered > 0]).toEqual([2, true])
  })
})
