import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isWellFormed } from '../../src/lib/texts.js'
import { bytesOfFlow, flowOfBytes, maxFlowChars } from '../../src/pages/flow.js'
import { binding, digestOf, flowParts, halfWay, key, now, otherKey, request } from './flow-parts.js'

describe('a flow', () => {
  it('comes back as it was sealed, in its own browser, for its own request', () => {
    const { flows } = flowParts()
    const flow = flows.withPending(flows.withStep(flows.begin(), 'select_account'), halfWay)
    expect(flows.open(flows.seal(flow, binding), binding)).toEqual({
      startedAt: now,
      done: ['select_account'],
      pending: { ...halfWay, id: expect.stringMatching(/^[\w-]{22}$/), at: now },
    })
  })

  it('collects steps, each once, and a step ends a sign-in that is half done', () => {
    const { flows } = flowParts()
    const half = flows.withPending(flows.withStep(flows.begin(), 'consent'), halfWay)
    const flow = flows.withStep(flows.withStep(half, 'login'), 'consent')
    expect(flow).toEqual({ startedAt: now, done: ['login', 'consent'], pending: null })
    expect(flows.open(flows.seal(flow, binding), binding)).toEqual(flow)
  })

  it('waits for a mailed code, and then for the second factor of its user', () => {
    const { flows } = flowParts()
    const requestId = digestOf('a request')
    const waiting = flows.withMailed(flows.withStep(flows.begin(), 'select_account'), requestId)
    const mailed = { requestId, code: null }
    expect(waiting).toEqual({ startedAt: now, done: ['select_account'], pending: null, mailed })
    expect(flows.open(flows.seal(waiting, binding), binding)).toEqual(waiting)
    expect(flows.withStep(waiting, 'other_account').mailed).toEqual(mailed)
    expect(flows.withStep(waiting, 'login').mailed).toBeUndefined()
    const half = flows.withPending(waiting, halfWay, {
      mailed: { requestId, code: '00123456' },
    })
    expect(flows.open(flows.seal(half, binding), binding)).toEqual(half)
    // A password in its place is no mailed code.
    expect(flows.withPending(half, halfWay).mailed).toBeUndefined()
    const [bytes, digit] = [bytesOfFlow(half), Buffer.from('x')]
    expect(flowOfBytes(bytes)).toEqual(half)
    expect(
      flowOfBytes(Buffer.concat([bytes.subarray(0, 47), digit, bytes.subarray(48)])),
    ).toBeNull()
    expect(flowOfBytes(bytesOfFlow(waiting).subarray(0, 47))).toBeNull()
    expect(flowOfBytes(Buffer.concat([bytesOfFlow(waiting), digit]))).toBeNull()
    expect(() => bytesOfFlow({ ...waiting, mailed: { requestId: 'short', code: null } })).toThrow()
  })

  it('keeps who has come back from a provider, until somebody has signed in', () => {
    const { flows, clock } = flowParts()
    const ticket = `mar_vt_${digestOf('a ticket')}`
    const vouched = { ticket, provider: 'work', connects: false }
    const asking = flows.withVouched(vouched)
    expect(asking).toEqual({ startedAt: now, done: ['other_account'], pending: null, vouched })
    expect(flows.open(flows.seal(asking, binding), binding)).toEqual(asking)
    const half = flows.withPending(asking, halfWay, { vouched })
    expect(flows.open(flows.seal(half, binding), binding)).toEqual(half)
    // A password in its place is no provider.
    expect(flows.withPending(asking, halfWay).vouched).toBeUndefined()
    expect(flows.withStep(asking, 'other_account').vouched).toEqual(vouched)
    expect(flows.withStep(asking, 'login').vouched).toBeUndefined()
    const bytes = bytesOfFlow(half)
    for (const at of [40, 41, 45])
      expect(
        flowOfBytes(Buffer.concat([bytes.subarray(0, at), Buffer.of(2), bytes.subarray(at + 1)])),
      ).toBeNull()
    expect(flowOfBytes(bytesOfFlow(asking).subarray(0, 70))).toBeNull()
    expect(() => bytesOfFlow({ ...asking, vouched: { ...vouched, ticket: 'short' } })).toThrow()
    const sealed = flows.seal(half, binding)
    clock.advance(5 * 60)
    expect(flows.open(sealed, binding)?.vouched).toBeUndefined()
  })

  it('keeps who is connected by the next sign-in, in whichever way that is', () => {
    const { flows, clock } = flowParts()
    const vouched = { ticket: `mar_vt_${digestOf('a ticket')}`, provider: 'w', connects: true }
    const flow = flows.withVouched(vouched)
    const mailed = flows.withMailed(flow, digestOf('a request'))
    const sealed = flows.seal(flows.withPending(mailed, halfWay), binding)
    expect(flows.open(sealed, binding)?.vouched).toEqual(vouched)
    expect(mailed.done).toEqual(['other_account'])
    clock.advance(5 * 60)
    expect(flows.open(sealed, binding)).toEqual(flow)
    // Its user is asked after the sign-in.
    expect(flows.withStep(flow, 'login').vouched).toEqual(vouched)
    expect(flows.withoutVouched(flow).vouched).toBeUndefined()
  })

  it('is written in characters that no address changes, 400 at most for ids of 152 bytes', () => {
    const { flows } = flowParts()
    const sealedFor = (userId: string) => {
      const flow = flows.withPending(flows.begin(), { ...halfWay, userId })
      const sealed = flows.seal({ ...flow, done: ['login', 'select_account', 'consent'] }, binding)
      expect(flows.open(sealed, binding)?.pending?.userId).toBe(userId)
      expect(sealed).toMatch(/^[\w.-]+$/)
      return sealed.length
    }
    expect(sealedFor('x'.repeat(152))).toBe(400)
    expect(sealedFor('x'.repeat(153))).toBeGreaterThan(400)
    // The longest id that there is: in UTF-8 no character takes more than three bytes.
    expect(sealedFor('\uffee'.repeat(1024))).toBeLessThanOrEqual(maxFlowChars)
    expect(flows.seal(flows.begin(), binding).length).toBeLessThan(80)
  })

  it('is good for less than 30 minutes, counted from its first step', () => {
    const { flows, clock } = flowParts()
    const begun = flows.begin()
    clock.advance(20 * 60)
    const sealed = flows.seal(flows.withStep(begun, 'login'), binding)
    clock.advance(10 * 60 - 1)
    expect(flows.open(sealed, binding)?.done).toEqual(['login'])
    clock.advance(1)
    expect(flows.open(sealed, binding)).toBeNull()
  })

  it('keeps a sign-in that is half done for less than five minutes, and itself for longer', () => {
    const { flows, clock } = flowParts()
    const flow = flows.withPending(flows.withStep(flows.begin(), 'select_account'), halfWay)
    const sealed = flows.seal(flow, binding)
    clock.advance(5 * 60 - 1)
    expect(flows.open(sealed, binding)?.pending).not.toBeNull()
    clock.advance(1)
    expect(flows.open(sealed, binding)).toEqual({ ...flow, pending: null })
  })

  it('of a process whose clock is a minute ahead is taken, and of one further ahead not', () => {
    const { flows, clock } = flowParts()
    const sealed = flows.seal(flows.withPending(flows.begin(), halfWay), binding)
    clock.advance(-60)
    expect(flows.open(sealed, binding)?.pending).not.toBeNull()
    clock.advance(-1)
    expect(flows.open(sealed, binding)).toBeNull()
  })

  it('is opened by every key that there is, and sealed by the first', () => {
    const { flows, withKeys } = flowParts()
    const flow = flows.begin()
    const [before, after] = [withKeys(key), withKeys(otherKey, key)]
    expect(after.open(before.seal(flow, binding), binding)).toEqual(flow)
    expect(withKeys(otherKey).open(after.seal(flow, binding), binding)).toEqual(flow)
    expect(before.open(after.seal(flow, binding), binding)).toBeNull()
  })

  it('says nothing of what it holds, and not the same twice', () => {
    const { flows } = flowParts()
    const flow = flows.withPending(flows.begin(), halfWay)
    const sealed = [flows.seal(flow, binding), flows.seal(flow, binding)]
    expect(new Set(sealed).size).toBe(2)
    const clear = sealed.map((text) =>
      text.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1')),
    )
    for (const secret of [halfWay.userId, 'wiki', request])
      expect(JSON.stringify([sealed, clear])).not.toContain(secret)
  })

  it('cannot be sealed for a browser that has no cookie', () => {
    const { flows } = flowParts()
    expect(() => flows.seal(flows.begin(), { request, browser: null })).toThrow(TypeError)
  })

  it('is the same as bytes, whatever is in it', () => {
    const moment = fc.integer({ min: 0, max: 2 ** 48 - 1 }).map((ms) => new Date(ms))
    const step = fc.constantFrom('login', 'select_account', 'consent')
    const bytes = (length: number) =>
      fc
        .uint8Array({ minLength: length, maxLength: length })
        .map((array) => Buffer.from(array).toString('base64url'))
    const pending = fc.record({
      id: bytes(16),
      userId: fc
        .string({ unit: 'grapheme', minLength: 1, maxLength: 100 })
        .filter((id) => !id.includes('\0') && isWellFormed(id)),
      at: moment,
      passwordFingerprint: bytes(16),
      digests: fc.record({ name: bytes(32), typed: bytes(32) }),
      stay: fc.boolean(),
    })
    const order = ['login', 'select_account', 'consent']
    const done = fc
      .uniqueArray(step)
      .map((steps) => steps.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)))
    const anyFlow = fc.record({ startedAt: moment, done, pending: fc.option(pending) })
    fc.assert(
      fc.property(anyFlow, (flow) => {
        expect(flowOfBytes(bytesOfFlow(flow as Parameters<typeof bytesOfFlow>[0]))).toEqual(flow)
      }),
      { numRuns: 500 },
    )
  })

  it('holds nothing of another length than it has room for', () => {
    const digests = { name: digestOf('name'), typed: 'short' }
    const pending = { ...halfWay, digests, id: 'A'.repeat(22), at: now }
    expect(() => bytesOfFlow({ startedAt: now, done: [], pending })).toThrow(TypeError)
  })
})
