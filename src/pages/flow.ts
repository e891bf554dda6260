import { isUtf8 } from 'node:buffer'
import { deriveKey, equalInConstantTime, hmacSha256, randomId, sha256 } from '../lib/secrets.js'
import { isHostId } from '../lib/texts.js'
import { createVault } from '../lib/vault.js'
import type { AppsKit } from '../oauth/apps-kit.js'
import type { FlowStep } from '../oauth/decide-authorization.js'
import type { FormerSecret } from '../stores/contract.js'
import type { IdentifierDigests } from '../throttle/counter-keys.js'
import type { AuthUser } from '../users/contract.js'

/** The steps done on the pages, for one request in one browser. */
export interface Flow {
  readonly startedAt: Date
  readonly done: readonly FlowStep[]
  /** Null: no sign-in waits for its second factor. */
  readonly pending: PendingFactor | null
  /** A sign-in by a mailed code; left out without. */
  readonly mailed?: MailedSignIn
  /** Somebody who has come back from a provider; left out without. */
  readonly vouched?: VouchedSignIn
}

/** Somebody whom a provider has identified. */
export interface VouchedSignIn {
  /** `mar_vt_` and 256 random bits. It is of use only with the cookie of this browser. */
  readonly ticket: string
  /** The id of the provider. */
  readonly provider: string
  /** Whether the user signs in in another way, and is then asked whether to connect. */
  readonly connects: boolean
}

/** A sign-in by a mailed code. */
export interface MailedSignIn {
  /** 256 random bits. */
  readonly requestId: string
  /** Eight digits, once they were right and the second factor is due; null before. */
  readonly code: string | null
}

/** A sign-in after a right password or mailed code that waits for its second factor. */
export interface PendingFactor {
  /** 128 random bits, for one-time use. */
  readonly id: string
  readonly userId: string
  /** When the password was right. */
  readonly at: Date
  /** The fingerprint of the right password; of no use after a mailed code. */
  readonly passwordFingerprint: string
  /** The counter keys of the sign-in; likewise. */
  readonly digests: IdentifierDigests
  /** Whether the browser shall stay signed in. */
  readonly stay: boolean
}

/** A flow is valid only for this request in this browser. */
export interface FlowBinding {
  /** The authorization request in the address. */
  readonly request: string
  /** The value of the browser's cookie; null without. */
  readonly browser: string | null
}

/**
 * Flows in the parameter `flow` of an address: encrypted, and in no store. A flow is not a
 * credential: it is useless without its cookie, and never replaces a factor.
 */
export interface Flows {
  /** A flow without steps. */
  begin(): Flow
  /** The flow that waits for a mailed code. */
  withMailed(flow: Flow, requestId: string): Flow
  /** The flow with one more step, and without a pending sign-in. */
  withStep(flow: Flow, step: FlowStep): Flow
  /** The flow of a user who has decided about the account of the provider. */
  withoutVouched(flow: Flow): Flow
  /** A flow of somebody who has come back from a provider. */
  withVouched(vouched: VouchedSignIn): Flow
  /**
   * The flow with a sign-in that now waits for its second factor. `by`: by a mailed code or a
   * provider. Default: by a password.
   */
  withPending(
    flow: Flow,
    pending: Omit<PendingFactor, 'id' | 'at'>,
    by?: Pick<Flow, 'mailed'> | Pick<Flow, 'vouched'>,
  ): Flow
  /** Throws for a browser without a cookie, which could not be recognised. */
  seal(flow: Flow, binding: FlowBinding): string
  /**
   * Null for anything except a flow of this request in this browser of the last 30 minutes. A
   * pending sign-in is dropped after five minutes.
   */
  open(sealed: string | null, binding: FlowBinding): Flow | null
  /**
   * Like `open`, for a flow from before the cookie got a new secret, so that other tabs can
   * continue. It opens only flows from the time when the former secret was still valid.
   */
  openFormer(sealed: string | null, request: string, former: FormerSecret): Flow | null
  /** Consumes a pending sign-in; false if it was used before. Rejects with 503. */
  claim(pending: PendingFactor): Promise<boolean>
}

/** Milliseconds. */
const flowMs = 30 * 60_000

const pendingMs = 5 * 60_000

/** Tolerated lead of another process's clock, in milliseconds. */
const skewMs = 60_000

/**
 * Characters. 400 are enough for user ids of up to 152 bytes, but an id may have 1024 characters.
 */
export const maxFlowChars = 4500

/** The format of the vault: version, key, nonce and body. */
const shape = /^v1\.[\w-]{8}\.[\w-]{16}\.([\w-]+)$/

