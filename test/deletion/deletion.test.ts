// Users delete their accounts, and so does the host.
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { createAuthClient } from '../../src/client/client.js'
import { asAlice } from '../accounts/account-host.js'
import { addPasskey } from '../accounts/passkey-host.js'
import { bearer, logIn, post } from '../support/client.js'
import { password } from '../support/host.js'
import { passkeyOptions } from '../support/mounted-passkeys.js'
import { oauthOf } from '../support/oauth-apps.js'
import { identityRecord } from '../support/records.js'
import { begin, codeOf, confirm, expectAnswer, noon } from '../support/two-factor.js'
import {
  askedBy,
  confirmPath,
  deletionsIn,
  leftOf,
  nothingLeft,
  path,
  startDeletion,
} from './deletion-host.js'

describe('a user', () => {
  it('deletes the account by a mailed code, with everything that belongs to it', async () => {
    const oauth = oauthOf()
    const withPasskeys = passkeyOptions()
    const host = await startDeletion({ now: noon, options: { ...withPasskeys, oauth } })
    const alice = await asAlice(host)
    const token = alice.headers.Authorization.replace('Bearer ', '')
    await addPasskey(host, token)
    const secret = await begin(host, token)
    await confirm(host, token, secret)
    const now = host.clock()
    const consent = { userId: 'u-alice', clientId: 'wiki', scopes: ['openid'] }
    await oauth.consents.grant({ ...consent, grantedAt: now, updatedAt: now })
    await host.stores.identities.link(identityRecord({ userId: 'u-alice' }))
    const proof = { password, code: codeOf(host, secret, 1) }
    const { body } = await alice.post(path, proof).expect(202)
    expect(body.data).toEqual({ requestId: expect.stringMatching(/^[\w-]{43}$/), expiresIn: 600 })
    const [mail] = await host.mailed('confirm-deletion')
    expect(mail?.to).toBe('alice@example.com')
    const code = mail?.code?.replace(/(.{4})/, ' $1 ')
    const { requestId } = body.data
    expectAnswer(await alice.post(confirmPath, { requestId, code }), 200)
    expect(await leftOf(host)).toEqual(nothingLeft)
    expect(await withPasskeys.passkeys?.store.listForUser('u-alice')).toEqual([])
    expect(await host.stores.identities.listForUser('u-alice')).toEqual([])
    expect(await oauth.consents.listForUser('u-alice')).toEqual([])
    expect(deletionsIn(host)).toMatchObject([{ userId: 'u-alice' }])
    expect(host.events).toContainEqual(
      expect.objectContaining({ type: 'session.ended', reason: 'account-deleted' }),
    )
    await post(host, '/login', { username: 'alice', password }).expect(401)
  })

  it('with a password shows it, and without a proven address is gone at once', async () => {
    const host = await startDeletion()
    host.users.change('u-alice', { emailVerified: false })
    const alice = await asAlice(host)
    expectAnswer(await alice.post(path), 403, 'reauthentication-required')
    expectAnswer(await alice.post(path, { password: 'wrong' }), 401, 'Unauthorized')
    const done = await alice.post(path, { password })
    expectAnswer(done, 200)
    expect(done.body).toEqual({ status: 'success', data: {} })
    expect(await leftOf(host)).toEqual(nothingLeft)
    expect(await host.mailed('confirm-deletion')).toEqual([])
    expect(deletionsIn(host)).toHaveLength(1)
  })

  it('without a password needs no more than a fresh sign-in', async () => {
    const host = await startDeletion()
    const alice = await asAlice(host)
    host.users.change('u-alice', { emailVerified: false, passwordHash: null })
    host.clock.advance(31)
    expectAnswer(await alice.post(path), 200)
    expect(await leftOf(host)).toEqual(nothingLeft)
  })

  it('with an old session shows a proof, with every factor', async () => {
    const host = await startDeletion({ now: noon })
    const alice = await asAlice(host)
    const token = alice.headers.Authorization.replace('Bearer ', '')
    const secret = await begin(host, token)
    await confirm(host, token, secret)
    host.clock.advance(601)
    expectAnswer(await alice.post(path), 403, 'reauthentication-required')
    expectAnswer(await alice.post(path, { password }), 401, 'totp-required')
    const code = codeOf(host, secret)
    expectAnswer(await alice.post(path, { password, code }), 202)
  })

  it('closes every socket with 4401', async () => {
    const host = await startDeletion()
    host.auth.sockets.attach(host.server, '/ws', new WebSocketServer({ noServer: true }))
    const { authToken } = await logIn(host)
    const url = new URL('/ws', host.url.replace('http', 'ws'))
    const socket = new WebSocket(url, { headers: bearer(authToken) })
    onTestFinished(() => socket.terminate())
    const closed = new Promise<number>((resolve) => void socket.once('close', resolve))
    await new Promise((resolve) => void socket.once('open', resolve))
    const alice = await asAlice(host)
    await alice.post(confirmPath, await askedBy(host, alice)).expect(200)
    expect(await closed).toBe(4401)
  })
})

