import { isUtf8 } from 'node:buffer'
import { sha256 } from '../lib/digest.js'
import { isHostId } from '../lib/host-id.js'
import { randomId } from '../lib/random.js'
import { createVault } from '../lib/vault.js'
import type { FlowStep } from '../oauth/decide-authorization.js'
import type { FormerSecret } from '../stores/contract.js'
import type { OnceStore } from '../stores/once-contract.js'
import type { IdentifierDigests } from '../throttle/counter-keys.js'

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
  readonly passwordFingerprint: string
  /** As what the sign-in is counted. */
  readonly digests: IdentifierDigests
  /** Whether the browser is to stay signed in. */
  readonly stay: boolean
}

/** What a flow belongs to. In another browser, and for another request, there is none. */
export interface FlowBinding {
  /** The authorization request, as it stands in the address. */
  readonly request: string
  /** The value of the cookie that the browser is known by; null for one that has none. */
  readonly browser: string | null
}

/**
 * The flows that the parameter `flow` carries: what was done on the pages stands in the address,
 * sealed, and in no store. It is no credential: without the cookie that it belongs to it is
 * nothing, and nothing it holds spares anybody a factor.
 */
export interface Flows {
  /** Of a request for which nothing has been done. */
  begin(): Flow
  /** The same, with one step more and nobody half way. */
  withStep(flow: Flow, step: FlowStep): Flow
  /** The same, with a sign-in whose second factor is due from now on. */
  withPending(flow: Flow, pending: Omit<PendingFactor, 'id' | 'at'>): Flow
  /** Throws where the browser has no cookie: nothing would tell it from another. */
  seal(flow: Flow, binding: FlowBinding): string
  /**
   * Null for whatever is not a flow of this request in this browser, less than 30 minutes old: as
   * if there were none. A sign-in that is half done is left out after five.
   */
  open(sealed: string | null, binding: FlowBinding): Flow | null
  /**
   * The same for a flow of the browser as its cookie was before it got a new secret: other tabs go
   * on. Nothing that was done after the former secret was good for nothing.
   */
  openFormer(sealed: string | null, request: string, former: FormerSecret): Flow | null
  /** Uses a sign-in that is half done; false where it was used before. Rejects with 503. */
  claim(pending: PendingFactor): Promise<boolean>
}

export interface FlowsDeps {
  readonly encryptionKeys: readonly Buffer[]
  readonly once: Pick<OnceStore, 'claim'>
  readonly clock: () => Date
}

/** Milliseconds. */
const flowMs = 30 * 60_000
const pendingMs = 5 * 60_000
/** Milliseconds that the clock of another process may be ahead. */
const skewMs = 60_000

/**
 * Characters. 400 are enough for every user whose id has up to 152 bytes; an id may have 1024
 * characters, and must not keep its user out.
 */
export const maxFlowChars = 4300

/** How a vault writes it: version, key, nonce and body. */
const shape = /^v1\.[\w-]{8}\.[\w-]{16}\.([\w-]+)$/

