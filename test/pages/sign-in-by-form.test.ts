import { describe, expect, it } from 'vitest'
import { AuthError } from '../../src/errors.js'
import { readSessionSecret } from '../../src/tokens/session-secret.js'
import { cheapHasher, password } from '../support/host.js'
import { binding } from './flow-parts.js'
import { flowOf, kindOf, recoveryCode, startForms } from './form-host.js'

describe('signing in by a form', () => {
  it.each(['alice', 'ALICE', 'alice@example.com', ' Alice@Example.com '])(
    'takes a name or an address, as people type them: %j',
    async (username) => {
      const { typePassword } = await startForms({ withFactor: false })
      expect(kindOf(await typePassword({ username }))).toBe('signed-in')
    },
  )

  it('opens a session of a browser, and begins a flow that only its cookie opens', async () => {
    const { typePassword, flows, sessionsOf, typesOf } = await startForms({ withFactor: false })
    const result = await typePassword()
    if (result.next !== 'signed-in') throw new Error(result.next)
    const { token: browser, session, required } = result.loggedIn
    expect([readSessionSecret('browser', browser)?.sessionId, required]).toEqual([session.id, []])
    expect(await sessionsOf()).toMatchObject([
      { id: session.id, kind: 'browser', methods: ['pwd'] },
    ])
    expect(flows.open(result.flow, { ...binding, browser })).toMatchObject({
      done: ['login'],
      pending: null,
    })
    expect(flows.open(result.flow, binding)).toBeNull()
    expect(typesOf()).toEqual(['login.succeeded'])
  })

  it.each([
    [true, 90 * 24],
    [false, 24],
  ])('lasts as long as the user wants: %s', async (stay, hours) => {
    const { typePassword, typeCode, code, clock } = await startForms()
    // The wish is made on the first page, and granted on the second.
    const result = await typeCode(code(), flowOf(await typePassword({ stay })))
    if (result.next !== 'signed-in') throw new Error(result.next)
    expect(result.stay).toBe(stay)
    const { expiresAt } = result.loggedIn.session
    expect((expiresAt.getTime() - clock().getTime()) / 3_600_000).toBe(hours)
  })

  it('keeps what was done before in the flow', async () => {
    const { typePassword, typeCode, code, flows } = await startForms()
    const before = flows.seal(flows.withStep(flows.begin(), 'select_account'), binding)
    const result = await typeCode(code(), flowOf(await typePassword({}, before)))
    if (result.next !== 'signed-in') throw new Error(result.next)
    const { flow, loggedIn } = result
    expect(flows.open(flow, { ...binding, browser: loggedIn.token })?.done).toEqual([
      'login',
      'select_account',
    ])
  })

  it('says that a second factor must be set up', async () => {
    const { typePassword } = await startForms({
      withFactor: false,
      options: { secondFactor: () => 'required' },
    })
    expect(await typePassword()).toMatchObject({
      next: 'signed-in',
      loggedIn: { required: ['enrol'] },
    })
  })
})

