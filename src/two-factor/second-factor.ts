import type { Audit, RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import type { BaseKit } from '../kits/ground-kit.js'
import type { Soon } from '../lib/async.js'
import { type HostCall, UnexpectedAnswer } from '../lib/host-call.js'
import { typedDigits } from '../lib/typed-codes.js'
import type { StoredMethod } from '../stores/contract.js'
import type { SecondFactorRecord, SecondFactorStore } from '../stores/second-factor-contract.js'
import type { AuthUser } from '../users/contract.js'
import type { OtherFactor, SecondFactorPolicy } from './contract.js'
import { recoveryCodeHash } from './recovery-codes.js'
import { minSeedBytes, type SeedVault } from './seed-vault.js'

/** The kind of a verified code. */
export type CodeVerdict = 'otp' | 'recovery' | 'invalid'

/** A factor besides TOTP: of the host, or codes by mail. */
export interface CodeFactor {
  readonly name: string
  /**
   * Whether switching it on has ended the sessions that have not shown it, so that a refresh need
   * not ask for it.
   */
  readonly endsSessions: boolean
  /** Rejects with 503. */
  isEnabled(user: AuthUser): Promise<boolean>
  /** Sends the user a code, and resolves with whether it did. Rejects with 429 and 503. */
  sendCode?(user: AuthUser, context: RequestContext): Promise<boolean>
  /** Verifies a code and uses it up. Rejects with 503. */
  verify(user: AuthUser, code: string): Promise<{ readonly outcome: 'accepted' | 'refused' }>
}

/** The active second factors of one user. */
export interface UserFactors {
  readonly user: AuthUser
  /** Null for a user who has only other factors. */
  readonly totp: SecondFactorRecord | null
  readonly others: readonly CodeFactor[]
  /**
   * The names of the factors; the first one is asked for first. Empty if none of them counts after
   * the shown proof.
   */
  readonly methods: readonly string[]
}

/** The users' second factors. */
export interface SecondFactors {
  /**
   * The user's active factors; null if there are none. After a code in the place of a password, by
   * mail or by text message, such codes are no second factor: they prove the same thing once more.
   */
  of(user: AuthUser, shown?: readonly StoredMethod[]): Promise<UserFactors | null>
  /** The TOTP of a user. Rejects with 503. */
  totpOf(userId: string): Promise<SecondFactorRecord | null>
  /** As `of`, for a user whose TOTP was read. No promise where TOTP is the only factor. */
  among(
    user: AuthUser,
    totp: SecondFactorRecord | null,
    shown?: readonly StoredMethod[],
  ): Soon<UserFactors | null>
  /**
   * Whether the methods satisfy the policy: a second factor was shown to the router, or to the
   * host, if `acceptHostMfa` lets `mfa` count. Unlike this, {@link countsAsFactor} ignores `mfa`.
   */
  meetsFactorPolicy(methods: readonly StoredMethod[]): boolean
  /**
   * Whether a session with these methods goes on without a second factor: the policy is met, or its
   * browser was remembered. A remembered browser meets no policy, so that all who ask for two
   * factors get two.
   */
  mayGoOn(methods: readonly StoredMethod[]): boolean
  /** Sends a code, if the user's first factor works that way. Returns whether it did. */
  sendCode(factors: UserFactors, context: RequestContext): Promise<boolean>
  /** Whether {@link SecondFactors.sendCode} would send one. */
  sendsCodes(factors: UserFactors): boolean
  /** Whether a code can only be a recovery code, which cannot be guessed (120 bits). */
  isRecovery(factors: UserFactors, code: string): boolean
  /**
   * Verifies a code and uses it up: a TOTP step and a recovery code work once. Call it only after a
   * right password, so that nobody else can use up a user's code.
   */
  judge(factors: UserFactors, code: string, context: RequestContext): Promise<CodeVerdict>
}

/** TOTP, if the host stores seeds. */
export interface OwnTotp {
  readonly store: SecondFactorStore
  readonly vault: SeedVault
}

interface FactorsKit extends BaseKit {
  /** Undefined if the host stores no TOTP seeds. */
  readonly totp: OwnTotp | undefined
  readonly codeFactors: readonly CodeFactor[]
  /** Whether `mfa`, asserted by the host, counts as a second factor. */
  readonly acceptHostMfa: boolean
}

/**
 * Whether a method is a second factor verified by the router itself. `mfa`, asserted by the host,
 * never is, whatever the options: that is {@link SecondFactors.meetsFactorPolicy}. A passkey is
 * one: without a password it counts only because its user was verified, by PIN, finger or face.
 */
export function countsAsFactor(method: StoredMethod): boolean {
  return method === 'passkey' || hasShownCode([method])
}

/**
 * Whether a remembered browser stands in for the second factor, which nobody has shown since. Such
 * a sign-in counts as old: all that asks for a recent one asks for every factor.
 */
export function restsOnRemembered(methods: readonly StoredMethod[]): boolean {
  return methods.includes('remembered') && !methods.some(countsAsFactor)
}

/** Whether a code was shown as the second factor. */
export function hasShownCode(methods: readonly StoredMethod[]): boolean {
  return methods.includes('otp') || methods.includes('recovery')
}

/** Decrypts a seed. An empty one is refused: the codes of an empty seed are public. */
export function openSeed(
  vault: SeedVault,
  { userId, sealedSeed }: Pick<SecondFactorRecord, 'userId' | 'sealedSeed'>,
  audit: Audit,
  context: RequestContext,
): Buffer {
  const seed = vault.open(userId, sealedSeed)
  if (seed !== null && seed.length >= minSeedBytes) return seed
  audit({ type: 'second-factor.unreadable', userId }, context)
  throw new AuthError('temporarily-unavailable', {
    message: 'a TOTP seed cannot be opened',
    retryAfter: 60,
  })
}

const none = Promise.resolve(null)

/** Verifies codes against the store and against the host's factors. */
export function createSecondFactors(kit: FactorsKit): SecondFactors {
  const first = ({ others, totp }: UserFactors) => (totp === null ? others[0] : undefined)
  // Loads in the background, for the first code. If this fails, the first code reports it.
  if (kit.totp !== undefined) import('./totp.js').catch(() => {})
  const totpOf = (userId: string) => kit.totp?.store.find(userId) ?? none
  const among: SecondFactors['among'] = (user, totp, shown = []) => {
    if (kit.codeFactors.length > 0) return withOthers(kit.codeFactors, user, totp, shown)
    return totp && { user, totp, others: [], methods: ['totp', 'recovery'] }
  }
  const meetsFactorPolicy = (methods: readonly StoredMethod[]) =>
    methods.some(countsAsFactor) || (kit.acceptHostMfa && methods.includes('mfa'))
  return {
    totpOf,
    among,
    of: async (user, shown) => among(user, await totpOf(user.id), shown),

    meetsFactorPolicy,
    mayGoOn: (methods) => meetsFactorPolicy(methods) || methods.includes('remembered'),

    sendsCodes: (factors) => first(factors)?.sendCode !== undefined,

    async sendCode(factors, context) {
      const factor = first(factors)
      if (factor?.sendCode === undefined) return false
      if (!(await factor.sendCode(factors.user, context))) return false
      kit.audit(
        { type: 'second-factor.code-sent', userId: factors.user.id, method: factor.name },
        context,
      )
      return true
    },

    // A text that another factor might accept is no recovery code.
    isRecovery: ({ totp, others }, code) =>
      totp !== null && others.length === 0 && recoveryCodeHash(code) !== null,

    async judge(factors, code, context) {
      const { totp, others, user } = factors
      if (totp !== null && kit.totp !== undefined) {
        const verdict = await judgeOwn(kit.totp, kit, totp, code, context)
        if (verdict !== 'invalid') return verdict
      }
      // One after the other: a code that one factor has accepted must not be tried at the next.
      for (const factor of others)
        if ((await factor.verify(user, code)).outcome === 'accepted') return 'otp'
      return 'invalid'
    },
  }
}

async function withOthers(
  codeFactors: readonly CodeFactor[],
  user: AuthUser,
  totp: SecondFactorRecord | null,
  shown: readonly StoredMethod[],
): Promise<UserFactors | null> {
  const enabled = await Promise.all(codeFactors.map((factor) => factor.isEnabled(user)))
  const active = codeFactors.filter((_factor, index) => enabled[index])
  if (totp === null && active.length === 0) return null
  const others = active.filter(({ name }) => !isShown(name, shown))
  const names = others.map(({ name }) => name)
  return { user, totp, others, methods: totp === null ? names : ['totp', ...names, 'recovery'] }
}

function isShown(name: string, shown: readonly StoredMethod[]): boolean {
  return (name === 'email' || name === 'sms') && shown.includes(name)
}

function judgeOwn(
  own: OwnTotp,
  kit: FactorsKit,
  factor: SecondFactorRecord,
  code: string,
  context: RequestContext,
) {
  return /^[0-9]{6}$/.test(typedDigits(code))
    ? judgeTotp(own, kit, factor, code, context)
    : judgeRecovery(own, kit, factor, code, context)
}

async function judgeTotp(
  { store, vault }: OwnTotp,
  { audit, clock }: FactorsKit,
  factor: SecondFactorRecord,
  code: string,
  context: RequestContext,
): Promise<CodeVerdict> {
  const { userId, sealedSeed } = factor
  const seed = openSeed(vault, factor, audit, context)
  const { matchingStep } = await import('./totp.js')
  const step = matchingStep(seed, code, clock())
  if (step === null) return 'invalid'
  const { outcome } = await store.advanceStep(userId, step)
  if (outcome !== 'advanced') return 'invalid'
  // Sealed again with the newest key, so that the old one can be retired. The sign-in does not wait
  // for it.
  if (!vault.isSealedByNewest(sealedSeed))
    void store.reseal(userId, sealedSeed, vault.seal(userId, seed)).catch(() => {})
  return 'otp'
}

async function judgeRecovery(
  { store }: OwnTotp,
  { audit }: FactorsKit,
  { userId }: SecondFactorRecord,
  code: string,
  context: RequestContext,
): Promise<CodeVerdict> {
  const hash = recoveryCodeHash(code)
  if (hash === null) return 'invalid'
  const { outcome } = await store.consumeRecoveryCode(userId, hash)
  if (outcome !== 'consumed') return 'invalid'
  audit({ type: 'recovery-code.used', userId }, context)
  return 'recovery'
}

/**
 * Holds a factor of the host to its contract: any answer except a plain yes is a no, and every
 * failure is a 503.
 */
export function failClosedFactor(factor: OtherFactor, call: HostCall): CodeFactor {
  const { name } = factor
  const sendCode = factor.sendCode?.bind(factor)
  return {
    name,
    endsSessions: false,
    isEnabled: (user) => call(`${name}.isEnabled`, () => factor.isEnabled(user), trueOrFalse),
    verify: (user, code) => call(`${name}.verify`, () => factor.verify(user, code), verdict),
    ...(sendCode === undefined
      ? {}
      : {
          async sendCode(user: AuthUser) {
            await call(`${name}.sendCode`, () => sendCode(user))
            return true
          },
        }),
  }
}

/** Holds the host's policy to its contract. Without a policy nobody must have a second factor. */
export function failClosedPolicy(
  policy: SecondFactorPolicy | undefined,
  call: HostCall,
): Record<'mustHaveFactor' | 'isAskedEveryTime', (user: AuthUser) => Soon<boolean>> {
  if (policy === undefined) return { mustHaveFactor: () => false, isAskedEveryTime: () => false }
  const ask = (user: AuthUser, isMeant: (answer: Demand) => boolean) =>
    call('secondFactor', () => isMeant(demandIn(policy(user))))
  return {
    mustHaveFactor: (user) => ask(user, (answer) => answer !== 'optional'),
    isAskedEveryTime: (user) => ask(user, (answer) => answer === 'every-time'),
  }
}

type Demand = ReturnType<SecondFactorPolicy>

const demands: readonly unknown[] = ['required', 'optional', 'every-time'] satisfies Demand[]

function demandIn(answer: unknown): Demand {
  // A promise is not an answer here, and its unhandled rejection would end the process.
  if (answer instanceof Promise) answer.catch(() => {})
  if (demands.includes(answer)) return answer as Demand
  throw new UnexpectedAnswer("the answer is none of 'required', 'optional' and 'every-time'")
}

function trueOrFalse(answer: unknown): boolean {
  if (typeof answer === 'boolean') return answer
  throw new UnexpectedAnswer('the answer is not a boolean')
}

function verdict(answer: unknown): { outcome: 'accepted' | 'refused' } {
  // An own property, so that a polluted Object.prototype accepts no code.
  const outcome = Object.hasOwn(Object(answer), 'outcome')
    ? (answer as { outcome: unknown }).outcome
    : undefined
  if (outcome === 'accepted' || outcome === 'refused') return { outcome }
  throw new UnexpectedAnswer('outcome is neither accepted nor refused')
}
