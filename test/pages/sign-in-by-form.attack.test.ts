// The second page asks for a code alone. Whoever comes to it has to have shown the password, here,
// lately, and for a user whose password it still is.
import '../support/steps.js'
import { describe, expect, it } from 'vitest'
import { bytesOfFlow } from '../../src/pages/flow.js'
import { passwordHash } from '../support/host.js'
import { stepsUntil } from '../support/steps.js'
import { binding, flowParts, halfWay, otherKey, request } from './flow-parts.js'
import { flowOf, kindOf, recoveryCode, startForms } from './form-host.js'

const startOver = { next: 'start-over' }

describe('a code without a password that was right', () => {
  it.each<[string, object]>([
    ['in another browser', { browser: 'IBzMkG0tXVXnKUQcHPSTqB' }],
    ['for another request', { request: `${request}&scope=*` }],
    ['in a browser that has no cookie', { browser: null }],
  ])('signs nobody in: %s', async (_name, from) => {
    const { typePassword, typeCode, code, sessionsOf, typesOf } = await startForms()
    const flow = flowOf(await typePassword())
    const before = typesOf()
    expect(await typeCode(code(), flow, from)).toEqual(startOver)
    expect([await sessionsOf(), typesOf()]).toEqual([[], before])
    // Nothing was used up: the owner goes on.
    expect(kindOf(await typeCode(code(), flow))).toBe('signed-in')
  })

  it('signs nobody in: with no flow, with a step that is no sign-in, with one of another key', async () => {
    const { typeCode, code, flows, sessionsOf } = await startForms()
    const foreign = flowParts([otherKey]).flows
    for (const sealed of [
      null,
      '',
      flows.seal(flows.withStep(flows.begin(), 'login'), binding),
      foreign.seal(
        foreign.withPending(foreign.begin(), { ...halfWay, userId: 'u-alice' }),
        binding,
      ),
    ])
      expect(await typeCode(code(), sealed)).toEqual(startOver)
    expect(await sessionsOf()).toEqual([])
  })

  it('signs nobody in after five minutes', async () => {
    const { typePassword, typeCode, code, clock, sessionsOf } = await startForms()
    const flow = flowOf(await typePassword())
    clock.advance(5 * 60)
    expect(await typeCode(code(), flow)).toEqual(startOver)
    expect(await sessionsOf()).toEqual([])
  })

  it.each<[string, object]>([
    [
      'has changed',
      { passwordHash: passwordHash.replace('KLah6CG', 'KLah6CH').replace('$2b$04$a', '$2b$04$b') },
    ],
    ['was taken away', { passwordHash: null }],
    ['belongs to a user who was disabled', { disabled: true }],
  ])('signs nobody in where the password %s since', async (_name, change) => {
    const { typePassword, typeCode, code, users, sessionsOf, typesOf } = await startForms()
    const flow = flowOf(await typePassword())
    users.change('u-alice', change)
    expect(await typeCode(code(), flow)).toEqual(startOver)
    expect(await sessionsOf()).toEqual([])
    expect(typesOf()).toEqual(['login.failed', 'login.failed'])
  })

  it('is no guess at the password: the name is not counted for it', async () => {
    const { typePassword, typeCode, code, users } = await startForms()
    const flow = flowOf(await typePassword())
    users.change('u-alice', { passwordHash: null })
    for (let i = 0; i < 8; i += 1) expect(await typeCode(code(), flow)).toEqual(startOver)
    users.change('u-alice', { passwordHash })
    expect(kindOf(await typeCode(code(), flow))).toBe('signed-in')
  })

  it('signs nobody in where the user is gone, or another has the password', async () => {
    const { typePassword, typeCode, code, users, sessionsOf } = await startForms()
    const flow = flowOf(await typePassword())
    users.rows.delete('u-alice')
    users.add({ id: 'u-bob', username: 'alice', passwordHash })
    expect(await typeCode(code(), flow)).toEqual(startOver)
    expect([await sessionsOf(), await sessionsOf('u-bob')]).toEqual([[], []])
  })

  it('ends what it opened where the password changes in that very moment', async () => {
    const { typePassword, typeCode, code, users, stores, sessionsOf } = await startForms({
      options: {
        describeUser: (user) => {
          users.change('u-alice', { passwordHash: '$2b$04$another' })
          return user
        },
      },
    })
    const flow = flowOf(await typePassword())
    expect(await typeCode(code(), flow)).toEqual(startOver)
    expect(await sessionsOf()).toEqual([])
    expect(stores).toBeDefined()
  })
})