describe('a second factor that is due', () => {
  it('is asked for after the password, which need not be typed again', async () => {
    const { typePassword, typeCode, code, sessionsOf, typesOf } = await startForms()
    const due = await typePassword()
    expect(due).toMatchObject({
      next: 'factor-due',
      methods: ['totp', 'recovery'],
      isSent: false,
    })
    expect(await sessionsOf()).toEqual([])
    expect(kindOf(await typeCode(code(), flowOf(due)))).toBe('signed-in')
    expect(await sessionsOf()).toMatchObject([{ kind: 'browser', methods: ['pwd', 'otp'] }])
    expect(typesOf()).toEqual(['login.failed', 'login.succeeded'])
  })

  it.each(['123 456', ' 123456 ', '12 34 56'])('may be typed in groups: %j', async (groups) => {
    const { typePassword, typeCode, code } = await startForms()
    const flow = flowOf(await typePassword())
    const digits = [...code()]
    const typed = groups.replaceAll(/[0-9]/g, () => digits.shift() as string)
    expect(kindOf(await typeCode(typed, flow))).toBe('signed-in')
  })

  it('may be a recovery code', async () => {
    const { typePassword, typeCode } = await startForms()
    const result = await typeCode('abcd-efgh ijkl mnop-qrst-uvwx', flowOf(await typePassword()))
    expect(result).toMatchObject({
      next: 'signed-in',
      loggedIn: { session: { methods: ['pwd', 'recovery'] } },
    })
    expect(recoveryCode).toHaveLength(24)
  })

  it('may be tried again after a wrong code, from the same page', async () => {
    const { typePassword, typeCode, code } = await startForms()
    const flow = flowOf(await typePassword())
    const wrong = code() === '000000' ? '111111' : '000000'
    const refusal = { next: 'again', status: 422, fault: { kind: 'wrong' } }
    expect(await typeCode(wrong, flow)).toEqual(refusal)
    expect(await typeCode('wrong-words', flow)).toEqual(refusal)
    expect(await typeCode('', flow)).toEqual(refusal)
    expect(kindOf(await typeCode(code(), flow))).toBe('signed-in')
  })

  it('is not counted where nothing was typed', async () => {
    const { typePassword, typeCode, code } = await startForms()
    const flow = flowOf(await typePassword())
    for (let i = 0; i < 12; i += 1) expect(kindOf(await typeCode(' ', flow))).toBe('wrong')
    expect(kindOf(await typeCode(code(), flow))).toBe('signed-in')
  })

  it('forgets wrong codes with the right one', async () => {
    const { typePassword, typeCode, code, clock } = await startForms()
    for (let round = 0; round < 2; round += 1) {
      const flow = flowOf(await typePassword())
      for (let i = 0; i < 9; i += 1) expect(kindOf(await typeCode('wrong', flow))).toBe('wrong')
      expect(kindOf(await typeCode(code(), flow))).toBe('signed-in')
      clock.advance(30)
    }
  })

  it('is sent where it works that way, and once more when asked for', async () => {
    let sent = 0
    const { typePassword, typeCode } = await startForms({
      withFactor: false,
      options: {
        otherFactors: [
          {
            name: 'email',
            isEnabled: async () => true,
            verify: async (_user, code) => ({
              outcome: code === '424242' ? 'accepted' : 'refused',
            }),
            sendCode: async () => {
              sent += 1
            },
          },
        ],
      },
    })
    const due = await typePassword()
    expect(due).toMatchObject({ next: 'factor-due', methods: ['email'], isSent: true })
    const again = await typeCode(null, flowOf(due))
    expect([again, sent]).toMatchObject([{ next: 'factor-due', isSent: true }, 2])
    expect(kindOf(await typeCode('424242', flowOf(again)))).toBe('signed-in')
  })

  it('gives back what was counted against the name, as a login in one step does', async () => {
    const { typePassword, typeCode, code, clock } = await startForms()
    const wrong = () => typePassword({ password: 'wrong' })
    for (let i = 0; i < 4; i += 1) expect(kindOf(await wrong())).toBe('wrong')
    expect(kindOf(await typeCode(code(), flowOf(await typePassword())))).toBe('signed-in')
    clock.advance(30)
    for (let i = 0; i < 4; i += 1) expect(kindOf(await wrong())).toBe('wrong')
    expect(kindOf(await typeCode(code(), flowOf(await typePassword())))).toBe('signed-in')
  })

  it('brings the hash up to date while there is a password, and goes on from the new one', async () => {
    const { typePassword, typeCode, code, users } = await startForms({
      options: {
        passwords: {
          ...cheapHasher,
          needsRehash: (hash) => !hash.startsWith('new'),
          hash: async () => 'new hash',
          verify: async (plain, hash) => hash === 'new hash' || cheapHasher.verify(plain, hash),
        },
      },
    })
    const flow = flowOf(await typePassword())
    expect(users.rows.get('u-alice')?.passwordHash).toBe('new hash')
    expect(kindOf(await typeCode(code(), flow))).toBe('signed-in')
  })
})

describe('a form that is refused', () => {
  it('says no more of the name than of the password', async () => {
    const { typePassword } = await startForms()
    const wrong = { next: 'again', status: 422, fault: { kind: 'wrong' } }
    for (const fields of [
      { password: 'wrong' },
      { username: 'nobody' },
      { username: '' },
      { password: '' },
      { username: 'x'.repeat(321) },
      { username: 'a\nb' },
      { username: '\u212b' },
      { username: '\ud800' },
    ])
      expect(await typePassword(fields), JSON.stringify(fields)).toEqual(wrong)
  })

  it('says what the host says', async () => {
    const { typePassword, typeCode, code } = await startForms({
      options: { beforeLogin: () => 'Not on Sundays.' },
    })
    const flow = flowOf(await typePassword())
    const message = 'Not on Sundays.'
    expect(await typeCode(code(), flow)).toEqual({
      next: 'again',
      status: 403,
      fault: { kind: 'refused', message },
    })
  })

  it('says when to come back, where a limit is reached', async () => {
    const { typePassword } = await startForms()
    for (let i = 0; i < 5; i += 1) await typePassword({ password: 'wrong' })
    expect(await typePassword()).toEqual({
      next: 'again',
      status: 429,
      fault: { kind: 'throttled', retryAfter: expect.any(Number) },
    })
  })

  it('says so where something is away, and the step is not used up', async () => {
    const { typePassword, typeCode, code, stores, sessionsOf } = await startForms()
    const { find } = stores.secondFactors
    const busy = {
      next: 'again',
      status: 503,
      fault: { kind: 'busy', retryAfter: expect.any(Number) },
    }
    const away = async () => {
      throw new Error('away')
    }
    stores.secondFactors.find = away
    expect(await typePassword()).toEqual(busy)
    stores.secondFactors.find = find
    const flow = flowOf(await typePassword())
    stores.secondFactors.find = away
    expect(await typeCode(code(), flow)).toEqual(busy)
    stores.secondFactors.find = find
    expect(await sessionsOf()).toEqual([])
    expect(kindOf(await typeCode(code(), flow))).toBe('signed-in')
  })

  it('hands on what is nobody’s to be told', async () => {
    const fault = new AuthError('configuration')
    const rejects = async () => Promise.reject(fault)
    const { typePassword } = await startForms({ steps: (steps) => ({ ...steps, first: rejects }) })
    await expect(typePassword({ password })).rejects.toBe(fault)
  })
})