describe('the host', () => {
  it('deletes an account, also one that is half gone, and says who did it', async () => {
    const host = await startDeletion()
    await asAlice(host)
    await host.auth.accounts.delete('u-alice', { by: 'support:ada' })
    expect(await leftOf(host)).toEqual(nothingLeft)
    expect(deletionsIn(host)).toMatchObject([{ userId: 'u-alice', actor: 'support:ada' }])
    await host.auth.accounts.delete('u-alice')
    await expect(host.auth.accounts.delete('')).rejects.toMatchObject({ code: 'invalid-request' })
  })

  it('without the option is told to set it, and there are no routes', async () => {
    const host = await startDeletion({ accounts: { deletion: false } })
    await expect(host.auth.accounts.delete('u-alice')).rejects.toMatchObject({
      option: 'accounts.deletion',
    })
    const alice = await asAlice(host)
    await alice.post(path).expect(404)
    await alice.post(confirmPath).expect(404)
  })
})

describe('the client', () => {
  async function signedIn() {
    const host = await startDeletion()
    const client = createAuthClient({ baseUrl: host.url })
    await client.signIn({ user: 'alice', password })
    return { host, client }
  }

  it('asks for the code, deletes, and forgets the tokens', async () => {
    const { host, client } = await signedIn()
    const asked = await client.deleteAccount({ password })
    if (asked.status !== 'code-needed') throw new Error(asked.status)
    expect(asked.expiresIn).toBe(600)
    await expect(asked.submit('1')).rejects.toMatchObject({ code: 'proof-refused' })
    expect(client.state.status).toBe('signed-in')
    await asked.submit((await host.mailed('confirm-deletion'))[0]?.code ?? '')
    expect(client.state.status).toBe('signed-out')
    expect(await leftOf(host)).toEqual(nothingLeft)
  })

  it('completes it after an outage, though the session has ended', async () => {
    const { host, client } = await signedIn()
    const asked = await client.deleteAccount({ password })
    if (asked.status !== 'code-needed') throw new Error(asked.status)
    const { code = '' } = (await host.mailed('confirm-deletion'))[0] ?? {}
    let outages = 1
    const real = host.users.delete
    host.users.delete = async (userId) => {
      outages -= 1
      if (outages >= 0) throw new Error('the database is away')
      return real(userId)
    }
    // The client waits as long as it is told, and sends it again.
    await asked.submit(code)
    expect(await leftOf(host)).toEqual(nothingLeft)
  })

  it('says that a user without an address is gone', async () => {
    const { host, client } = await signedIn()
    host.users.change('u-alice', { emailVerified: false })
    expect(await client.deleteAccount({ password })).toEqual({ status: 'deleted' })
    expect(client.state.status).toBe('signed-out')
  })
})
