import { describe, expect, it } from 'vitest'
import { totpCode } from '../../src/testing/testing.js'
import { bearer, get, logIn, obtainCode, post } from '../support/client.js'
import { password, startHost, type TestHost, totpSecret } from '../support/host.js'

const noon = new Date('2030-01-01T12:00:10Z')
const later = (seconds: number) => new Date(noon.getTime() + seconds * 1000)

/**
 * Two processes over the same stores; the clock of the second one is so many seconds ahead, or
 * behind where negative.
 */
async function twoNodes(skew: number): Promise<[TestHost, TestHost]> {
  const one = await startHost({ now: noon })
  const other = await startHost({ now: later(skew), options: { ...one.stores, users: one.users } })
  return [one, other]
}

/** Asks both nodes so many times in the same moment. */
async function onBoth<T>(
  nodes: readonly TestHost[],
  times: number,
  ask: (node: TestHost) => PromiseLike<T>,
): Promise<T[]> {
  return Promise.all(
    Array.from({ length: times }, (_, i) => ask(nodes[i % nodes.length] as TestHost)),
  )
}

const accepted = (answers: readonly { status: number }[]) =>
  answers.filter(({ status }) => status === 200).length
const warnings = ({ events }: TestHost) => events.filter(({ type }) => type === 'clock.skewed')
const skews = [-3600, -90, -30, 0, 30, 90, 3600]

