import { isUtf8 } from 'node:buffer'
import { isHostId } from '../lib/host-id.js'
import type { FlowStep } from '../oauth/decide-authorization.js'
import type { IdentifierDigests } from '../throttle/counter-keys.js'

// A flow as bytes: it stands in every address, and as JSON it would be half as long again.
//
// byte      0   version
//           1   bits: the steps, `pending`, `stay`
//         2-7   startedAt, in milliseconds
//        8-13   pending: at, in milliseconds
//       14-29   id
//       30-45   passwordMark
//       46-77   digests.name
//      78-109   digests.typed
//        110-   userId, in UTF-8

/** What was done on the pages, for one request in one browser. */
export interface Flow {
  readonly startedAt: Date
  readonly done: readonly FlowStep[]
  /** Null: nobody is half way through signing in. */
  readonly pending: PendingFactor | null
}

/** A sign-in whose password was right, and whose second factor is due. */
export interface PendingFactor {
  /** 128 random bits: it works once. */
  readonly id: string
  readonly userId: string
  /** When the password was right. */
  readonly at: Date
  /** Of the password that was right. */
  readonly passwordMark: string
  /** As what the sign-in is counted. */
  readonly digests: IdentifierDigests
  /** Whether the browser is to stay signed in. */
  readonly stay: boolean
}

const version = 1
const steps: readonly FlowStep[] = ['login', 'select_account', 'consent']
const pendingBit = 1 << steps.length
const stayBit = pendingBit << 1
const headBytes = 8
const pendingBytes = 102

/** Writes a flow as bytes. */
export function bytesOfFlow({ startedAt, done, pending }: Flow): Buffer {
  const head = Buffer.alloc(headBytes)
  const doneBits = steps.reduce((bits, step, i) => bits | (done.includes(step) ? 1 << i : 0), 0)
  const pendingBits = pending === null ? 0 : pendingBit | (pending.stay ? stayBit : 0)
  head.writeUInt8(version, 0)
  head.writeUInt8(doneBits | pendingBits, 1)
  head.writeUIntBE(startedAt.getTime(), 2, 6)
  return pending === null ? head : Buffer.concat([head, bytesOfPending(pending)])
}

function bytesOfPending({ at, id, passwordMark, digests, userId }: PendingFactor): Buffer {
  const moment = Buffer.alloc(6)
  moment.writeUIntBE(at.getTime(), 0, 6)
  const texts = [id, passwordMark, digests.name, digests.typed]
  const fixed = Buffer.concat([moment, ...texts.map((text) => Buffer.from(text, 'base64url'))])
  if (fixed.length !== pendingBytes) throw new TypeError('a member of a flow has another length')
  return Buffer.concat([fixed, Buffer.from(userId, 'utf8')])
}

/** Reads a flow; null for bytes that another version has written. */
export function flowOfBytes(bytes: Buffer): Flow | null {
  if (bytes.length < headBytes || bytes.readUInt8(0) !== version) return null
  const bits = bytes.readUInt8(1)
  if (bits >= stayBit << 1) return null
  const startedAt = new Date(bytes.readUIntBE(2, 6))
  const done = steps.filter((_step, i) => (bits & (1 << i)) !== 0)
  const rest = bytes.subarray(headBytes)
  if ((bits & pendingBit) === 0)
    return rest.length === 0 && (bits & stayBit) === 0 ? { startedAt, done, pending: null } : null
  const pending = pendingOf(rest, (bits & stayBit) !== 0)
  return pending === null ? null : { startedAt, done, pending }
}

function pendingOf(bytes: Buffer, stay: boolean): PendingFactor | null {
  const id = bytes.subarray(pendingBytes)
  if (bytes.length <= pendingBytes || !isUtf8(id)) return null
  const userId = id.toString('utf8')
  if (!isHostId(userId)) return null
  const textOf = (from: number, to: number) => bytes.subarray(from, to).toString('base64url')
  return {
    id: textOf(6, 22),
    userId,
    at: new Date(bytes.readUIntBE(0, 6)),
    passwordMark: textOf(22, 38),
    digests: { name: textOf(38, 70), typed: textOf(70, 102) },
    stay,
  }
}
