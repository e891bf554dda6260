// Ways to delete somebody else's account, and to keep something of one that is being deleted.
import { describe, expect, it } from 'vitest'
import { sha256 } from '../../src/lib/secrets.js'
import { asAlice, newPassword, reset, tokenFor } from '../accounts/account-host.js'
import { bearer, get, logIn, obtainCode, post } from '../support/client.js'
import { gate } from '../support/gate.js'
import { tally } from '../support/guessing.js'
import { password, passwordHash } from '../support/host.js'
import { makeToken } from '../support/named-tokens.js'
import { begin, breakDown, codeOf, confirm, expectAnswer, noon } from '../support/two-factor.js'
import {
  askedBy,
  confirmPath,
  deletionsIn,
  leftOf,
  nothingLeft,
  path,
  startDeletion,
} from './deletion-host.js'

describe('a thief', () => {
  it('of an old session cannot even ask, and of a named token never', async () => {
    const host = await startDeletion({ options: { namedTokens: true } })
    const { authToken } = await logIn(host)
    const { token } = await makeToken(host, authToken)
    host.clock.advance(601)
    expectAnswer(await post(host, path, {}, bearer(authToken)), 403, 'reauthentication-required')
    for (const at of [path, confirmPath])
      expectAnswer(await post(host, at, { password }, bearer(token)), 403, 'forbidden')
    expect(await host.mailed('confirm-deletion')).toEqual([])
  })

  it('of a fresh session deletes nobody without password and mailbox, who is told', async () => {
    const host = await startDeletion()
    const alice = await asAlice(host)
    expectAnswer(await alice.post(path), 403, 'reauthentication-required')
    const { requestId } = await askedBy(host, alice)
    for (let guess = 0; guess < 5; guess += 1)
      await alice.post(confirmPath, { requestId, code: 'no code' }).expect(400)
    const { code } = (await host.mailed('confirm-deletion'))[0] ?? {}
    expectAnswer(await alice.post(confirmPath, { requestId, code }), 400, 'proof-refused')
    expect((await leftOf(host)).user).not.toBeNull()
    await alice.get('/me').expect(200)
  })

  it('of the code needs the very session: neither another one of alice nor bob’s', async () => {
    const host = await startDeletion()
    host.users.add({ id: 'u-bob', username: 'bob', passwordHash, emailVerified: true })
    const alice = await asAlice(host)
    const asked = await askedBy(host, alice)
    const bob = bearer((await logIn(host, { username: 'bob', password })).authToken)
    const other = await asAlice(host)
    expectAnswer(await post(host, confirmPath, asked, bob), 400, 'proof-refused')
    expectAnswer(await other.post(confirmPath, asked), 400, 'proof-refused')
    expectAnswer(await post(host, confirmPath, asked), 401, 'Unauthorized')
    expectAnswer(await post(host, confirmPath, {}), 401, 'Unauthorized')
    const bobs = await post(host, path, { password }, bob).expect(202)
    const mixed = { requestId: bobs.body.data.requestId, code: asked.code }
    expectAnswer(await alice.post(confirmPath, mixed), 400, 'proof-refused')
    // None of them took a try.
    expectAnswer(await alice.post(confirmPath, asked), 200)
    expect((await leftOf(host, 'u-bob')).user).not.toBeNull()
  })

  it('cannot use a code of another purpose, nor one that is too old', async () => {
    const host = await startDeletion({ accounts: { emailSignIn: true } })
    const alice = await asAlice(host)
    const { body } = await post(host, '/auth/code', { username: 'alice' }).expect(202)
    const { code } = (await host.mailed('sign-in-code'))[0] ?? {}
    const signIn = { requestId: body.data.requestId, code }
    expectAnswer(await alice.post(confirmPath, signIn), 400, 'proof-refused')
    const asked = await askedBy(host, alice)
    expectAnswer(await post(host, '/auth/code/login', asked), 400, 'proof-refused')
    expectAnswer(await alice.post('/auth/email/confirm', asked), 400, 'proof-refused')
    host.clock.advance(600)
    expectAnswer(await alice.post(confirmPath, asked), 400, 'proof-refused')
  })

  it('finds no note of a deletion that would do as a proof', async () => {
    const host = await startDeletion()
    const alice = await asAlice(host)
    const asked = await askedBy(host, alice)
    const mend = breakDown(host.users, 'delete')
    expectAnswer(await alice.post(confirmPath, asked), 503)
    mend()
    const hash = sha256(asked.requestId)
    for (const code of [asked.code, '', '00000000'])
      for (const requestId of [JSON.stringify(['begun', hash]), hash])
        expect((await post(host, confirmPath, { requestId, code })).status).toBeOneOf([400, 401])
    expect((await leftOf(host)).user).not.toBeNull()
  })
})

