// What could be left behind by a change of a user's factors while something else is under way.
import { describe, expect, it } from 'vitest'
import type { SessionStore } from '../../src/stores/contract.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import type { PasskeyStore } from '../../src/stores/passkey-contract.js'
import { password } from '../support/host.js'
import { assertion, creation, newPasskey } from './authenticator.js'
import { type PasskeyHost, type PasskeySettings, startPasskeys } from './passkey-host.js'

const always: PasskeySettings = { passkeys: { asSecondFactor: 'always' } }
const remove = (host: PasskeyHost, id: string, token: string) =>
  host.ask('DELETE', `/auth/passkeys/${id}`, undefined, token)
const methodsOf = async (host: PasskeyHost) => (await host.sessionsOf()).map((s) => s.methods)

const listed = ({ clock }: PasskeyHost, sessions: SessionStore) =>
  sessions.listForUser('u-alice', clock())

function signal() {
  let send = () => {}
  const sent = new Promise<void>((resolve) => {
    send = resolve
  })
  return { send, sent }
}

/** Once begun, whoever is first waits for the second. */
function twoTogether() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  let begun = false
  let waiting = 0
  return {
    begin: () => {
      begun = true
    },
    async wait() {
      if (!begun) return
      waiting += 1
      if (waiting === 2) resolve()
      await promise
    },
  }
}

