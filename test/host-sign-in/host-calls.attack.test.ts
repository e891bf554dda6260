import { describe, expect, it } from 'vitest'
import { afterAttack } from '../support/after-attack.js'
import { bearer, get, obtainCode, pkcePair, post } from '../support/client.js'
import { password, passwordHash, startHost, type TestHost } from '../support/host.js'
import { open, startSigningHost } from '../support/host-sign-in.js'
import { replace } from '../support/two-factor.js'

/** As a library with a hole would: while `work` runs, every object has this member. */
async function polluted<T>(name: string, value: unknown, work: () => Promise<T>): Promise<T> {
  Object.defineProperty(Object.prototype, name, { value, configurable: true, writable: true })
  try {
    return await work()
  } finally {
    delete (Object.prototype as Record<string, unknown>)[name]
  }
}

/** From here on every look-up fails; which there were. */
function refuseAll({ stores, users }: TestHost): unknown[] {
  const asked: unknown[] = []
  const fail = async (...given: unknown[]) => {
    asked.push(given)
    throw new Error('a database that takes no such text')
  }
  for (const name of ['find', 'listForUser', 'endAllForUser', 'end'] as const)
    replace(stores.sessions, name, fail)
  replace(users, 'findById', fail)
  return asked
}

const count = async (host: TestHost) => (await host.auth.sessions.list('u-alice')).length
const request = { headers: {}, socket: {} } as never

describe('what a host hands on', () => {
  it('keeps no session, and grants nothing, by a polluted prototype', async () => {
    const host = await startSigningHost({ options: { secondFactor: { acceptHostMfa: true } } })
    const thief = (await open(host)).body
    const { auth } = host
    await polluted('except', thief.session.id, () => auth.passwordChanged('u-alice'))
    expect(await count(host)).toBe(0)
    const other = (await open(host)).body
    await polluted('except', other.session.id, () => auth.sessions.revokeAllForUser('u-alice'))
    expect(await count(host)).toBe(0)

    const { codeChallenge } = pkcePair()
    const asked = { userId: 'u-alice', codeChallenge }
    const issued = await polluted('scope', ['admin'], () => auth.issueAuthorizationCode(asked))
    expect(issued).toHaveProperty('authorizationCode')
    const missing = polluted('userId', 'u-alice', () => auth.sessions.open({ request } as never))
    await expect(missing).rejects.toMatchObject({ status: 400 })
    const unasked = polluted('userId', 'u-alice', () =>
      auth.issueAuthorizationCode({ codeChallenge } as never),
    )
    await expect(unasked).rejects.toMatchObject({ status: 400 })
    await polluted('methods', ['mfa'], () => auth.sessions.open({ userId: 'u-alice', request }))
    const methods = host.events.flatMap((e) => (e.type === 'session.opened' ? [e.methods] : []))
    expect(methods.at(-1)).toEqual(['host'])
    const nameless = polluted('username', 'alice', () =>
      auth.signIn(request, { password } as never),
    )
    await expect(nameless).rejects.toMatchObject({ status: 400 })
    await afterAttack(host, [])
  })

  it('asks no store for an id that none can hold, and is no 503', async () => {
    const host = await startSigningHost()
    const { auth } = host
    const asked = refuseAll(host)
    const { codeChallenge } = pkcePair()
    for (const odd of ['', 'a\0', '\ud800', 'x'.repeat(1025), 7, null, undefined, { $ne: '' }]) {
      const id = odd as string
      const calls = [
        auth.sessions.open({ userId: id, request }),
        auth.sessions.list(id),
        auth.sessions.revoke(id),
        auth.sessions.revokeAllForUser(id),
        auth.sessions.revokeAllForUser('u-alice', { except: odd === undefined ? '' : id }),
        auth.passwordChanged(id),
        auth.issueAuthorizationCode({ userId: id, codeChallenge }),
        auth.secondFactors.status(id),
        auth.secondFactors.reset(id),
      ]
      const results = await Promise.allSettled(calls)
      const statuses = results.map((one) => one.status === 'rejected' && one.reason.status)
      expect([odd, ...statuses]).toEqual([odd, ...calls.map(() => 400)])
    }
    expect(asked).toEqual([])
  })

  it('is a request, or it is 400, whatever else it is', async () => {
    const host = await startSigningHost()
    const { auth } = host
    const odd: unknown[] = [
      undefined,
      null,
      7,
      'request',
      {},
      { headers: {} },
      { socket: {} },
      { headers: null, socket: {} },
      { headers: {}, socket: null },
    ]
    for (const one of odd) {
      const opening = auth.sessions.open({ userId: 'u-alice', request: one as never })
      await expect(opening).rejects.toMatchObject({ status: 400 })
      const signing = auth.signIn(one as never, { username: 'alice', password })
      await expect(signing).rejects.toMatchObject({ status: 400 })
    }
    for (const options of [null, 7, 'x', []] as never[]) {
      const signing = auth.signIn(request, { username: 'alice', password }, options)
      await expect(signing).rejects.toMatchObject({ status: 400 })
      for (const call of [auth.passwordChanged, auth.sessions.revokeAllForUser])
        await expect(call('u-alice', options)).rejects.toMatchObject({ status: 400 })
    }
    expect(await count(host)).toBe(0)
  })

  it('may be a request of a framework that imitates Node’s', async () => {
    const host = await startSigningHost()
    const headers = { 'user-agent': ['a', 'b'], 'x-forwarded-for': 7 }
    const bare = { headers, socket: { remoteAddress: 7 } } as never
    const opened = await host.auth.sessions.open({ userId: 'u-alice', request: bare })
    expect(opened.session).toMatchObject({ ip: null, userAgent: null })
    const signedIn = await host.auth.signIn(bare, { username: 'alice', password })
    expect(signedIn.session).toMatchObject({ ip: null, userAgent: null })
  })
})

describe('a password that changes while the host opens a session', () => {
  async function openMeanwhile(methods: string[], change: (host: TestHost) => Promise<void>) {
    const host = await startSigningHost()
    const { create } = host.stores.sessions
    const mend = replace(host.stores.sessions, 'create', async (session: never) => {
      mend()
      await change(host)
      await create(session)
    })
    const { status, body } = await open(host, { userId: 'u-alice', methods })
    return { host, status, body }
  }
  const another = passwordHash.replace(/.$/, 'H')
  async function changed(host: TestHost) {
    host.users.change('u-alice', { passwordHash: another })
    await host.auth.passwordChanged('u-alice')
  }

  it('leaves no session that the old one has opened, and works again at once', async () => {
    for (const methods of [['pwd'], ['host', 'pwd', 'mfa']]) {
      const { host, status, body } = await openMeanwhile(methods, changed)
      expect([status, body.error]).toEqual([503, 'temporarily-unavailable'])
      expect(await count(host)).toBe(0)
      expect((await open(host, { userId: 'u-alice', methods })).status).toBe(200)
      await afterAttack(host, [])
    }
  })

  it('is nothing to a session that no password has opened', async () => {
    const { host, status, body } = await openMeanwhile(['host'], changed)
    expect(status).toBe(200)
    expect((await get(host, '/me', bearer(body.token))).status).toBe(200)
  })

  it('spends the codes that were issued before', async () => {
    const host = await startSigningHost()
    const { body } = await open(host)
    const code = await obtainCode(host, body.token)
    await changed(host)
    const other = await startHost({ options: { ...host.stores, users: host.users } })
    for (const one of [host, other])
      expect((await post(one, '/auth/pkce/token', code)).status).toBe(400)
  })
})
