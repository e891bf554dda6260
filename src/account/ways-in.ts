import type { Audit, RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import type { OAuthServer } from '../oauth/oauth-server.js'
import type { PasskeyServer } from '../passkeys/passkey-server.js'
import type { IsMeant, Removal, RemoveAddedPasskeys } from '../passkeys/remove-added.js'
import type { PasswordWatch } from '../sessions/password-watch.js'
import type { IdentityStore } from '../stores/identity-contract.js'
import type { PasskeyFactor } from '../two-factor/passkey-factor.js'
import type { OwnTotp } from '../two-factor/second-factor.js'
import type { AuthUser, UserStore } from '../users/contract.js'

/** Which ways in of a user may be a thief's. */
export interface WhichWaysIn {
  /**
   * What was added under a former password, and by it alone. `unless-factor`: without passkeys that
   * sign-in by password demands, since a mailbox takes no factor away.
   */
  readonly byPassword: boolean | 'unless-factor'
  /** All that was added since then; null: no time plays a part. */
  readonly since: Date | null
  /** Whether a user without a password keeps the last one; otherwise the mailbox is a way in. */
  readonly sparesLast: boolean
}

/**
 * Removes the ways in that a thief may have added: passkeys and connected accounts; with `since`
 * TOTP and consents as well. Call it after the user's sessions have ended, and end them once more
 * afterwards: a sign-in under way looks for its passkey or identity again when its session is
 * opened. Resolves with how many were removed: until it is none, somebody may still be adding them.
 * Rejects with 503, and with `last-sign-in-method` after all others are removed, if the user has no
 * password and would be left with nothing.
 */
export type RemoveWaysIn = (
  userId: string,
  which: WhichWaysIn,
  keptSessionIds: readonly string[],
  context: RequestContext,
) => Promise<number>

export interface RemoveWaysInDeps {
  readonly users: Pick<UserStore, 'findById'>
  readonly passwordWatch: Pick<PasswordWatch, 'computeMark'>
  /** Undefined if the host stores no identities. */
  readonly identities: Pick<IdentityStore, 'listForUser' | 'unlink'> | undefined
  /** Undefined if the host stores no TOTP seeds. */
  readonly totp: OwnTotp | undefined
  /** Undefined without the option `oauth`. */
  readonly oauthServer: Pick<OAuthServer, 'consents'> | undefined
  /** Undefined without the option `passkeys`. */
  readonly passkeyServer: Pick<PasskeyServer, 'passkeyStore'> | undefined
  readonly passkeyFactor: Pick<PasskeyFactor, 'isDemanded'> | undefined
  readonly removePasskeys: RemoveAddedPasskeys | undefined
  readonly audit: Audit
}

/** The one place that knows all ways in besides the password. */
export function createRemoveWaysIn(deps: RemoveWaysInDeps): RemoveWaysIn {
  const { users, passwordWatch, removePasskeys } = deps
  return async function removeWaysIn(userId, which, keptSessionIds, context) {
    const { byPassword, since } = which
    const user = await users.findById(userId)
    // A thief of the former password has added nothing under the current one.
    const present = user === null ? undefined : passwordWatch.computeMark(userId, user.passwordHash)
    const ofPasskeys = meant(which, present, await includesPasskeys(deps, byPassword, user))
    const ofIdentities = meant(which, present, byPassword !== false)
    const all = await listAll(deps, userId)
    const left = [
      ...all.passkeys.filter((one) => !ofPasskeys(one)),
      ...all.identities.filter((one) => !ofIdentities(one)),
    ]
    const unlessLast = which.sparesLast && user?.passwordHash === null && left.length === 0
    // One of one kind is enough.
    const isOnlyKind = all.passkeys.length === 0
    const identities = { userId, isMeant: ofIdentities, unlessLast: unlessLast && isOnlyKind }
    const { removed, hasKeptLast } = await removeIdentities(deps, identities, context)
    const others = since === null ? 0 : await removeSince(deps, userId, since, context)
    const passkeys = { userId, isMeant: ofPasskeys, unlessLast }
    const removedPasskeys = (await removePasskeys?.(passkeys, keptSessionIds, context)) ?? 0
    if (hasKeptLast) throw new AuthError('last-sign-in-method')
    return removed + others + removedPasskeys
  }
}

async function includesPasskeys(
  { passkeyFactor }: RemoveWaysInDeps,
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

async function listAll({ identities, passkeyServer }: RemoveWaysInDeps, userId: string) {
  return {
    identities: (await identities?.listForUser(userId)) ?? [],
    passkeys: (await passkeyServer?.passkeyStore.listForUser(userId)) ?? [],
  }
}

// `hasKeptLast`: the last one should have been removed but had to stay.
async function removeIdentities(
  { identities, audit }: RemoveWaysInDeps,
  { userId, isMeant, unlessLast }: Removal,
  context: RequestContext,
): Promise<{ readonly removed: number; readonly hasKeptLast: boolean }> {
  let removed = 0
  let hasKeptLast = false
  for (const identity of (await identities?.listForUser(userId)) ?? []) {
    if (!isMeant(identity)) continue
    const { id, provider } = identity
    const { outcome } = (await identities?.unlink(userId, id, { unlessLast })) ?? {}
    if (outcome === 'last') hasKeptLast = true
    if (outcome !== 'unlinked') continue
    removed += 1
    audit({ type: 'identity.unlinked', userId, provider }, context)
  }
  return { removed, hasKeptLast }
}

// TOTP, and consents.
async function removeSince(
  { totp, oauthServer, audit }: RemoveWaysInDeps,
  userId: string,
  since: Date,
  context: RequestContext,
): Promise<number> {
  let removed = 0
  const factor = (await totp?.store.find(userId)) ?? null
  if (factor !== null && factor.createdAt >= since) {
    const { outcome } = (await totp?.store.deactivate(userId)) ?? {}
    if (outcome === 'deactivated') {
      removed += 1
      audit({ type: 'second-factor.reset', userId, hadFactor: true }, context)
    }
  }
  for (const { clientId, grantedAt } of (await oauthServer?.consents.listForUser(userId)) ?? []) {
    if (grantedAt < since) continue
    removed += 1
    await oauthServer?.consents.revoke(userId, clientId)
  }
  return removed
}
