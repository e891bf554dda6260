import {
  type Answers,
  type Check,
  count,
  failClosed,
  orNull,
  record,
  theOneAsked,
  unread,
} from '../lib/check-answer.js'
import type { HostCall } from '../lib/host-call.js'
import type { DeviceCodeRecord, DeviceCodeStore } from './device-code-contract.js'
import { createDeviceCodeCheck } from './kept-members.js'
import { checksOf } from './rows/checks.js'
import { deviceCodeRow } from './rows/device-code-row.js'

const shape = { ...checksOf(deviceCodeRow), userCodeHash: theOneAsked, triesLeft: count }
const found = record<DeviceCodeRecord>(shape)

type OfOne = Pick<DeviceCodeStore, 'claim' | 'takeTry' | 'poll'>
type Others = Omit<DeviceCodeStore, keyof OfOne>

const answers: Answers<Others> = {
  save: unread,
  find: orNull(found),
  decide: { decided: {}, unknown: {} },
  purge: count,
}

// The checks know the first argument of a call alone. Another user's code, or that of another
// device, would sign the wrong one in.
function answersOf(asked: string): Answers<OfOne> {
  const isAsked: Check = (value) => theOneAsked(value, asked)
  const own = record<DeviceCodeRecord>({ ...shape, userId: isAsked })
  const polled = record<DeviceCodeRecord>({ ...shape, deviceCodeHash: isAsked })
  return {
    claim: { claimed: { code: own }, foreign: {}, unknown: {} },
    takeTry: { taken: { code: own }, void: {} },
    poll: { polled: { code: polled }, 'too-soon': { code: polled }, unknown: {} },
  }
}

/** Device codes behind their contract. What one needs kept, the store must be seen to keep. */
export function failClosedDeviceCodes(store: DeviceCodeStore, call: HostCall): DeviceCodeStore {
  const of = (asked: string) => failClosed<OfOne>('deviceCodes', store, call, answersOf(asked))
  const others = failClosed<Others>('deviceCodes', store, call, answers)
  const checkCode = createDeviceCodeCheck(others)
  return {
    ...others,
    async save(code) {
      await checkCode(code)
      await others.save(code)
    },
    claim: (userCodeHash, userId, now) => of(userId).claim(userCodeHash, userId, now),
    takeTry: (userCodeHash, userId, now) => of(userId).takeTry(userCodeHash, userId, now),
    poll: (userCodeHash, deviceCodeHash, now) =>
      of(deviceCodeHash).poll(userCodeHash, deviceCodeHash, now),
  }
}
