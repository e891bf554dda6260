import supertest from 'supertest'
import { describe, expect, it, vi } from 'vitest'
import { bearer, get, logIn, remove } from '../support/client.js'
import { gate } from '../support/gate.js'
import { startHost } from '../support/host.js'

describe('a session that was noted more than a minute ago', () => {
  it('is noted once by two hundred requests at once', async () => {
    const host = await startHost()
    const { authToken } = await logIn(host)
    host.clock.advance(120)
    const touches = vi.spyOn(host.stores.sessions, 'touch')
    const { find } = host.stores.sessions
    const slow = gate()
    const isRead = slow.shut()
    vi.spyOn(host.stores.sessions, 'find').mockImplementation(async (id) => {
      await slow.pass()
      return find(id)
    })
    const all = Array.from({ length: 200 }, () => host.auth.authenticate(requestWith(authToken)))
    await isRead
    // Until each has had its token verified, and waits for the one read.
    await new Promise((resolve) => setTimeout(resolve, 300))
    slow.open()
    await Promise.all(all)
    expect(touches).toHaveBeenCalledTimes(1)
  })

  it('is not made to look as before by a read that was under way while it changed', async () => {
    const host = await startHost()
    const { authToken } = await logIn(host)
    host.clock.advance(120)
    const { find } = host.stores.sessions
    const late = gate()
    const isLate = late.shut()
    vi.spyOn(host.stores.sessions, 'find').mockImplementationOnce(async (id) => {
      const old = await find(id)
      await late.pass()
      return old
    })
    const first = host.auth.authenticate(requestWith(authToken))
    await isLate
    const { sid } = JSON.parse(
      Buffer.from(authToken.split('.')[1] as string, 'base64url').toString(),
    )
    await host.stores.sessions.setMethods(sid, ['pwd', 'otp'])
    // What is being read is forgotten, as with every change of a factor in this process.
    vi.spyOn(host.stores.sessions, 'endAllForUser').mockRejectedValueOnce(new Error('down'))
    await expect(host.auth.sessions.revokeAllForUser('u-alice')).rejects.toThrow()
    expect((await host.auth.authenticate(requestWith(authToken))).methods).toContain('otp')
    late.open()
    expect((await first).sessionId).toBe(sid)
    expect((await host.auth.authenticate(requestWith(authToken))).methods).toContain('otp')
  })
})

const requestWith = (token: string) =>
  ({ headers: { authorization: `Bearer ${token}` }, socket: {} }) as never

describe('a session that was ended in another process, and is remembered in this one', () => {
  it.each(['/auth/sessions', '/auth/sessions/:own'])(
    'ends no other session: DELETE %s',
    async (path) => {
      const host = await startHost()
      const thief = (await logIn(host)).authToken
      const owner = (await logIn(host)).authToken
      const { sessions } = (await get(host, '/auth/sessions', bearer(owner))).body.data
      const ownId = sessions.find(({ current }: { current: boolean }) => current).id
      const thiefId = sessions.find(({ current }: { current: boolean }) => !current).id
      expect((await get(host, '/me', bearer(thief))).status).toBe(200)
      await host.stores.sessions.end(thiefId, 'revoked', host.clock())
      expect((await remove(host, path.replace(':own', ownId), bearer(thief))).status).toBe(401)
      expect((await supertest(host.url).get('/me').set(bearer(owner))).status).toBe(200)
    },
  )
})
