import { describe, expect, it } from 'vitest'
import { AuthError, type PasswordHasher } from '../../src/index.js'
import { headersOf, logIn, post } from '../support/client.js'
import { cheapHasher, password, passwordHash, startHost } from '../support/host.js'

const startWith = (hasher: Partial<PasswordHasher>) =>
  startHost({ options: { passwords: { ...cheapHasher, ...hasher } } })
const fail = () => {
  throw new Error(`broken at ${password}`)
}

describe('a hasher', () => {
  it('whose needsRehash throws costs the upgrade, not the login', async () => {
    const host = await startWith({ needsRehash: fail })
    expect((await post(host, '/login', { username: 'alice', password })).status).toBe(200)
    expect(host.users.rows.get('u-alice')?.passwordHash).toBe(passwordHash)
    expect(host.events).toContainEqual(
      expect.objectContaining({ type: 'host.failed', operation: 'passwords.needsRehash' }),
    )
    expect(JSON.stringify([host.events, host.log])).not.toContain(password)
  })

  it('whose canRead throws answers known and unknown names alike', async () => {
    const host = await startWith({ canRead: fail })
    const known = await post(host, '/login', { username: 'alice', password })
    const unknown = await post(host, '/login', { username: 'nobody', password })
    expect(known.status).toBe(401)
    expect(unknown.status).toBe(401)
    expect(known.text).toBe(unknown.text)
    expect(headersOf(known)).toEqual(headersOf(unknown))
    expect(host.events).toContainEqual(
      expect.objectContaining({ type: 'host.failed', operation: 'passwords.canRead' }),
    )
  })

  it('whose canRead or needsRehash answers something merely truthy is not believed', async () => {
    const unread = await startWith({ canRead: () => 'yes' as never })
    expect((await post(unread, '/login', { username: 'alice', password })).status).toBe(401)
    const kept = await startWith({ needsRehash: () => 'yes' as never })
    await logIn(kept)
    expect(kept.users.rows.get('u-alice')?.passwordHash).toBe(passwordHash)
  })

  it('whose verify rejects is an outage for known and unknown names alike', async () => {
    const host = await startWith({ verify: () => Promise.reject(new AuthError('Unauthorized')) })
    const known = await post(host, '/login', { username: 'alice', password })
    const unknown = await post(host, '/login', { username: 'nobody', password })
    expect([known.status, unknown.status]).toEqual([503, 503])
    expect(known.text).toBe(unknown.text)
    expect(headersOf(known)).toEqual(headersOf(unknown))
  })

  it(
    'whose hash rejects makes hashPassword an outage; a password it cannot hash stays the ' +
      'caller’s fault',
    async () => {
      for (const hash of [
        () => Promise.reject(new Error('gone')),
        fail,
        async () => '',
        async () => undefined as never,
      ]) {
        const host = await startWith({ hash })
        await expect(host.auth.hashPassword('secret words')).rejects.toMatchObject({
          code: 'temporarily-unavailable',
          status: 503,
        })
      }
      const picky = await startWith({
        hash: () => Promise.reject(new AuthError('invalid-request', { details: { issues: [] } })),
      })
      await expect(picky.auth.hashPassword('secret words')).rejects.toMatchObject({
        code: 'invalid-request',
        status: 400,
      })
      const other = await startWith({ hash: () => Promise.reject(new AuthError('Unauthorized')) })
      await expect(other.auth.hashPassword('secret words')).rejects.toMatchObject({
        code: 'temporarily-unavailable',
      })
    },
  )

  it('whose hash fails once fails one login: the work for unknown names is prepared again', async () => {
    let calls = 0
    const hash = (plain: string) => {
      calls += 1
      return calls === 1 ? Promise.reject(new Error('not yet')) : cheapHasher.hash(plain)
    }
    const { unmatchable: _none, ...nameless } = cheapHasher
    const host = await startHost({ options: { passwords: { ...nameless, hash } } })
    expect((await post(host, '/login', { username: 'alice', password })).status).toBe(503)
    expect((await post(host, '/login', { username: 'alice', password })).status).toBe(200)
    expect((await post(host, '/login', { username: 'nobody', password })).status).toBe(401)
    expect(calls).toBe(2)
  })

  it('is not asked for a new hash where the host has nowhere to put it', async () => {
    let hashed = 0
    const { users } = await startHost()
    const { updatePasswordHash: _none, ...readOnly } = users
    const passwords = {
      ...cheapHasher,
      needsRehash: () => true,
      hash: (plain: string) => {
        hashed += 1
        return cheapHasher.hash(plain)
      },
    }
    const host = await startHost({ options: { passwords, users: readOnly } })
    await logIn(host)
    await logIn(host)
    expect(hashed).toBe(0)
  })
})
