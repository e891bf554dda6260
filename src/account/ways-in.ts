import type { RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import type { SignInKit } from '../kits/sign-in-kit.js'
import { isOfDirectory } from '../lib/stored-directory.js'
import type { SettleRemoved } from '../passkeys/remove-passkey.js'
import type { IdentityRecord } from '../stores/identity-contract.js'
import type { PasskeyRecord } from '../stores/passkey-contract.js'
import type { AuthUser } from '../users/contract.js'

/** Which ways in of a user may be a thief's. */
export interface WhichWaysIn {
  /**
   * The ways in that were added under a former password, and by it alone. `unless-factor` excepts
   * the passkeys that a sign-in by password demands, since a mailbox takes no factor away.
   */
  readonly byPassword: boolean | 'unless-factor'
  /** Everything that was added since then; null: no time plays a part. */
  readonly since: Date | null
  /** Whether a user without a password keeps the last one; otherwise the mailbox is a way in. */
  readonly sparesLast: boolean
}

/**
 * Removes the ways in that a thief may have added: passkeys, connected accounts and a number; with
 * `since` TOTP and consents as well. Call it after the user's sessions have ended, and end them
 * once more afterwards: a sign-in under way looks for its passkey or identity again when its
 * session is opened. Resolves with how many were removed: until it is none, somebody may still be
 * adding them. Rejects with 503, and with `last-sign-in-method` after all others are removed, if
 * the user has no password and would be left with nothing.
 */
export type RemoveWaysIn = (
  userId: string,
  which: WhichWaysIn,
  keptSessionIds: readonly string[],
  context: RequestContext,
) => Promise<number>

/** A number that a session has added. */
export interface PlantedNumber extends Pick<PasskeyRecord, 'passwordMark' | 'createdAt'> {
  /** Whether codes to it are the user's second factor. */
  readonly isFactor: boolean
  /** Removes it, also as a second factor; false if there is another by now. Rejects with 503. */
  remove(): Promise<boolean>
}

// `last`: it should have been removed, but had to stay.
type Outcome = 'removed' | 'last' | 'unknown'

const gone = { outcome: 'unknown' } as const

/** Whether a way in may be a thief's, by how it was made. */
type IsMeant = (made: Pick<PasskeyRecord, 'passwordMark' | 'createdAt'>) => boolean

export interface WaysInKit extends SignInKit {
  /** Undefined without the option `accounts.phones`. */
  readonly phones:
    | { readonly findPlanted: (userId: string) => Promise<PlantedNumber | null> }
    | undefined
  /** Undefined without the option `passkeys`. */
  readonly settlePasskeys: SettleRemoved | undefined
}

/** The one place that knows all ways in besides the password. */
export function createRemoveWaysIn(kit: WaysInKit): RemoveWaysIn {
  const { users, passwordWatch, settlePasskeys } = kit
  return async function removeWaysIn(userId, which, keptSessionIds, context) {
    const { byPassword, since } = which
    const user = await users.findById(userId)
    // A thief of the former password has added nothing under the current one.
    const present = user === null ? undefined : passwordWatch.computeMark(userId, user.passwordHash)
    const ofPasskeys = meant(which, present, await includesPasskeys(kit, byPassword, user))
    const ofIdentities = meant(which, present, byPassword !== false)
    const { identities, passkeys } = await listAll(kit, userId)
    const goes = [...identities.map(ofIdentities), ...passkeys.map(ofPasskeys)]
    const unlessLast = which.sparesLast && !goes.includes(false) && (await isWithout(kit, user))
    const outcomes: Outcome[] = []
    for (const one of identities.filter(ofIdentities)) {
      // One way in of either kind is enough.
      const isLastKind = unlessLast && passkeys.length === 0
      outcomes.push(await removeIdentity(kit, one, isLastKind, context))
    }
    if (since !== null) outcomes.push(...(await removeSince(kit, userId, since, context)))
    outcomes.push(await removeNumber(kit, userId, which, present))
    for (const one of passkeys.filter(ofPasskeys)) {
      outcomes.push(await removePasskey(kit, one, unlessLast, context))
    }
    await settlePasskeys?.(userId, keptSessionIds)
    if (outcomes.includes('last')) throw new AuthError('last-sign-in-method')
    return outcomes.filter((outcome) => outcome === 'removed').length
  }
}

// A mailbox takes no factor away, and so no number to which its codes go.
async function removeNumber(
  { phones }: WaysInKit,
  userId: string,
  which: WhichWaysIn,
  present: string | undefined,
): Promise<Outcome> {
  const number = (await phones?.findPlanted(userId)) ?? null
  if (number === null) return 'unknown'
  const { byPassword } = which
  const includes = byPassword === 'unless-factor' ? !number.isFactor : byPassword
  if (!meant(which, present, includes)(number)) return 'unknown'
  return (await number.remove()) ? 'removed' : 'unknown'
}

// A user whose password is a directory's is not without.
async function isWithout(
  { passwordElsewhere }: WaysInKit,
  user: AuthUser | null,
): Promise<boolean> {
  return user?.passwordHash === null && (await passwordElsewhere?.(user.id)) == null
}

async function includesPasskeys(
  { passkeyFactor }: WaysInKit,
  byPassword: WhichWaysIn['byPassword'],
  user: AuthUser | null,
): Promise<boolean> {
  if (byPassword !== 'unless-factor') return byPassword
  return user === null || (await passkeyFactor?.isDemanded(user)) !== true
}

function meant(
  { since }: WhichWaysIn,
  present: string | undefined,
  includesByPassword: boolean,
): IsMeant {
  return ({ passwordMark, createdAt }) =>
    (since !== null && createdAt >= since) ||
    (includesByPassword && passwordMark !== null && passwordMark !== present)
}

async function listAll({ identities, passkeyStore }: WaysInKit, userId: string) {
  return {
    // An entry of a directory is connected by the host, and by no thief.
    identities: ((await identities?.listForUser(userId)) ?? []).filter(
      (one) => !isOfDirectory(one),
    ),
    passkeys: (await passkeyStore?.listForUser(userId)) ?? [],
  }
}

async function removeIdentity(
  { identities, audit }: WaysInKit,
  { userId, id, provider }: IdentityRecord,
  unlessLast: boolean,
  context: RequestContext,
): Promise<Outcome> {
  const { outcome } = (await identities?.unlink(userId, id, { unlessLast })) ?? gone
  if (outcome !== 'unlinked') return outcome
  audit({ type: 'identity.unlinked', userId, provider }, context)
  return 'removed'
}

async function removePasskey(
  { passkeyStore, audit }: WaysInKit,
  { userId, credentialId, name }: PasskeyRecord,
  unlessLast: boolean,
  context: RequestContext,
): Promise<Outcome> {
  const { outcome } = (await passkeyStore?.remove(userId, credentialId, { unlessLast })) ?? gone
  if (outcome === 'removed') {
    const reason = 'password-changed'
    audit({ type: 'passkey.removed', userId, passkeyId: credentialId, name, reason }, context)
  }
  return outcome
}

// TOTP, and consents.
async function removeSince(
  { totp, consentStore, audit }: WaysInKit,
  userId: string,
  since: Date,
  context: RequestContext,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  const factor = (await totp?.store.find(userId)) ?? null
  if (factor !== null && factor.createdAt >= since) {
    const { outcome } = (await totp?.store.deactivate(userId)) ?? gone
    if (outcome === 'deactivated') {
      outcomes.push('removed')
      audit({ type: 'second-factor.reset', userId, hadFactor: true }, context)
    }
  }
  for (const { clientId, grantedAt } of (await consentStore?.listForUser(userId)) ?? []) {
    if (grantedAt < since) continue
    outcomes.push('removed')
    await consentStore?.revoke(userId, clientId)
  }
  return outcomes
}
