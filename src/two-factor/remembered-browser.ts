import { z } from 'zod'
import type { RequestContext } from '../audit/events.js'
import type { StoredMethod } from '../stores/contract.js'
import type { ProofStore } from '../stores/one-time-contract.js'
import type { AuthUser } from '../users/contract.js'

/** The purpose of their rows. */
export const rememberedPurpose = 'remembered'

/** Forgets all remembered browsers of a user. The returned function rejects with 503. */
export function forgetsBrowsers(
  proofStore: ProofStore,
  clock: () => Date,
): (userId: string) => Promise<unknown> {
  return (userId) => proofStore.voidForUser(userId, [rememberedPurpose], clock())
}

/** A remembered browser that stands in for a second factor. */
export interface RememberedShown {
  /** Stays the same, while its token changes with each use. */
  readonly browserId: string
  /** When the second factor was shown. */
  readonly since: Date
}

/** What a browser has sent, and what must not have changed since. */
export interface SentRemembered {
  readonly token: string
  /** When the user's TOTP was enabled; null without. */
  readonly totpSince: Date | null
}

/** A browser in which a user is not asked for the second factor. */
export interface RememberedBrowser {
  readonly id: string
  /** Such as "Firefox on Linux"; null if it tells nothing. */
  readonly name: string | null
  /** When the second factor was shown there. */
  readonly since: Date
  readonly expiresAt: Date
}

/** What a client says about its browser at a sign-in. */
export interface AskedRemember {
  /** Whether the user wants it to be remembered. */
  readonly remember: boolean
  /** Its token; null without. */
  readonly rememberToken: string | null
}

/** A sign-in without either. */
export const notRemembered: AskedRemember = { remember: false, rememberToken: null }

/** The members of a request that say so. */
export const rememberShape: {
  remember: z.ZodOptional<z.ZodBoolean>
  rememberToken: z.ZodOptional<z.ZodString>
} = {
  remember: z.boolean().optional(),
  rememberToken: z.string().min(1).max(100).optional(),
}

/** Reads them from a request of {@link rememberShape}. */
export function rememberIn(given: z.output<z.ZodObject<typeof rememberShape>>): AskedRemember {
  const { remember = false, rememberToken = null } = given
  return { remember, rememberToken }
}

/** A sign-in that has just opened its session. */
export interface SignedInBrowser {
  readonly user: AuthUser
  /** The stored hash by now. */
  readonly passwordHash: AuthUser['passwordHash']
  readonly methods: readonly StoredMethod[]
  readonly totpSince: Date | null
  readonly remembered: RememberedShown | null
  readonly sessionId: string
}

/** Browsers in which users are not asked for the second factor again. */
export interface RememberedBrowsers {
  /** Whole days. */
  readonly days: number
  /**
   * Uses the token up, and resolves with its browser; null if it stands in for nothing. Call it
   * only after a right password, or another first factor. Rejects with 503.
   */
  judge(
    user: AuthUser,
    sent: SentRemembered,
    context: RequestContext,
  ): Promise<RememberedShown | null>
  /**
   * The next token of a browser that was remembered, or the first one if the user wants it and has
   * shown a second factor; null without. After an outage there is none: the user is asked again.
   */
  keep(
    signedIn: SignedInBrowser,
    isWanted: boolean,
    context: RequestContext,
  ): Promise<string | null>
  /** Rejects with 503. */
  list(userId: string): Promise<readonly RememberedBrowser[]>
  /** Forgets one of the user's; false if there is none with this id. Rejects with 503. */
  forget(userId: string, browserId: string, context: RequestContext): Promise<boolean>
}
