import type { RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import type { SignedInRequest } from '../principal/principal.js'
import type { SessionName } from '../sessions/ending.js'
import { noteMethods } from '../sessions/note-methods.js'
import type { SessionRecord, StoredMethod } from '../stores/contract.js'
import { countsAsFactor } from '../two-factor/second-factor.js'
import type { AuthUser } from '../users/contract.js'
import type { PasskeysKit, StoredPasskeysKit } from './passkey-kit.js'

/**
 * Removes a passkey of the caller, and ends the user's other sessions: the only place in which
 * users remove passkeys. Throws 401, 404, 409 or 503.
 */
export async function removePasskey(
  kit: PasskeysKit,
  { session, user }: Pick<SignedInRequest, 'session' | 'user'>,
  credentialId: string,
  context: RequestContext,
): Promise<void> {
  const { userId } = session
  // Naming an unknown passkey ends no session.
  const passkeys = await kit.passkeyStore.listForUser(userId)
  const meant = passkeys.find((passkey) => passkey.credentialId === credentialId)
  if (meant === undefined) throw noPasskey()
  const isLast = passkeys.length === 1
  // The row is read again: the guard's row may be some seconds old.
  const unlessLast =
    ((await kit.users.findById(userId))?.passwordHash ?? null) === null &&
    (await kit.passwordElsewhere?.(userId)) == null
  if (isLast && unlessLast) throw new AuthError('last-sign-in-method')
  const removal = { credentialId, name: meant.name, unlessLast }
  const showsFactor = session.methods.some(countsAsFactor)
  const isOut = isLast && showsFactor && !(await hasOtherFactor(kit, user))
  await (isOut ? removeLast : remove)(kit, session, removal, context).catch(
    async (error: unknown) => {
      // The restored factor may have been removed at that moment, by another request.
      if (isOut) await forgetLastFactor(kit, session, user).catch(() => {})
      throw error
    },
  )
  // If two passkeys were removed at once, neither looked like the last one, and a reauthentication
  // meanwhile has stored the former methods again.
  await forgetLastFactor(kit, session, user)
  // A failed call reports itself, and the codes are deleted before another passkey is added.
  await forgetKeptCodes(kit, userId).catch(() => {})
}

interface Removal {
  readonly credentialId: string
  /** The name its user gave it. */
  readonly name: string
  readonly unlessLast: boolean
}

// If the session still claimed a factor that the user no longer has, it would pass where the host
// requires one.
async function removeLast(
  kit: PasskeysKit,
  session: SessionRecord,
  removal: Removal,
  context: RequestContext,
): Promise<void> {
  const { methods, userId } = session
  const keep = (shown: readonly StoredMethod[]) => noteMethods(kit, session, shown)
  // This comes first, while a failure still changes nothing.
  await keep(withoutFactors(methods))
  const giveBack = async () => {
    // Another request may have removed it. If this fails, the user must show the factor again.
    if ((await kit.passkeyStore.listForUser(userId)).length > 0) await keep(methods)
  }
  await remove(kit, session, removal, context).catch(async (error: unknown) => {
    await giveBack().catch(() => {})
    throw error
  })
}

// The user's other sessions end before the removal: if that fails, nothing has changed, and the
// user tries again. They end once more after it: a sign-in under way with the passkey checks it
// again after opening its session, so one of the two sees the other.
async function remove(
  { passkeyStore, sessions, audit }: PasskeysKit,
  session: SessionRecord,
  { credentialId, name, unlessLast }: Removal,
  context: RequestContext,
): Promise<void> {
  const { id, userId } = session
  await sessions.requireLive(session)
  await sessions.endAllForUser(userId, 'factor-changed', context, id)
  try {
    const { outcome } = await passkeyStore.remove(userId, credentialId, { unlessLast })
    if (outcome === 'unknown') throw noPasskey()
    if (outcome === 'last') throw new AuthError('last-sign-in-method')
    const reason = 'by-user'
    audit({ type: 'passkey.removed', userId, passkeyId: credentialId, name, reason }, context)
  } finally {
    // The sessions end after a failure, too: the row may be gone, and only the answer lost. The
    // call reports its own failure.
    await sessions.endAllForUser(userId, 'factor-changed', context, id).catch(() => {})
  }
}

/** The error is also for a passkey of another user, whose existence is not revealed. */
export function noPasskey(): AuthError {
  return new AuthError('not-found', { clientMessage: 'There is no such passkey.' })
}

/** Whether the user has a second factor besides passkeys. */
export async function hasOtherFactor(
  { secondFactors }: PasskeysKit,
  user: AuthUser,
): Promise<boolean> {
  return (await secondFactors.of(user)) !== null
}

/**
 * Removes the second factors from a session's methods if its user no longer has any. Returns
 * whether it did. Call it after every write that may be based on an older row: of a concurrent
 * removal and proof, one sees the other. Rejects with 503.
 */
export async function forgetLastFactor(
  kit: PasskeysKit,
  { id, userId }: SessionName,
  user: AuthUser,
): Promise<boolean> {
  const session = await kit.sessions.findLive(id)
  if (session === null || !session.methods.some(countsAsFactor)) return false
  const passkeys = await kit.passkeyStore.listForUser(userId)
  // With another factor the session keeps both.
  if (passkeys.length > 0 || (await hasOtherFactor(kit, user))) return false
  await noteMethods(kit, session, withoutFactors(session.methods))
  return true
}

/** The methods without second factors and recovery codes. */
export function withoutFactors(methods: readonly StoredMethod[]): readonly StoredMethod[] {
  return methods.filter((method) => !countsAsFactor(method))
}

/**
 * Deletes the recovery codes kept from TOTP if the user has no passkey that they could replace.
 * Call it after a passkey was removed, and before one is added: if the store failed at the removal,
 * old codes would work for the new passkey. Rejects with 503.
 */
export async function forgetKeptCodes(
  { passkeyStore, keptCodes }: StoredPasskeysKit,
  userId: string,
): Promise<void> {
  if ((await passkeyStore.listForUser(userId)).length === 0) await keptCodes.forget(userId)
}

/** See {@link settleRemoved}. */
export type SettleRemoved = (userId: string, keptSessionIds: readonly string[]) => Promise<void>

/**
 * Call it after passkeys of a user have gone: of the sessions that stay none claims a factor that
 * is no more, and codes that were kept for a passkey go with the last one. Rejects with 503.
 */
export async function settleRemoved(
  kit: PasskeysKit,
  userId: string,
  keptSessionIds: readonly string[],
): Promise<void> {
  const user = keptSessionIds.length === 0 ? null : await kit.users.findById(userId)
  for (const id of keptSessionIds) {
    const kept = await kit.sessions.findLive(id)
    if (user !== null && kept?.userId === userId) await forgetLastFactor(kit, kept, user)
  }
  await forgetKeptCodes(kit, userId)
}
