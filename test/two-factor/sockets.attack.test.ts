import { once } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { bearer, logIn } from '../support/client.js'
import { password, startHost, type TestHost } from '../support/host.js'
import {
  begin,
  change,
  codeOf,
  confirm,
  disabling,
  expectUnharmed,
  noon,
  regeneration,
} from '../support/two-factor.js'

/** A host with guarded sockets, and a way to open one and to see how it was closed. */
async function withSockets() {
  const host = await startHost({ now: noon })
  const sockets = new WebSocketServer({ noServer: true })
  host.server.on('upgrade', (request, connection, head) => {
    host.auth.sockets.authenticate(request).then(
      (principal) =>
        sockets.handleUpgrade(
          request,
          connection,
          head,
          (socket) => void host.auth.sockets.track(socket, principal),
        ),
      (error: unknown) => host.auth.sockets.refuse(connection, error),
    )
  })
  onTestFinished(() => {
    for (const client of sockets.clients) client.terminate()
  })
  return { host, sockets }
}

async function open(host: TestHost, token: string) {
  const socket = new WebSocket(host.url.replace('http', 'ws'), { headers: bearer(token) })
  const state: { code: number | null } = { code: null }
  socket.on('close', (code) => {
    state.code = code
  })
  await once(socket, 'open')
  return state
}

describe('the sockets of a user whose second factor changes', () => {
  it(
    'are closed with 4401 but for those of the session the change came from: first code, ' +
      'switching off; not by new recovery codes',
    async () => {
      const { host } = await withSockets()
      const { authToken: token } = await logIn(host)
      const mine = await open(host, token)
      const before = [
        await open(host, (await logIn(host)).authToken),
        await open(host, (await logIn(host)).authToken),
      ]
      const secret = await begin(host, token)
      expect([mine, ...before].map(({ code }) => code)).toEqual([null, null, null])
      await confirm(host, token, secret)
      await expect.poll(() => before.map(({ code }) => code)).toEqual([4401, 4401])

      host.clock.advance(30)
      const login = await logIn(host, { username: 'alice', password, code: codeOf(host, secret) })
      const other = await open(host, login.authToken)
      host.clock.advance(30)
      expect((await change(host, regeneration, token, codeOf(host, secret))).status).toBe(200)
      host.clock.advance(30)
      expect([mine.code, other.code]).toEqual([null, null])
      expect((await change(host, disabling, token, codeOf(host, secret))).status).toBe(200)
      await expect.poll(() => other.code).toBe(4401)
      expect(mine.code).toBeNull()
      await expectUnharmed(host, undefined, secret)
    },
  )

  it('are all closed by a reset and by an import', async () => {
    const { host } = await withSockets()
    const first = await open(host, (await logIn(host)).authToken)
    await host.auth.secondFactors.reset('u-alice')
    await expect.poll(() => first.code).toBe(4401)
    const second = await open(host, (await logIn(host)).authToken)
    const { recoveryCodes } = await host.auth.secondFactors.importTotp({
      userId: 'u-alice',
      secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
    })
    await expect.poll(() => second.code).toBe(4401)
    await expectUnharmed(host, recoveryCodes[0], ...recoveryCodes)
  })
})
