import { afterEach, describe, expect, it } from 'vitest'
import { AuthError, type UserStore } from '../../src/index.js'
import { createHostCall, type HostFailure } from '../../src/lib/host-call.js'
import { failClosedUsers } from '../../src/users/fail-closed-users.js'
import { testUsers } from '../support/users.js'

function wrapped(change: Partial<UserStore> = {}) {
  const failures: HostFailure[] = []
  const call = createHostCall(1000, (failure) => failures.push(failure))
  const table = testUsers()
  table.add({ id: 'u-ada', email: 'ada@mail.example' })
  return { users: failClosedUsers({ ...table, ...change }, call), failures }
}

const outage = expect.objectContaining({ name: 'AuthError', code: 'temporarily-unavailable' })
const answering = (answer: unknown) => () => Promise.resolve(answer as never)

describe('an answer of a store of users that breaks the contract', () => {
  const contact = { email: 'ada@mail.example', emailVerified: true }
  it.each<[keyof UserStore, string, unknown]>([
    ['updatePasswordHash', 'a number', 1],
    ['updatePasswordHash', 'nothing', undefined],
    ['updatePasswordHash', 'the changed row', { id: 'u-ada' }],
    ['markEmailVerified', 'a number', 1],
    ['markEmailVerified', 'nothing', undefined],
    ['updateEmail', 'true', true],
    ['updateEmail', 'nothing', undefined],
    ['updateEmail', 'another outcome', { outcome: 'updated' }],
    ['updateEmail', 'the outcome by itself', 'changed'],
    ['findContact', 'an address by itself', 'ada@mail.example'],
    ['findContact', 'no word about the proof', { email: 'ada@mail.example' }],
    ['findContact', 'the proof as a number', { ...contact, emailVerified: 1 }],
    ['findContact', 'the proof as a promise', { ...contact, emailVerified: Promise.resolve(true) }],
    ['findContact', 'a list of addresses', { ...contact, email: ['ada@mail.example'] }],
    ['findContact', 'a language that is no text', { ...contact, locale: 7 }],
    ['findContact', 'the factor as text', { ...contact, emailFactor: 'false' }],
    ['findContact', 'a number as a number', { ...contact, phone: 491701234567 }],
    ['findContact', 'the proof of a number as text', { ...contact, phoneVerified: 'true' }],
    ['updatePhone', 'a boolean', true],
  ])('of %s is an outage: %s', async (method, _what, answer) => {
    const { users, failures } = wrapped({ [method]: answering(answer) })
    const ask = users[method] as (...given: unknown[]) => Promise<unknown>
    await expect(ask('u-ada', 'from', 'to')).rejects.toEqual(outage)
    expect(failures).toEqual([
      { operation: `users.${method}`, error: expect.stringContaining('UnexpectedAnswer') },
    ])
    expect(JSON.stringify(failures)).not.toContain('mail.example')
  })

  it.each<keyof UserStore>(['findContact', 'updateEmail', 'markEmailVerified', 'setEmailFactor'])(
    'of %s is an outage if it rejects, and names no address',
    async (method) => {
      const { users, failures } = wrapped({
        [method]: () => Promise.reject(new Error('duplicate key ada@mail.example')),
      })
      const ask = users[method] as (...given: unknown[]) => Promise<unknown>
      await expect(ask('u-ada', 'from', 'to')).rejects.toBeInstanceOf(AuthError)
      expect(JSON.stringify(failures)).not.toContain('mail.example')
    },
  )
})

describe('the methods for addresses', () => {
  it('are there only if the store has them', () => {
    const { findByIdentifier, findById } = testUsers()
    const { users } = wrapped()
    const few = failClosedUsers(
      { findByIdentifier, findById },
      createHostCall(1000, () => {}),
    )
    expect(Object.keys(few).sort()).toEqual(['findById', 'findByIdentifier'])
    expect(Object.keys(users).sort()).toEqual([
      'accepted',
      'create',
      'delete',
      'findById',
      'findByIdentifier',
      'findContact',
      'markEmailVerified',
      'nameIsFree',
      'requirePasswordChange',
      'setEmailFactor',
      'setPhoneFactor',
      'updateEmail',
      'updatePasswordHash',
      'updatePhone',
    ])
  })

  it('are called on the store itself', async () => {
    class Table {
      readonly address: string = 'ada@mail.example'
      async findByIdentifier() {
        return null
      }
      async findById() {
        return null
      }
      async findContact() {
        return { email: this.address, emailVerified: this.address !== '' }
      }
      async markEmailVerified(_userId: string, email: string) {
        return email === this.address
      }
    }
    const users = failClosedUsers(
      new Table(),
      createHostCall(1000, () => {}),
    )
    expect(await users.markEmailVerified?.('u-ada', 'ada@mail.example')).toBe(true)
    expect(await users.findContact?.('u-ada')).toMatchObject({ email: 'ada@mail.example' })
  })

  it('answer null for nobody, whether the store says null or undefined', async () => {
    for (const nobody of [null, undefined])
      expect(await wrapped({ findContact: answering(nobody) }).users.findContact?.('u-eve')).toBe(
        null,
      )
  })

  it('pass null for the first password', async () => {
    const { users } = wrapped()
    expect(await users.updatePasswordHash?.('u-ada', null, 'hash')).toBe(true)
    expect(await users.updatePasswordHash?.('u-ada', null, 'late')).toBe(false)
  })
})

describe('with a polluted Object.prototype', () => {
  const polluted: Record<string, unknown> = {
    emailVerified: true,
    email: 'eve@mail.example',
    emailFactor: true,
    phone: '+4917012345678',
    phoneVerified: true,
    phoneFactor: true,
    outcome: 'changed',
  }
  afterEach(() => {
    for (const name of Object.keys(polluted))
      delete (Object.prototype as unknown as Record<string, unknown>)[name]
  })

  it('no address is proven or invented, and nothing is changed', async () => {
    Object.assign(Object.prototype, polluted)
    const own = { email: null, emailVerified: false }
    const { users } = wrapped({
      findContact: answering({ ...own }),
      updateEmail: answering({}),
    })
    expect(await users.findContact?.('u-ada')).toEqual({
      ...own,
      locale: null,
      emailFactor: false,
      phone: null,
      phoneVerified: false,
      phoneFactor: false,
    })
    await expect(users.updateEmail?.('u-ada', null, 'eve@mail.example')).rejects.toEqual(outage)
    const silent = wrapped({ findContact: answering({}) })
    await expect(silent.users.findContact?.('u-ada')).rejects.toEqual(outage)
  })
})