describe('a second step', () => {
  it('works once, of twenty at once with codes that are all right', async () => {
    const { typePassword, typeCode, sessionsOf, typesOf } = await startForms({
      withFactor: false,
      options: {
        otherFactors: [
          {
            name: 'key',
            isEnabled: async () => true,
            verify: async () => ({ outcome: 'accepted' }),
          },
        ],
        throttle: { secondFactor: { points: 100, duration: 3600 } },
      },
    })
    const flow = flowOf(await typePassword())
    const results = await Promise.all(Array.from({ length: 20 }, () => typeCode('1', flow)))
    expect(results.filter(({ next }) => next === 'signed-in')).toHaveLength(1)
    expect(results.filter(({ next }) => next !== 'signed-in')).toEqual(
      results.slice(1).map(() => startOver),
    )
    expect(await sessionsOf()).toHaveLength(1)
    expect(typesOf().filter((type) => type === 'request.refused')).toHaveLength(19)
    expect(await typeCode('1', flow)).toEqual(startOver)
  })

  it('is not spent by an outage of what notes it, and then signs nobody in', async () => {
    const { typePassword, typeCode, code, clock, once, sessionsOf } = await startForms()
    const flow = flowOf(await typePassword())
    const { claim } = once
    Object.assign(once, { claim: async () => Promise.reject(new Error('away')) })
    await expect(typeCode(code(), flow)).rejects.toThrow('away')
    expect(await sessionsOf()).toEqual([])
    Object.assign(once, { claim })
    clock.advance(30)
    expect(kindOf(await typeCode(code(), flow))).toBe('signed-in')
  })

  it('takes a code once', async () => {
    const { typePassword, typeCode, code } = await startForms()
    const used = code()
    expect(kindOf(await typeCode(used, flowOf(await typePassword())))).toBe('signed-in')
    const again = flowOf(await typePassword())
    expect(kindOf(await typeCode(used, again))).toBe('wrong')
    expect(kindOf(await typeCode(recoveryCode, again))).toBe('signed-in')
    expect(kindOf(await typeCode(recoveryCode, flowOf(await typePassword())))).toBe('wrong')
  })

  it('is guessed at no more often than a login in one step, in however many browsers', async () => {
    const { typePassword, typeCode, code, typesOf } = await startForms()
    const browsers = ['one', 'two', 'three']
    const sealed = await Promise.all(
      browsers.map(async (browser) => flowOf(await typePassword({}, null, { browser }))),
    )
    const wrong = code() === '000000' ? '111111' : '000000'
    const results: string[] = []
    for (let i = 0; i < 30; i += 1) {
      const browser = browsers[i % 3] as string
      const ip = `198.51.100.${i}`
      results.push(kindOf(await typeCode(wrong, sealed[i % 3] as string, { browser, ip })))
    }
    const judged = results.filter((result) => result === 'wrong').length
    expect([judged, results.at(-1)]).toEqual([10, 'throttled'])
    // The right one, too: it is the account that is over its limit.
    const late = await typeCode(code(), sealed[0] as string, { browser: 'one' })
    expect(late).toMatchObject({ next: 'again', status: 429, fault: { kind: 'throttled' } })
    expect(typesOf()).toContain('login.throttled')
  })

  it('costs the name nothing, however often the code is wrong: it is no guess at the password', async () => {
    const { typePassword, typeCode, code } = await startForms()
    const flow = flowOf(await typePassword())
    for (let i = 0; i < 8; i += 1) await typeCode('wrong-words', flow)
    expect(kindOf(await typePassword({ password: 'wrong' }))).toBe('wrong')
    expect(kindOf(await typeCode(code(), flow))).toBe('signed-in')
  })

  it('lets nobody in where the account is over its limit over all networks', async () => {
    const { typePassword, typeCode, code, sessionsOf } = await startForms({
      options: { throttle: { accountTotal: { points: 3, duration: 600 } } },
    })
    const flow = flowOf(await typePassword())
    for (let i = 0; i < 3; i += 1)
      await typePassword({ username: 'alice@example.com', password: 'wrong' }, null, {
        ip: `198.51.100.${i}`,
      })
    expect(await typeCode(code(), flow)).toEqual(startOver)
    expect(await sessionsOf()).toEqual([])
  })

  it('asks the host last, of whom a veto stands', async () => {
    const asked: unknown[] = []
    const { typePassword, typeCode, code, sessionsOf } = await startForms({
      options: {
        beforeLogin: ({ door, methods }) => {
          asked.push([door, ...methods])
          return 'No.'
        },
      },
    })
    const flow = flowOf(await typePassword())
    expect(asked).toEqual([])
    expect(kindOf(await typeCode(code(), flow))).toBe('refused')
    expect([asked, await sessionsOf()]).toEqual([[['login', 'pwd', 'otp']], []])
  })
})

describe('what is typed', () => {
  it('stands in no flow, and the hash neither', async () => {
    const { typePassword, flows } = await startForms()
    const flow = flows.open(flowOf(await typePassword()), binding)
    if (flow === null) throw new Error('no flow')
    const clear = bytesOfFlow(flow).toString('latin1')
    expect(clear).toContain('u-alice')
    for (const secret of ['correct horse', '$2b$', 'alice@', passwordHash.slice(-20)])
      expect(clear).not.toContain(secret)
  })

  it('is refused before any work where it is longer than any code', async () => {
    const { typePassword, typeCode, typesOf } = await startForms()
    const flow = flowOf(await typePassword())
    const before = typesOf()
    for (const code of ['1'.repeat(4_000_000), ' '.repeat(4_000_000), '1'.repeat(65)]) {
      const steps = await stepsUntil(async () =>
        expect(kindOf(await typeCode(code, flow))).toBe('wrong'),
      )
      expect(steps).toBeLessThan(20_000)
    }
    expect(typesOf()).toEqual(before)
  })

  it('as a password that is right, without the factor, makes no network known', async () => {
    const { typePassword, kit } = await startForms()
    await typePassword()
    expect(await kit.throttle.knownNetworks.isKnown('u-alice', '192.0.2.7')).toBe(false)
  })
})