describe('a deletion that was interrupted', () => {
  it('is completed by the same code without a session, once, and by nobody else', async () => {
    const host = await startDeletion()
    const alice = await asAlice(host)
    const asked = await askedBy(host, alice)
    const mend = breakDown(host.users, 'delete')
    const failed = await alice.post(confirmPath, asked)
    expectAnswer(failed, 503, 'temporarily-unavailable')
    expect(deletionsIn(host)).toEqual([])
    await alice.get('/me').expect(401)
    mend()
    const guess = { ...asked, code: 'no code' }
    expectAnswer(await post(host, confirmPath, guess), 400, 'proof-refused')
    expectAnswer(await post(host, confirmPath, asked), 200)
    expect(await leftOf(host)).toEqual(nothingLeft)
    expectAnswer(await post(host, confirmPath, asked), 400, 'proof-refused')
    expectAnswer(await alice.post(confirmPath, asked), 400, 'proof-refused')
    expect(deletionsIn(host)).toHaveLength(1)
  })

  it('lets nobody in by the password alone, while the user is still there', async () => {
    const host = await startDeletion({ now: noon })
    const alice = await asAlice(host)
    const token = alice.headers.Authorization.replace('Bearer ', '')
    const secret = await begin(host, token)
    await confirm(host, token, secret)
    const asked = await askedBy(host, alice, { password, code: codeOf(host, secret, 1) })
    const mend = breakDown(host.users, 'delete')
    expectAnswer(await alice.post(confirmPath, asked), 503, 'temporarily-unavailable')
    const byPassword = () => post(host, '/login', { username: 'alice', password })
    expectAnswer(await byPassword(), 401, 'totp-required')
    mend()
    expectAnswer(await post(host, confirmPath, asked), 200)
    expectAnswer(await byPassword(), 401, 'Unauthorized')
    expect(await leftOf(host)).toEqual(nothingLeft)
  })

  it('is completed by the host as well', async () => {
    const host = await startDeletion()
    const alice = await asAlice(host)
    const asked = await askedBy(host, alice)
    const mend = breakDown(host.users, 'delete')
    expectAnswer(await alice.post(confirmPath, asked), 503)
    await expect(host.auth.accounts.delete('u-alice')).rejects.toMatchObject({ status: 503 })
    mend()
    await host.auth.accounts.delete('u-alice')
    expect(await leftOf(host)).toEqual(nothingLeft)
  })

  it('that never began needs its session', async () => {
    const host = await startDeletion()
    const alice = await asAlice(host)
    const asked = await askedBy(host, alice)
    const { save } = host.stores.proofs
    host.stores.proofs.save = async () => {
      throw new Error('the database is away')
    }
    expectAnswer(await alice.post(confirmPath, asked), 503)
    host.stores.proofs.save = save
    await alice.get('/me').expect(200)
    expectAnswer(await post(host, confirmPath, asked), 401, 'Unauthorized')
    expectAnswer(await alice.post(confirmPath, asked), 200)
  })

  it('of 50 at once one is told that it is done', async () => {
    const host = await startDeletion({
      options: { throttle: { mail: { codes: { points: 100, duration: 60 } } } },
    })
    const alice = await asAlice(host)
    const asked = await askedBy(host, alice)
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => alice.post(confirmPath, asked)),
    )
    const statuses = tally(answers.map(({ status }) => status))
    expect(statuses[200]).toBe(1)
    expect(Object.keys(statuses).every((one) => ['200', '400', '401'].includes(one))).toBe(true)
    expect(deletionsIn(host)).toHaveLength(1)
    expect(await leftOf(host)).toEqual(nothingLeft)
  })
})

describe('what runs while its user is deleted', () => {
  /** Holds a request in its middle, deletes alice meanwhile, and answers what it comes to. */
  async function held(
    hold: 'describeUser' | 'beforeLogin' | 'updatePasswordHash',
    prepare: (host: Host) => Promise<() => PromiseLike<{ status: number; text: string }>>,
  ) {
    const door = gate()
    const pass = async () => void (await door.pass())
    const options = hold === 'updatePasswordHash' ? {} : { [hold]: pass }
    const host = await startDeletion({ accounts: { emailSignIn: true }, options })
    if (hold === 'updatePasswordHash') {
      const real = host.users.updatePasswordHash
      host.users.updatePasswordHash = async (...given) => {
        await pass()
        return real(...given)
      }
    }
    const ask = await prepare(host)
    const arrived = door.shut()
    const answer = Promise.resolve(ask())
    await arrived
    await host.auth.accounts.delete('u-alice')
    door.open()
    const { status } = await answer
    expect(status).toBeOneOf([400, 401])
    expect(await leftOf(host)).toEqual(nothingLeft)
  }
  type Host = Awaited<ReturnType<typeof startDeletion>>

  it('a login comes to nothing', () =>
    held(
      'describeUser',
      async (host) => () => post(host, '/login', { username: 'alice', password }),
    ))

  it('a sign-in by a mailed code comes to nothing', () =>
    held('describeUser', async (host) => {
      const { body } = await post(host, '/auth/code', { username: 'alice' }).expect(202)
      const { code } = (await host.mailed('sign-in-code'))[0] ?? {}
      const sent = { requestId: body.data.requestId, code }
      return () => post(host, '/auth/code/login', sent)
    }))

  it('a code exchange comes to nothing', () =>
    held('beforeLogin', async (host) => {
      const code = await obtainCode(host, (await logIn(host)).authToken)
      return () => post(host, '/auth/pkce/token', code)
    }))

  it('a refresh comes to nothing', () =>
    held('beforeLogin', async (host) => {
      const code = await obtainCode(host, (await logIn(host)).authToken)
      const { refresh_token: refreshToken } = (await post(host, '/auth/pkce/token', code)).body
      return () => post(host, '/auth/refresh', { refreshToken })
    }))

  it('a reset comes to nothing', () =>
    held('updatePasswordHash', async (host) => {
      const token = await tokenFor(host)
      return () => reset(host, token, newPassword)
    }))

  it('a session that was opened in between is ended with the rest', async () => {
    const host = await startDeletion()
    const alice = await asAlice(host)
    const asked = await askedBy(host, alice)
    const door = gate()
    const real = host.users.delete
    host.users.delete = async (userId) => {
      await door.pass()
      return real(userId)
    }
    const arrived = door.shut()
    const deletion = alice.post(confirmPath, asked).then((response) => response)
    await arrived
    const { authToken } = await logIn(host)
    door.open()
    expectAnswer(await deletion, 200)
    await get(host, '/me', bearer(authToken)).expect(401)
    expect(await leftOf(host)).toEqual(nothingLeft)
  })
})