/** Makes what seals flows and opens them. The first key seals, all of them open. */
export function createFlows({ encryptionKeys, once, clock }: FlowsDeps): Flows {
  const vault = createVault('oauth-flow', encryptionKeys)
  const isYoung = (since: Date, forMs: number) => {
    const age = clock().getTime() - since.getTime()
    return age >= -skewMs && age < forMs
  }

  function openOf(sealed: string | null, request: string, browser: string): Flow | null {
    if (sealed === null || !isShaped(sealed)) return null
    const bytes = vault.open(ownerOf(request, browser), sealed)
    const flow = bytes === null ? null : flowOfBytes(bytes)
    if (flow === null || !isYoung(flow.startedAt, flowMs)) return null
    const { pending } = flow
    return pending === null || isYoung(pending.at, pendingMs) ? flow : { ...flow, pending: null }
  }

  return {
    begin: () => ({ startedAt: clock(), done: [], pending: null }),

    withStep: ({ startedAt, done }, step) => ({
      startedAt,
      done: [...done.filter((other) => other !== step && isKept(other, step)), step],
      pending: null,
    }),

    withPending: (flow, pending) => ({
      ...flow,
      pending: { ...pending, id: randomId(), at: clock() },
    }),

    seal(flow, { request, browser }) {
      if (browser === null) throw new TypeError('a flow belongs to a browser')
      return vault.seal(ownerOf(request, sha256(browser)), bytesOfFlow(flow))
    },

    open: (sealed, { request, browser }) =>
      browser === null ? null : openOf(sealed, request, sha256(browser)),

    openFormer(sealed, request, { hash, until }) {
      const flow = openOf(sealed, request, hash)
      const latest = flow?.pending?.at ?? flow?.startedAt
      return latest !== undefined && latest < until ? flow : null
    },

    async claim({ id }) {
      const now = clock()
      // For longer than it can be opened by any process.
      const expiresAt = new Date(now.getTime() + 2 * pendingMs)
      // As JSON, so that it is nobody else's name.
      const name = sha256(JSON.stringify(['second-step', id]))
      return (await once.claim(name, expiresAt, now)).outcome === 'claimed'
    },
  }
}

// Whoever has signed in has the account that was wanted.
function isKept(before: FlowStep, step: FlowStep): boolean {
  return !(before === 'other_account' && step === 'login')
}

// What the seal is bound to need not be in it. As digests, which have one length, and of which that
// of a session's secret is in its row.
function ownerOf(request: string, browserHash: string): string {
  return `${sha256(request)}.${browserHash}`
}

// Before any work, the length. And no text but the one that was written: readers of base64url let
// other last characters pass, and characters that are none of it.
function isShaped(sealed: string): boolean {
  if (sealed.length > maxFlowChars) return false
  const body = shape.exec(sealed)?.[1]
  return body !== undefined && Buffer.from(body, 'base64url').toString('base64url') === body
}

// A flow as bytes: it stands in every address, and as JSON it would be half as long again.
//
// byte      0   version
//           1   bits: the steps, `pending`, `stay`
//         2-7   startedAt, in milliseconds
//        8-13   pending: at, in milliseconds
//       14-29   id
//       30-45   passwordFingerprint
//       46-77   digests.name
//      78-109   digests.typed
//        110-   userId, in UTF-8

const version = 1
const steps: readonly FlowStep[] = ['login', 'select_account', 'consent', 'other_account']
const pendingBit = 1 << steps.length
const stayBit = pendingBit << 1
const headBytes = 8
const pendingBytes = 102

/** @internal */
export function bytesOfFlow({ startedAt, done, pending }: Flow): Buffer {
  const head = Buffer.alloc(headBytes)
  const doneBits = steps.reduce((bits, step, i) => bits | (done.includes(step) ? 1 << i : 0), 0)
  const pendingBits = pending === null ? 0 : pendingBit | (pending.stay ? stayBit : 0)
  head.writeUInt8(version, 0)
  head.writeUInt8(doneBits | pendingBits, 1)
  head.writeUIntBE(startedAt.getTime(), 2, 6)
  return pending === null ? head : Buffer.concat([head, bytesOfPending(pending)])
}

function bytesOfPending({ at, id, passwordFingerprint, digests, userId }: PendingFactor): Buffer {
  const moment = Buffer.alloc(6)
  moment.writeUIntBE(at.getTime(), 0, 6)
  const texts = [id, passwordFingerprint, digests.name, digests.typed]
  const fixed = Buffer.concat([moment, ...texts.map((text) => Buffer.from(text, 'base64url'))])
  if (fixed.length !== pendingBytes) throw new TypeError('a member of a flow has another length')
  return Buffer.concat([fixed, Buffer.from(userId, 'utf8')])
}

/**
 * Reads a flow; null for bytes that another version has written.
 *
 * @internal
 */
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
    passwordFingerprint: textOf(22, 38),
    digests: { name: textOf(38, 70), typed: textOf(70, 102) },
    stay,
  }
}
