import type { Audit, RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import type { OAuthServer } from '../oauth/oauth-server.js'
import type { IsMeant, Removal, RemoveAddedPasskeys } from '../passkeys/remove-added.js'
import type { PasswordWatch } from '../sessions/password-watch.js'
import type { IdentityStore } from '../stores/identity-contract.js'
import type { PasskeyFactor } from '../two-factor/passkey-factor.js'
import type { OwnTotp } from '../two-factor/second-factor.js'
import type { UserStore } from '../users/contract.js'

/** Which ways in of a user may be a thief's. */
export interface WhichWaysIn {
  /**
   * What was added under a former password, and by it alone. `unless-factor`: without passkeys that
   * sign-in by password demands, since a mailbox takes no factor away.
   */
  readonly byPassword: boolean | 'unless-factor'
  /** All that was added since then; null: no time plays a part. */
  readonly since: Date | null
}

/**
 * Removes the ways in that a thief may have added: passkeys and connected accounts; with `since`
 * TOTP and consents as well. Call it after the user's sessions have ended, and end them once more
 * afterwards: a sign-in under way looks for its passkey or identity again when its session is
 * opened. Rejects with 503, and with `last-sign-in-method` after all others are removed, if the
 * user has no password and would be left with nothing.
 */
export type RemoveWaysIn = (
  userId: string,
  which: WhichWaysIn,
  keptSessionIds: readonly string[],
  context: RequestContext,
) => Promise<void>

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
  readonly passkeyFactor: Pick<PasskeyFactor, 'isDemanded'> | undefined
  readonly removePasskeys: RemoveAddedPasskeys | undefined
  readonly audit: Audit
}

/** The one place that knows all ways in besides the password. */
export function createRemoveWaysIn(deps: RemoveWaysInDeps): RemoveWaysIn {
  const { users, passwordWatch, passkeyFactor, removePasskeys } = deps
  return async function removeWaysIn(userId, { byPassword, since }, keptSessionIds, context) {
    const user = await users.findById(userId)
    // A thief of the former password has added nothing under the current one.
    const present = user === null ? undefined : passwordWatch.computeMark(userId, user.passwordHash)
    const isByPassword: IsMeant = ({ passwordMark }) =>
      passwordMark !== null && passwordMark !== present
    const isSince: IsMeant = ({ createdAt }) => since !== null && createdAt >= since
    const meant = (asked: boolean): Removal => ({
      userId,
      isMeant: (made) => isSince(made) || (asked && isByPassword(made)),
      unlessLast: user?.passwordHash === null,
    })
    const hasKeptLast = await removeIdentities(deps, meant(byPassword !== false), context)
    if (since !== null) await removeTotp(deps, userId, since, context)
    if (since !== null) await revokeConsents(deps, userId, since)
    const isFactor = user !== null && (await passkeyFactor?.isDemanded(user)) === true
    const asked = byPassword === 'unless-factor' ? !isFactor : byPassword
    await removePasskeys?.(meant(asked), keptSessionIds, context)
    if (hasKeptLast) throw new AuthError('last-sign-in-method')
  }
}

// Returns whether the last one should have been removed but had to stay.
async function removeIdentities(
  { identities, audit }: RemoveWaysInDeps,
  { userId, isMeant, unlessLast }: Removal,
  context: RequestContext,
): Promise<boolean> {
  let hasKeptLast = false
  for (const identity of (await identities?.listForUser(userId)) ?? []) {
    if (!isMeant(identity)) continue
    const { id, provider } = identity
    const { outcome } = (await identities?.unlink(userId, id, { unlessLast })) ?? {}
    if (outcome === 'last') hasKeptLast = true
    if (outcome === 'unlinked') audit({ type: 'identity.unlinked', userId, provider }, context)
  }
  return hasKeptLast
}

async function removeTotp(
  { totp, audit }: RemoveWaysInDeps,
  userId: string,
  since: Date,
  context: RequestContext,
): Promise<void> {
  const factor = (await totp?.store.find(userId)) ?? null
  if (factor === null || factor.createdAt < since) return
  const { outcome } = (await totp?.store.deactivate(userId)) ?? {}
  if (outcome === 'deactivated')
    audit({ type: 'second-factor.reset', userId, hadFactor: true }, context)
}

async function revokeConsents(
  { oauthServer }: RemoveWaysInDeps,
  userId: string,
  since: Date,
): Promise<void> {
  const consents = (await oauthServer?.consents.listForUser(userId)) ?? []
  for (const { clientId, grantedAt } of consents)
    if (grantedAt >= since) await oauthServer?.consents.revoke(userId, clientId)
}
