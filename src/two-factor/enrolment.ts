import { randomBytes } from 'node:crypto'
import type { RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import type { BaseKit } from '../kits/ground-kit.js'
import { decodeBase32, encodeBase32 } from '../lib/typed-codes.js'
import type { SessionRecord } from '../stores/contract.js'
import type { SecondFactorStore } from '../stores/second-factor-contract.js'
import type { AuthUser } from '../users/contract.js'
import { newRecoveryCodes } from './recovery-codes.js'
import { type OwnTotp, openSeed } from './second-factor.js'
import { minSeedBytes } from './seed-vault.js'

/** The input of an authenticator app, shown once. */
export interface BegunEnrolment {
  /** The seed in base32, for typing. */
  readonly secret: string
  /** The content of a QR code. */
  readonly otpauthUri: string
  /** Seconds within which the first code must come. */
  readonly expiresIn: number
}

/** The state of a user's TOTP. */
export interface TotpStatus {
  readonly enabled: boolean
  /** Recovery codes of TOTP, also if TOTP is off and they were kept for the passkeys. */
  readonly recoveryCodesLeft: number
}

/** `invalid`, or a confirmation that is ready to be made. */
export type ConfirmationVerdict = 'invalid' | { confirm(): Promise<string[]> }

/** The session in which a user enrols. */
type SessionOfUser = Pick<SessionRecord, 'id' | 'userId'>

/**
 * Enables and disables TOTP, and replaces its recovery codes. The caller has authenticated the
 * user.
 */
export interface TotpEnrolment {
  status(userId: string): Promise<TotpStatus>
  /**
   * Makes a pending seed, which waits for its first code in this session. Someone else who knows
   * the password can neither see it nor confirm another seed in its place. Rejects with
   * `totp-already-enabled`.
   */
  begin(user: AuthUser, sessionId: string, context: RequestContext): Promise<BegunEnrolment>
  /**
   * Like `begin`, but returns the pending seed of this session if there is one, so that a reloaded
   * page shows the same seed.
   */
  resume(user: AuthUser, sessionId: string, context: RequestContext): Promise<BegunEnrolment>
  /**
   * Checks the first code of a session's pending seed. `confirm` then activates it and returns ten
   * recovery codes. Rejects with `totp-not-enabled` if no seed is pending, and with
   * `totp-already-enabled`.
   */
  judgeFirstCode(
    session: SessionOfUser,
    code: string,
    context: RequestContext,
  ): Promise<ConfirmationVerdict>
  /** Makes ten new recovery codes; the old codes stop working. Rejects with `totp-not-enabled`. */
  replaceRecoveryCodes(userId: string, context: RequestContext): Promise<string[]>
  /**
   * Deletes the seed, and the recovery codes unless the user has a passkey. False if there was no
   * seed.
   */
  disable(userId: string, hasPasskey: () => Promise<boolean>): Promise<boolean>
  /** Deletes the seed and all recovery codes. False if there was no seed. */
  reset(userId: string): Promise<boolean>
  /** Deletes recovery codes that were kept when TOTP was disabled. */
  forgetKeptCodes(userId: string): Promise<void>
  /**
   * Checks a seed from another system. The returned function activates it and returns ten recovery
   * codes. Rejects with `totp-already-enabled`, and with `invalid-request` for a seed that is not
   * base32 or too short.
   */
  judgeImport(
    userId: string,
    secret: string,
    context: RequestContext,
  ): Promise<() => Promise<string[]>>
}

interface EnrolmentKit extends BaseKit, OwnTotp {
  /** The name of this service in authenticator apps. */
  readonly totpIssuer: string
}

/** RFC 4226 R6 recommends 160 bits. */
const seedBytes = 20
/** Seconds within which the first code must come. */
const pendingSeconds = 600

/** The only place that enables and disables TOTP. */
export function createTotpEnrolment(kit: EnrolmentKit): TotpEnrolment {
  const { store, audit } = kit
  return {
    async status(userId) {
      const [factor, count] = await Promise.all([
        store.find(userId),
        store.countRecoveryCodes(userId),
      ])
      return { enabled: factor !== null, recoveryCodesLeft: count }
    },

    begin: (user, sessionId, context) => begin(kit, user, sessionId, context),

    async resume(user, sessionId, context) {
      const pending = await store.findPending(user.id, sessionId)
      if (pending === null || kit.clock() >= pending.expiresAt)
        return begin(kit, user, sessionId, context)
      const expiresIn = Math.ceil((pending.expiresAt.getTime() - kit.clock().getTime()) / 1000)
      return begun(kit, user, openSeed(kit.vault, pending, audit, context), expiresIn)
    },

    judgeFirstCode: (session, code, context) => judgeFirstCode(kit, session, code, context),

    async replaceRecoveryCodes(userId, context) {
      const { codes, hashes } = newRecoveryCodes()
      const { outcome } = await store.replaceRecoveryCodes(userId, hashes)
      if (outcome !== 'replaced') throw new AuthError('totp-not-enabled')
      audit({ type: 'recovery-codes.replaced', userId }, context)
      return codes
    },

    disable: (userId, hasPasskey) => disable(store, userId, hasPasskey),

    reset: async (userId) => (await store.deactivate(userId)).outcome === 'deactivated',

    forgetKeptCodes: (userId) => store.deleteKeptRecoveryCodes(userId),

    judgeImport: (userId, secret, context) => judgeImport(kit, userId, secret, context),
  }
}

// From then on the codes replace a lost passkey: without any, a user who loses the device would be
// locked out.
async function disable(
  store: Pick<SecondFactorStore, 'deactivate' | 'deleteKeptRecoveryCodes'>,
  userId: string,
  hasPasskey: () => Promise<boolean>,
): Promise<boolean> {
  const isKept = await hasPasskey()
  const { outcome } = await store.deactivate(userId, isKept)
  // The last passkey may have been removed meanwhile, while TOTP was active. This is checked again
  // after the write: one of the two sees the other. If that fails, the codes are useless without a
  // passkey, and are deleted before the next one is added.
  const forget = async () => {
    if (isKept && !(await hasPasskey())) await store.deleteKeptRecoveryCodes(userId)
  }
  await forget().catch(() => {})
  return outcome === 'deactivated'
}

async function begin(
  kit: EnrolmentKit,
  user: AuthUser,
  sessionId: string,
  context: RequestContext,
): Promise<BegunEnrolment> {
  const { store, vault, clock, audit } = kit
  const { id: userId } = user
  if ((await store.find(userId)) !== null) throw new AuthError('totp-already-enabled')
  const seed = randomBytes(seedBytes)
  const createdAt = clock()
  const expiresAt = new Date(createdAt.getTime() + pendingSeconds * 1000)
  const sealedSeed = vault.seal(userId, seed)
  await store.savePending({ userId, sessionId, sealedSeed, createdAt, expiresAt })
  audit({ type: 'second-factor.begun', userId }, context)
  return begun(kit, user, seed, pendingSeconds)
}

function begun(
  { totpIssuer: issuer }: EnrolmentKit,
  { username }: AuthUser,
  seed: Buffer,
  expiresIn: number,
): BegunEnrolment {
  const uri = otpauthUri({ issuer, account: username, seed })
  return { secret: encodeBase32(seed), otpauthUri: uri, expiresIn }
}

async function judgeFirstCode(
  { store, vault, clock, audit }: EnrolmentKit,
  { id: sessionId, userId }: SessionOfUser,
  code: string,
  context: RequestContext,
): Promise<ConfirmationVerdict> {
  const [factor, pending] = await Promise.all([
    store.find(userId),
    store.findPending(userId, sessionId),
  ])
  if (factor !== null) throw new AuthError('totp-already-enabled')
  if (pending === null || clock() >= pending.expiresAt) throw noEnrolment()
  const seed = openSeed(vault, pending, audit, context)
  const { matchingStep } = await import('./totp.js')
  const step = matchingStep(seed, code, clock())
  if (step === null) return 'invalid'
  return {
    async confirm() {
      const { codes, hashes } = newRecoveryCodes()
      // The step is stored with the seed: the confirming code is used up and opens no session (RFC
      // 6238 §5.2).
      const confirmed = {
        userId,
        sealedSeed: pending.sealedSeed,
        lastStep: step,
        createdAt: clock(),
      }
      const { outcome } = await store.confirm(confirmed, hashes, clock())
      if (outcome === 'already-active') throw new AuthError('totp-already-enabled')
      if (outcome === 'not-pending') throw noEnrolment()
      audit({ type: 'second-factor.enabled', userId }, context)
      return codes
    },
  }
}

async function judgeImport(
  { store, vault, clock, audit }: EnrolmentKit,
  userId: string,
  secret: string,
  context: RequestContext,
): Promise<() => Promise<string[]>> {
  const seed = typeof secret === 'string' ? decodeBase32(secret) : null
  if (seed === null || seed.length < minSeedBytes) {
    throw new AuthError('invalid-request', {
      message: 'a TOTP secret is base32 of at least 16 bytes',
    })
  }
  if ((await store.find(userId)) !== null) throw new AuthError('totp-already-enabled')
  return async () => {
    const { codes, hashes } = newRecoveryCodes()
    const factor = {
      userId,
      sealedSeed: vault.seal(userId, seed),
      lastStep: -1,
      createdAt: clock(),
    }
    const { outcome } = await store.activate(factor, hashes)
    if (outcome !== 'activated') throw new AuthError('totp-already-enabled')
    audit({ type: 'second-factor.imported', userId }, context)
    return codes
  }
}

function noEnrolment(): AuthError {
  return new AuthError('totp-not-enabled', {
    clientMessage: 'No enrolment is waiting for a code. Begin again.',
  })
}

/** The content of a key URI. */
export interface KeyUri {
  /** The service, without a colon: apps read the text before the first colon as the issuer. */
  readonly issuer: string
  /** The user's name at the service. */
  readonly account: string
  readonly seed: Buffer
}

/**
 * The URI that authenticator apps read from a QR code, in the Key URI format. Every part is
 * percent-encoded, blanks as `%20`: apps show a `+` unchanged.
 *
 * @internal
 */
export function otpauthUri({ issuer, account, seed }: KeyUri): string {
  const label = `${percentEncoded(issuer)}:${percentEncoded(account)}`
  const parameters = {
    secret: encodeBase32(seed),
    issuer: percentEncoded(issuer),
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  }
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${value}`)
  return `otpauth://totp/${label}?${query.join('&')}`
}

function percentEncoded(text: string): string {
  // The host chooses the name, and encodeURIComponent throws on a lone surrogate.
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD')).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
