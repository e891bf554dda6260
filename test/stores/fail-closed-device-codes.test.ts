import { describe, expect, it, vi } from 'vitest'
import { createHostCall } from '../../src/lib/host-call.js'
import { failClosedDeviceCodes } from '../../src/stores/fail-closed-stores.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import type { DeviceCodeStore } from '../../src/stores/one-time-contract.js'
import { at, deviceCodeRecord } from '../support/records.js'

const call = createHostCall(2000, () => {})
const code = deviceCodeRecord({ userId: 'u-alice', claimedAt: at(1) })
const { userCodeHash, deviceCodeHash } = code

/** What the router asks of a code, of a store that answers each of it like this. */
function asked(answer: (outcome: string) => unknown) {
  const { deviceCodes: store } = memoryStores()
  const answers = { claim: 'claimed', takeTry: 'taken', poll: 'polled', decide: 'decided' } as const
  for (const [method, outcome] of Object.entries(answers))
    vi.spyOn(store, method as keyof typeof answers).mockResolvedValue(answer(outcome) as never)
  const codes = failClosedDeviceCodes(store, call)
  return {
    claim: () => codes.claim(userCodeHash, 'u-alice', at(2)),
    takeTry: () => codes.takeTry(userCodeHash, 'u-alice', at(2)),
    poll: () => codes.poll(userCodeHash, deviceCodeHash, at(2)),
    decide: () => codes.decide(userCodeHash, 'u-alice', { state: 'denied' }, at(2)),
  }
}

describe('a device code', () => {
  it.each([
    { userCodeHash: 'another' },
    { deviceCodeHash: null },
    { purpose: 7 },
    { clientId: undefined },
    { resources: null },
    { interval: '5' },
    { nextPollAt: 'soon' },
    { triesLeft: -1 },
    { state: undefined },
    { expiresAt: null },
  ])('that comes back as it cannot be is an outage, not a code: %j', async (member) => {
    const damaged = { ...code, ...member }
    const { deviceCodes: store } = memoryStores()
    vi.spyOn(store, 'find').mockResolvedValue(damaged as never)
    const { claim, takeTry, poll } = asked((outcome) => ({ outcome, code: damaged }))
    const find = () => failClosedDeviceCodes(store, call).find(userCodeHash)
    for (const ask of [find, claim, takeTry, poll])
      await expect(ask()).rejects.toMatchObject({ status: 503 })
  })

  it('of another user or another device is an outage, and not an answer', async () => {
    const eves = asked((outcome) => ({ outcome, code: { ...code, userId: 'u-eve' } }))
    const nobodys = asked((outcome) => ({ outcome, code: { ...code, userId: null } }))
    for (const { claim, takeTry } of [eves, nobodys])
      for (const ask of [claim, takeTry]) await expect(ask()).rejects.toMatchObject({ status: 503 })
    const { poll } = asked((outcome) => ({ outcome, code: { ...code, deviceCodeHash: 'other' } }))
    await expect(poll()).rejects.toMatchObject({ status: 503 })
  })

  it.each([undefined, null, true, {}, { outcome: 'ok' }, { outcome: 'polled', code: null }])(
    'whose change is answered with what no outcome is, is an outage: %j',
    async (answer) => {
      for (const ask of Object.values(asked(() => answer)))
        await expect(ask()).rejects.toMatchObject({ status: 503 })
    },
  )

  it('is 503 when its store gives no answer in time', async () => {
    const never = Object.fromEntries(
      ['save', 'find', 'claim', 'takeTry', 'decide', 'poll'].map((method) => [
        method,
        () => new Promise(() => {}),
      ]),
    ) as unknown as DeviceCodeStore
    const codes = failClosedDeviceCodes(
      never,
      createHostCall(20, () => {}),
    )
    for (const waiting of [
      codes.save(code),
      codes.find(userCodeHash),
      codes.claim(userCodeHash, 'u-alice', at(2)),
      codes.takeTry(userCodeHash, 'u-alice', at(2)),
      codes.decide(userCodeHash, 'u-alice', { state: 'denied' }, at(2)),
      codes.poll(userCodeHash, deviceCodeHash, at(2)),
    ])
      await expect(waiting).rejects.toMatchObject({ status: 503 })
  })
})