describe('after the last passkey', () => {
  it('no session claims one, though two were removed at once', async () => {
    const together = twoTogether()
    const host = await startPasskeys({
      store: (store) => ({
        ...store,
        async listForUser(userId) {
          const rows = await store.listForUser(userId)
          await together.wait()
          return rows
        },
      }),
    })
    const token = await host.logIn()
    const { passkey } = await host.add(token)
    const { passkey: other } = await host.add(token)
    together.begin()
    const answers = await Promise.all([
      remove(host, passkey.id, token),
      remove(host, other.id, token),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(await methodsOf(host)).toEqual([['pwd']])
  })

  it('no session claims one, though it was removed twice at once', async () => {
    const host = await startPasskeys()
    const token = await host.logIn()
    const { passkey } = await host.add(token)
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => remove(host, passkey.id, token)),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(19)
    expect(await methodsOf(host)).toEqual([['pwd']])
  })

  it('no session is given one back, though it failed here and was removed elsewhere', async () => {
    let hasFailed = false
    const host = await startPasskeys({
      store: (store) => ({
        ...store,
        async remove() {
          hasFailed = true
          throw new Error('the database is away')
        },
        async listForUser(userId) {
          const rows = await store.listForUser(userId)
          // By another request, between this look and the write after it.
          if (hasFailed) await store.removeAllForUser(userId)
          return rows
        },
      }),
    })
    const token = await host.logIn()
    const { passkey } = await host.add(token)
    expect((await remove(host, passkey.id, token)).status).toBe(503)
    expect(await methodsOf(host)).toEqual([['pwd']])
  })

  it('no code that was issued before opens a session that claims one', async () => {
    const host = await startPasskeys()
    const token = await host.logIn()
    const { passkey } = await host.add(token)
    const issued = await host.codeFor(token)
    expect((await remove(host, passkey.id, token)).status).toBe(200)
    const opened = await host.post('/auth/pkce/token', issued)
    expect(opened.status).toBe(400)
    expect(await methodsOf(host)).toEqual([['pwd']])
  })

  it('a session that showed it stays, where its user has another factor', async () => {
    const host = await startPasskeys()
    const { passkey } = await host.add(await host.logIn())
    await host.importTotp()
    const { data } = await host.signIn(passkey, {}, { tokens: 'refreshable' })
    const token = data.authToken as string
    expect((await remove(host, passkey.id, token)).status).toBe(200)
    const refreshed = await host.post('/auth/refresh', { refreshToken: data.refreshToken })
    expect(refreshed.status).toBe(200)
  })

  it('a session that showed nothing else still does what a password may', async () => {
    const host = await startPasskeys()
    const { passkey } = await host.add(await host.logIn())
    const { data } = await host.signIn(passkey, {}, { tokens: 'refreshable' })
    const token = data.authToken as string
    expect((await remove(host, passkey.id, token)).status).toBe(200)
    const refreshed = await host.post('/auth/refresh', { refreshToken: data.refreshToken })
    expect(refreshed.status).toBe(200)
    const again = await host.post('/auth/reauthenticate', { password }, token)
    expect(again).toMatchObject({ status: 200, data: { methods: ['pwd'] } })
  })
})

describe('where a second factor is demanded', () => {
  const required: PasskeySettings = {
    passkeys: { asSecondFactor: 'always' },
    options: { secondFactor: { policy: () => 'required' } },
  }

  it('none is claimed by the recovery code of a passkey that is removed', async () => {
    const host = await startPasskeys(required)
    const { added, passkey } = await host.add(await host.logIn())
    const [code] = added.data.recoveryCodes ?? []
    const token = await host.logIn({ username: 'alice', password, code })
    expect((await remove(host, passkey.id, token)).status).toBe(200)
    expect(await methodsOf(host)).toEqual([['pwd']])
    const { status, body } = await host.ask('GET', '/me', undefined, token)
    expect({ status, error: body.error }).toEqual({
      status: 403,
      error: 'second-factor-enrolment-required',
    })
  })

  it('nor by TOTP that another process has switched off a moment ago', async () => {
    const { one, other } = await startTwo()
    const token = await one.logIn()
    const { passkey } = await one.add(token)
    await one.importTotp()
    const session = (await one.sessionsOf())[0]
    await one.stores.sessions.setMethods(session?.id ?? '', ['pwd', 'otp', 'passkey'])
    expect((await other.ask('GET', '/me', undefined, token)).status).toBe(200)
    const code = one.totpCode()
    expect((await one.post('/auth/totp/disable', { password, code }, token)).status).toBe(200)
    expect((await remove(other, passkey.id, token)).status).toBe(200)
    expect(await methodsOf(one)).toEqual([['pwd']])
  })

  it('nor by a proof that writes while TOTP is being switched off', async () => {
    const { secondFactors, sessions } = memoryStores()
    let meanwhile = async () => {}
    const host = await startPasskeys({
      options: {
        sessions,
        secondFactors: {
          ...secondFactors,
          async deactivate(...given) {
            await meanwhile()
            return secondFactors.deactivate(...given)
          },
        },
      },
    })
    const token = await host.logIn()
    await host.importTotp(secondFactors)
    const [session] = await listed(host, sessions)
    meanwhile = () => sessions.setMethods(session?.id ?? '', ['pwd', 'otp'])
    const body = { password, code: host.totpCode() }
    expect((await host.post('/auth/totp/disable', body, token)).status).toBe(200)
    expect((await listed(host, sessions)).map(({ methods }) => methods)).toEqual([['pwd']])
  })
})

describe('TOTP that is being switched off while the last passkey is removed', () => {
  it.each([200, 503])('leaves no session that claims a factor, answered %i', async (status) => {
    const { secondFactors, sessions } = memoryStores()
    let meanwhile = async () => {}
    const host = await startPasskeys({
      passkeys: { asSecondFactor: 'always' },
      options: {
        sessions,
        secondFactor: { policy: () => 'required' },
        secondFactors: {
          ...secondFactors,
          async deactivate(...given) {
            await meanwhile()
            const result = await secondFactors.deactivate(...given)
            if (status === 503) throw new Error('the answer was lost')
            return result
          },
        },
      },
    })
    const token = await host.logIn()
    const { passkey } = await host.add(token)
    await host.importTotp(secondFactors)
    meanwhile = async () => {
      meanwhile = async () => {}
      expect((await remove(host, passkey.id, token)).status).toBe(200)
    }
    const body = { password, code: host.totpCode() }
    expect((await host.post('/auth/totp/disable', body, token)).status).toBe(status)
    expect((await listed(host, sessions)).map(({ methods }) => methods)).toEqual([['pwd']])
    expect((await host.ask('GET', '/me', undefined, token)).status).toBe(403)
  })
})

async function startTwo() {
  const one = await startPasskeys()
  const { sessions, codes, tickets, secondFactors } = one.stores
  const other = await startPasskeys({
    store: () => one.store,
    passkeys: { once: one.once },
    options: { sessions, codes, tickets, secondFactors },
  })
  const advance = (seconds: number) => [one, other].map(({ clock }) => clock.advance(seconds))
  return { one, other, advance }
}

describe('a proof that has looked at its session before the last passkey was removed', () => {
  /** A host in which `meanwhile` runs between the look and the write of the next proof. */
  async function startInterrupted(changed: (store: PasskeyStore) => PasskeyStore = (same) => same) {
    const { sessions } = memoryStores()
    let meanwhile: () => Promise<unknown> = async () => {}
    const host = await startPasskeys({
      store: changed,
      options: {
        sessions: {
          ...sessions,
          async setAuthenticated(...given) {
            await meanwhile()
            return sessions.setAuthenticated?.(...given)
          },
        },
      },
    })
    const token = await host.logIn()
    const { passkey } = await host.add(token)
    const interruptedBy = (work: () => Promise<unknown>) => {
      meanwhile = work
    }
    const methods = async () => (await listed(host, sessions)).map((session) => session.methods)
    return { host, token, passkey, interruptedBy, methods }
  }

  it('claims none when it writes after the removal', async () => {
    const { host, token, passkey, interruptedBy, methods } = await startInterrupted()
    interruptedBy(async () => {
      expect((await remove(host, passkey.id, token)).status).toBe(200)
    })
    const { status, data } = await host.post('/auth/reauthenticate', { password }, token)
    expect({ status, methods: data['methods'] }).toEqual({ status: 200, methods: ['pwd'] })
    expect(await methods()).toEqual([['pwd']])
  })

  it('nor when it writes in the middle of it', async () => {
    const proved = signal()
    const atTheRow = signal()
    const { host, token, passkey, interruptedBy, methods } = await startInterrupted((store) => ({
      ...store,
      async remove(...given) {
        atTheRow.send()
        await proved.sent
        return store.remove(...given)
      },
    }))
    let removing: Promise<{ status: number }> | undefined
    interruptedBy(() => {
      removing = remove(host, passkey.id, token)
      return atTheRow.sent
    })
    const { data } = await host.post('/auth/reauthenticate', { password }, token)
    // At that moment there still is one.
    expect(data['methods']).toEqual(['pwd', 'passkey'])
    proved.send()
    expect((await removing)?.status).toBe(200)
    expect(await methods()).toEqual([['pwd']])
  })
})

describe('a passkey that is removed before the session that made it has noted it', () => {
  it('is claimed by no session', async () => {
    const { sessions } = memoryStores()
    let meanwhile: (() => Promise<unknown>) | null = null
    const host = await startPasskeys({
      options: {
        sessions: {
          ...sessions,
          async setMethods(id, methods) {
            if (methods.includes('passkey')) await meanwhile?.()
            return sessions.setMethods(id, methods)
          },
        },
      },
    })
    const token = await host.logIn()
    const made = newPasskey()
    meanwhile = async () => {
      meanwhile = null
      expect((await remove(host, made.id, token)).status).toBe(200)
    }
    const { data } = await host.post('/auth/passkeys/options', {}, token)
    const response = creation(made, data.challenge as string)
    expect((await host.post('/auth/passkeys', { response }, token)).status).toBe(200)
    const after = await listed(host, sessions)
    expect(after.map(({ methods }) => methods)).toEqual([['pwd']])
  })
})

describe('a passkey that is added while its session ends', () => {
  it('is not there afterwards', async () => {
    let ending: (() => Promise<unknown>) | null = null
    const host = await startPasskeys({
      store: (store) => ({
        ...store,
        async create(...given) {
          await ending?.()
          return store.create(...given)
        },
      }),
    })
    const thief = await host.logIn()
    const { data } = await host.post('/auth/passkeys/options', {}, thief)
    ending = () => host.auth.sessions.revokeAllForUser('u-alice')
    const response = creation(newPasskey(), data.challenge as string)
    const { status } = await host.post('/auth/passkeys', { response }, thief)
    expect(status).toBe(401)
    expect(await host.store.listForUser('u-alice')).toEqual([])
  })

  it('is told of where it cannot be removed any more', async () => {
    let ending: (() => Promise<unknown>) | null = null
    const host = await startPasskeys({
      store: (store) => ({
        ...store,
        async create(...given) {
          await ending?.()
          return store.create(...given)
        },
        remove: () => Promise.reject(new Error('the database is away')),
      }),
    })
    const thief = await host.logIn()
    const { data } = await host.post('/auth/passkeys/options', {}, thief)
    ending = () => host.auth.sessions.revokeAllForUser('u-alice')
    const response = creation(newPasskey(), data.challenge as string)
    expect((await host.post('/auth/passkeys', { response }, thief)).status).toBe(503)
    expect(await host.store.listForUser('u-alice')).toHaveLength(1)
    expect(host.events.filter(({ type }) => type === 'passkey.added')).toHaveLength(1)
  })

  it('is not there after a reset either', async () => {
    let resetting: (() => Promise<unknown>) | null = null
    const host = await startPasskeys({
      store: (store) => ({
        ...store,
        async removeAllForUser(...given) {
          const removed = await store.removeAllForUser(...given)
          await resetting?.()
          return removed
        },
      }),
    })
    const thief = await host.logIn()
    const { data } = await host.post('/auth/passkeys/options', {}, thief)
    const response = creation(newPasskey(), data.challenge as string)
    resetting = () => host.post('/auth/passkeys', { response }, thief)
    await host.auth.passkeys.reset('u-alice')
    expect(await host.store.listForUser('u-alice')).toEqual([])
  })
})

describe('in two processes', () => {
  it('what was proved anew in one is known to the other at once', async () => {
    const { one, other, advance } = await startTwo()
    const token = await one.logIn()
    const { passkey } = await one.add(token)
    advance(601)
    const delicate = () => other.ask('GET', '/delicate', undefined, token)
    expect((await delicate()).status).toBe(403)
    expect((await one.post('/auth/reauthenticate', { password }, token)).status).toBe(200)
    expect((await delicate()).status).toBe(200)
    expect((await remove(other, passkey.id, token)).status).toBe(200)
  })

  it('a factor that was switched off in one is not brought back by the other', async () => {
    const { one, other } = await startTwo()
    const token = await one.logIn()
    const { passkey } = await one.add(token)
    expect((await other.ask('GET', '/me', undefined, token)).status).toBe(200)
    expect((await remove(one, passkey.id, token)).status).toBe(200)
    const { data } = await other.post('/auth/reauthenticate', { password }, token)
    expect(data['methods']).toEqual(['pwd'])
    expect(await methodsOf(one)).toEqual([['pwd']])
  })
})

describe('where a passkey is demanded', () => {
  it('a password alone adds no TOTP in its place', async () => {
    const host = await startPasskeys(always)
    const thief = await host.logIn()
    await host.add(await host.logIn())
    const { status, body } = await host.post('/auth/totp', { password }, thief)
    expect({ status, error: body.error }).toEqual({
      status: 403,
      error: 'reauthentication-required',
    })
  })

  it('nor in a session that was opened before the user had one', async () => {
    const host = await startPasskeys({ options: { secondFactor: { policy: () => 'required' } } })
    const thief = await host.logIn()
    await host.add(await host.logIn())
    expect((await host.post('/auth/totp', { password }, thief)).body.error).toBe(
      'reauthentication-required',
    )
  })

  it('a session that has yet to show one shows it, and goes on', async () => {
    const host = await startPasskeys({ options: { secondFactor: { policy: () => 'required' } } })
    const before = await host.logIn()
    const { passkey } = await host.add(await host.logIn())
    const me = () => host.ask('GET', '/me', undefined, before)
    expect((await me()).body.error).toBe('second-factor-enrolment-required')
    const shown = assertion(passkey, await host.challenge(before))
    expect((await host.post('/auth/reauthenticate', { password }, before)).status).toBe(401)
    expect((await me()).status).toBe(403)
    expect((await host.post('/auth/reauthenticate', { passkey: shown }, before)).status).toBe(200)
    expect((await me()).status).toBe(200)
  })

  it('who proves it anew by the password is told of it, before the recovery codes', async () => {
    const host = await startPasskeys(always)
    const token = await host.logIn()
    await host.add(token)
    const prove = async (body: object) =>
      (await host.post('/auth/reauthenticate', { password, ...body }, token)).body
    const ways = { method: 'passkey', availableMethods: ['passkey', 'recovery'] }
    expect(await prove({})).toMatchObject({ error: 'totp-required', details: ways })
    expect(await prove({ code: '000000' })).toMatchObject({ error: 'totp-invalid', details: ways })
    await host.importTotp()
    const { details } = await prove({})
    expect(details).toMatchObject({
      method: 'totp',
      availableMethods: ['totp', 'recovery', 'passkey'],
    })
  })

  it('one who signed in by a recovery code signs in to other programs', async () => {
    const host = await startPasskeys(always)
    const { added } = await host.add(await host.logIn())
    const [code] = added.data.recoveryCodes ?? []
    const token = await host.logIn({ username: 'alice', password, code })
    const issued = await host.codeFor(token)
    const opened = await host.post('/auth/pkce/token', issued)
    expect(opened.status).toBe(200)
  })
})