/** The first key encrypts, all keys decrypt. */
export function createFlows({ encryptionKeys, once, clock }: AppsKit): Flows {
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
    return pending === null || isYoung(pending.at, pendingMs) ? flow : withoutPending(flow)
  }

  return {
    begin: () => ({ startedAt: clock(), done: [], pending: null }),

    withMailed: (flow, requestId) => ({
      ...partsOf(flow),
      pending: null,
      mailed: { requestId, code: null },
    }),

    withStep: ({ startedAt, done, mailed, vouched }, step) => ({
      startedAt,
      done: [...done.filter((other) => other !== step && isKept(other, step)), step],
      pending: null,
      // A user who signs in to another account may be doing so by a mailed code.
      ...(step === 'other_account' && mailed !== undefined ? { mailed } : {}),
      ...(step === 'other_account' || vouched?.connects ? keeping(vouched) : {}),
    }),

    withoutVouched: ({ startedAt, done }) => ({ startedAt, done, pending: null }),

    // A session that is there must not skip the sign-in.
    withVouched: (vouched) => ({
      startedAt: clock(),
      done: ['other_account'],
      pending: null,
      vouched,
    }),

    withPending: (flow, pending, by = {}) => ({
      ...partsOf(flow),
      pending: { ...pending, id: randomId(), at: clock() },
      ...by,
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
      // Longer than any process can open it.
      const expiresAt = new Date(now.getTime() + 2 * pendingMs)
      // JSON with a prefix is used so that no other kind of name is equal.
      const name = sha256(JSON.stringify(['second-step', id]))
      return (await once.claim(name, expiresAt, now)).outcome === 'claimed'
    },
  }
}

/** A flow whose sign-in begins again. An account that is being connected stays in it. */
export function partsOf({
  startedAt,
  done,
  vouched,
}: Flow): Pick<Flow, 'startedAt' | 'done' | 'vouched'> {
  return { startedAt, done, ...(vouched?.connects === true ? { vouched } : {}) }
}

function keeping(vouched: VouchedSignIn | undefined): Pick<Flow, 'vouched'> {
  return vouched === undefined ? {} : { vouched }
}

// Without a pending sign-in, somebody from a provider would be asked for a name.
function withoutPending(flow: Flow): Flow {
  const { mailed } = flow
  return { ...partsOf(flow), pending: null, ...(mailed === undefined ? {} : { mailed }) }
}

// A sign-in answers the wish for another account.
function isKept(before: FlowStep, step: FlowStep): boolean {
  return !(before === 'other_account' && step === 'login')
}

// The binding is authenticated, not stored in the flow. As digests, which have a fixed length; the
// digest of a session's secret is also in its row.
function ownerOf(request: string, browserHash: string): string {
  return `${sha256(request)}.${browserHash}`
}

// Checks the length before any work, and accepts only the canonical base64url: decoders ignore
// invalid characters and trailing bits.
function isShaped(sealed: string): boolean {
  if (sealed.length > maxFlowChars) return false
  const body = shape.exec(sealed)?.[1]
  return body !== undefined && Buffer.from(body, 'base64url').toString('base64url') === body
}

// A flow as bytes: it is in every address, and JSON would be half as long again.
//
// byte      0   version
//           1   bits: the steps, `pending`, `stay`, `mailed`, `vouched`
//         2-7   startedAt, in milliseconds
//
// With a mailed code, the next bytes are the 32 of its requestId and the eight of its digits, which
// are 0 before they were right. The rest is 40 bytes later. With somebody from a provider, the next
// bytes are the 32 of the ticket, 1 if it connects or else 0, and the 32 of the provider's id,
// filled up with 0. The rest is 65 bytes later:
//
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

const mailedBit = stayBit << 1

const vouchedBit = mailedBit << 1

const headBytes = 8

const mailedBytes = 40

const vouchedBytes = 65

const ticketPrefix = 'mar_vt_'

const pendingBytes = 102

/** @internal */
export function bytesOfFlow({ startedAt, done, pending, mailed, vouched }: Flow): Buffer {
  const head = Buffer.alloc(headBytes)
  const doneBits = steps.reduce((bits, step, i) => bits | (done.includes(step) ? 1 << i : 0), 0)
  const pendingBits = pending === null ? 0 : pendingBit | (pending.stay ? stayBit : 0)
  head.writeUInt8(version, 0)
  const otherBits =
    (mailed === undefined ? 0 : mailedBit) | (vouched === undefined ? 0 : vouchedBit)
  head.writeUInt8(doneBits | pendingBits | otherBits, 1)
  head.writeUIntBE(startedAt.getTime(), 2, 6)
  const parts: Buffer[] = [head]
  if (mailed !== undefined) parts.push(bytesOfMailed(mailed))
  if (vouched !== undefined) parts.push(bytesOfVouched(vouched))
  if (pending !== null) parts.push(bytesOfPending(pending))
  return Buffer.concat(parts)
}