describe.each(skews)('two processes whose clocks differ by %i seconds', (skew) => {
  it('exchange a code once', async () => {
    const nodes = await twoNodes(skew)
    const code = await obtainCode(nodes[0], (await logIn(nodes[0])).authToken)
    const answers = await onBoth(nodes, 20, (node) => post(node, '/auth/pkce/token', code))
    // A clock that is a minute ahead takes the code for one that is over; it wins or is refused,
    // but never wins besides another.
    expect(accepted(answers)).toBe(1)
    expect(accepted(await onBoth(nodes, 4, (node) => post(node, '/auth/pkce/token', code)))).toBe(0)
  })

  it('accept a TOTP code once, and a recovery code once', async () => {
    const nodes = await twoNodes(skew)
    const { recoveryCodes } = await nodes[0].auth.secondFactors.importTotp({
      userId: 'u-alice',
      secret: totpSecret,
    })
    for (const code of [totpCode(totpSecret, noon), recoveryCodes[0]]) {
      const body = { username: 'alice', password, code }
      expect(accepted(await onBoth(nodes, 4, (node) => post(node, '/login', body)))).toBe(1)
      expect(accepted(await onBoth(nodes, 2, (node) => post(node, '/login', body)))).toBe(0)
    }
  })

  it('give a refresh token one successor', async () => {
    const nodes = await twoNodes(skew)
    const code = await obtainCode(nodes[0], (await logIn(nodes[0])).authToken)
    const { refresh_token } = (await post(nodes[0], '/auth/pkce/token', code)).body
    const answers = await onBoth(nodes, 20, (node) =>
      post(node, '/auth/refresh', { refresh_token }),
    )
    expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1)
    expect(accepted(answers)).toBe(20)
  })

  it('let a socket ticket in once', async () => {
    const nodes = await twoNodes(skew)
    const { authToken } = await logIn(nodes[0])
    const { ticket } = (await post(nodes[0], '/auth/socket-ticket', undefined, bearer(authToken)))
      .body.data
    const upgrade = {
      headers: { 'sec-websocket-protocol': `auth.ticket, ${ticket}` },
      socket: { remoteAddress: '127.0.0.1' },
    }
    const request = {
      ...upgrade,
      headersDistinct: { 'sec-websocket-protocol': [upgrade.headers['sec-websocket-protocol']] },
    }
    const tried = await Promise.allSettled(
      Array.from({ length: 10 }, (_, i) =>
        (nodes[i % 2] as TestHost).auth.sockets.authenticate(request as never),
      ),
    )
    expect(tried.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('end a logout on both', async () => {
    const nodes = await twoNodes(skew)
    const { authToken } = await logIn(nodes[0])
    expect((await post(nodes[0], '/logout', undefined, bearer(authToken))).status).toBe(200)
    for (const node of nodes) expect((await get(node, '/me', bearer(authToken))).status).toBe(401)
  })
})

describe('what expires', () => {
  it.each([-30, -5, 5, 30])(
    'ends on a process that is %i seconds off no more than that sooner or later',
    async (skew) => {
      const lifetimes = { sessionIdle: 600, sessionAbsolute: 600 }
      const one = await startHost({ now: noon, options: { lifetimes } })
      const other = await startHost({
        now: later(skew),
        options: { ...one.stores, users: one.users, lifetimes },
      })
      const { authToken } = await logIn(one)
      const code = await obtainCode(one, authToken)
      const passes = (seconds: number) => {
        for (const [node, start] of [
          [one, noon],
          [other, later(skew)],
        ] as const) {
          node.clock.set(new Date(start.getTime() + seconds * 1000))
        }
      }
      // A code lives for 60 seconds; the other process ends it at 60 - skew.
      passes(60 - skew)
      expect((await post(other, '/auth/pkce/token', code)).body.error).toBe('invalid_grant')
      passes(60 - skew - 1)
      expect((await post(other, '/auth/pkce/token', code)).status).toBe(200)
      passes(600 - skew - 1)
      expect((await get(other, '/me', bearer(authToken))).status).toBe(200)
      passes(600 - skew)
      expect((await get(other, '/me', bearer(authToken))).status).toBe(401)
    },
  )
})

describe('a clock that is set back by an hour', () => {
  async function setBack() {
    const host = await startHost({ now: noon })
    const { recoveryCodes } = await host.auth.secondFactors.importTotp({
      userId: 'u-alice',
      secret: totpSecret,
    })
    const used = totpCode(totpSecret, noon)
    const { authToken } = await logIn(host, { username: 'alice', password, code: used })
    const code = await obtainCode(host, authToken)
    const tokens = (await post(host, '/auth/pkce/token', code)).body
    const next = (await post(host, '/auth/refresh', { refresh_token: tokens.refresh_token })).body
    await post(host, '/auth/refresh', { refresh_token: next.refresh_token })
    host.clock.advance(-3600)
    return {
      host,
      used,
      code,
      first: tokens.refresh_token as string,
      recoveryCode: recoveryCodes[0],
    }
  }

  it('brings nothing back that was used up: code, TOTP step, refresh token', async () => {
    const { host, used, code, first } = await setBack()
    const logInWith = (totp: string) =>
      post(host, '/login', { username: 'alice', password, code: totp })
    expect((await logInWith(used)).body.error).toBe('totp-invalid')
    // Its step is older than the last one that was accepted.
    expect((await logInWith(totpCode(totpSecret, host.clock()))).body.error).toBe('totp-invalid')
    expect((await post(host, '/auth/refresh', { refresh_token: first })).body.error).toBe(
      'invalid_grant',
    )
    expect(host.events.map(({ type }) => type)).toContain('refresh.reused')
    expect((await post(host, '/auth/pkce/token', code)).body.error).toBe('invalid_grant')
  })

  it('leaves a user who has a second factor the recovery codes, and tells of itself', async () => {
    const { host, recoveryCode } = await setBack()
    const { authToken } = await logIn(host, { username: 'alice', password, code: recoveryCode })
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
    await obtainCode(host, authToken)
    expect(warnings(host)).toEqual([])
    // A session that was seen in the hour that has not come yet.
    const newest = (await host.stores.sessions.listForUser('u-alice', host.clock())).at(-1)
    expect(await host.auth.sessions.revoke(newest?.id ?? '')).toBe(true)
    expect(warnings(host)).toMatchObject([{ seconds: 3600 }])
  })
})

describe('the event clock.skewed', () => {
  it.each([
    [30, 1],
    [10, 1],
    [9.999, 0],
    [0, 0],
    [-90, 0],
  ])(
    'of a process that reads what was written %i seconds ahead of its clock: %i',
    async (ahead, told) => {
      const [behind, writer] = await twoNodes(ahead)
      const { authToken } = await logIn(writer)
      await get(behind, '/me', bearer(authToken))
      expect(warnings(behind)).toHaveLength(told)
      expect(warnings(writer)).toEqual([])
      expect(
        behind.log.filter(({ level, message }) => level === 'warn' && message === 'clock.skewed'),
      ).toHaveLength(told)
    },
  )

  it(
    'is told by tokens as well, where the session is remembered, and once a minute however much ' +
      'is read',
    async () => {
      const [behind, ahead] = await twoNodes(45)
      const { authToken } = await logIn(ahead)
      for (let i = 0; i < 5; i += 1)
        expect((await get(behind, '/me', bearer(authToken))).status).toBe(200)
      expect(warnings(behind)).toMatchObject([
        { type: 'clock.skewed', seconds: 45, requestId: null },
      ])
      for (const node of [behind, ahead]) node.clock.advance(60)
      expect((await get(behind, '/me', bearer((await logIn(ahead)).authToken))).status).toBe(200)
      expect(warnings(behind)).toHaveLength(2)
    },
  )

  it('comes again at once when the clock was set back since it was told of', async () => {
    const [behind, ahead] = await twoNodes(45)
    await get(behind, '/me', bearer((await logIn(ahead)).authToken))
    behind.clock.advance(-3600)
    await get(behind, '/me', bearer((await logIn(ahead)).authToken))
    expect(warnings(behind)).toMatchObject([{ seconds: 45 }, { seconds: 3645 }])
  })
})