function bytesOfMailed({ requestId, code }: MailedSignIn): Buffer {
  const bytes = Buffer.alloc(mailedBytes)
  if (Buffer.from(requestId, 'base64url').copy(bytes) !== 32)
    throw new TypeError('a member of a flow has another length')
  bytes.write(code ?? '', 32, 'latin1')
  return bytes
}

function bytesOfVouched({ ticket, connects, provider }: VouchedSignIn): Buffer {
  const bytes = Buffer.alloc(vouchedBytes)
  const secret = ticket.startsWith(ticketPrefix) ? ticket.slice(ticketPrefix.length) : ''
  if (Buffer.from(secret, 'base64url').copy(bytes) !== 32)
    throw new TypeError('a member of a flow has another length')
  bytes.writeUInt8(connects ? 1 : 0, 32)
  bytes.write(provider, 33, 'latin1')
  return bytes
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
 * Reads a flow; null for bytes of another version.
 *
 * @internal
 */
export function flowOfBytes(bytes: Buffer): Flow | null {
  if (bytes.length < headBytes || bytes.readUInt8(0) !== version) return null
  const bits = bytes.readUInt8(1)
  const startedAt = new Date(bytes.readUIntBE(2, 6))
  const done = steps.filter((_step, i) => (bits & (1 << i)) !== 0)
  const mailedEnd = headBytes + ((bits & mailedBit) === 0 ? 0 : mailedBytes)
  const vouchedEnd = mailedEnd + ((bits & vouchedBit) === 0 ? 0 : vouchedBytes)
  const mailed = mailedOf(bytes.subarray(headBytes, mailedEnd))
  const vouched = vouchedOf(bytes.subarray(mailedEnd, vouchedEnd))
  if (mailed === null || vouched === null) return null
  const begun = { startedAt, done, ...mailed, ...vouched }
  const rest = bytes.subarray(vouchedEnd)
  if ((bits & pendingBit) === 0)
    return rest.length === 0 && (bits & stayBit) === 0 ? { ...begun, pending: null } : null
  const pending = pendingOf(rest, (bits & stayBit) !== 0)
  return pending && { ...begun, pending }
}

// Nothing of no bytes; null for bytes that are none of ours.
function vouchedOf(bytes: Buffer): Pick<Flow, 'vouched'> | null {
  if (bytes.length === 0) return {}
  const connects = bytes[32]
  const provider = /^([a-z0-9-]+)\0*$/.exec(bytes.subarray(33).toString('latin1'))?.[1]
  if (provider === undefined || bytes.length < vouchedBytes || (connects ?? 2) > 1) return null
  const ticket = `${ticketPrefix}${bytes.subarray(0, 32).toString('base64url')}`
  return { vouched: { ticket, provider, connects: connects === 1 } }
}

function mailedOf(bytes: Buffer): Pick<Flow, 'mailed'> | null {
  if (bytes.length === 0) return {}
  const digits = bytes.subarray(32).toString('latin1')
  const isNone = digits === '\0'.repeat(8)
  if (!isNone && !/^\d{8}$/.test(digits)) return null
  const requestId = bytes.subarray(0, 32).toString('base64url')
  return { mailed: { requestId, code: isNone ? null : digits } }
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

/**
 * Fingerprints of the hashes of right passwords: keyed, so that they reveal nothing of the hash.
 * 128 bits, as 22 base64url characters.
 */
export interface PasswordFingerprint {
  of(user: Pick<AuthUser, 'id' | 'passwordHash'>): string
  /** Whether the user still has that password. */
  matches(fingerprint: string, user: Pick<AuthUser, 'id' | 'passwordHash'>): boolean
}

/** The first key makes fingerprints. Every key checks them. */
export function createPasswordFingerprint(encryptionKeys: readonly Buffer[]): PasswordFingerprint {
  const keys = encryptionKeys.map((key) => deriveKey('password-mark', key))
  const [making] = keys as [Buffer, ...Buffer[]]
  return {
    of: (user) => fingerprintUnder(making, user),
    matches: (fingerprint, user) =>
      keys.some((key) => equalInConstantTime(fingerprint, fingerprintUnder(key, user))),
  }
}

// JSON is used so that different pairs are different texts.
function fingerprintUnder(
  key: Buffer,
  { id, passwordHash }: Pick<AuthUser, 'id' | 'passwordHash'>,
) {
  const whole = hmacSha256(key, JSON.stringify([id, passwordHash]))
  return Buffer.from(whole, 'base64url').subarray(0, 16).toString('base64url')
}
