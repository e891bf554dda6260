import { setTimeout } from 'node:timers/promises'
import { shownNameText, userNameText } from '../accounts/newcomer.js'
import type { RequestContext } from '../audit/events.js'
import type { DirectoryEntry } from '../directories/contract.js'
import { parseMailAddress } from '../lib/addresses.js'
import type { AuthUser } from '../users/contract.js'
import { type DirectorySignInKit, newConnection } from './directory-server.js'
import type { ConnectedDirectory } from './fail-closed-directory.js'

/**
 * The new user of an entry whose password was right; null if strangers become no users, or another
 * user has the name. Of many calls for one entry, one creates. Rejects with 503.
 */
export type CreateOwner = (
  of: { readonly directory: ConnectedDirectory; readonly entry: DirectoryEntry },
  context: RequestContext,
) => Promise<AuthUser | null>

/** Milliseconds after which another process may have connected the user that it has created. */
const looks = [0, 50, 200, 750]

export function createCreateOwner(kit: DirectorySignInKit): CreateOwner {
  const underWay = new Map<string, Promise<AuthUser | null>>()
  return async function createOwner({ directory, entry }, context) {
    if (kit.directoriesOptions.unknown !== 'create') return null
    const key = JSON.stringify([directory.provider, entry.subject])
    const mine = underWay.get(key) ?? create(kit, directory, entry, context)
    underWay.set(key, mine)
    return mine.finally(() => underWay.delete(key))
  }
}

async function create(
  kit: DirectorySignInKit,
  { id: directory, provider }: ConnectedDirectory,
  { subject, username, displayName, email }: DirectoryEntry,
  context: RequestContext,
): Promise<AuthUser | null> {
  const { users, audit, entries } = kit
  const { create: createUser, delete: deleteUser } = users
  if (!createUser || !deleteUser) return null
  if (!userNameText.safeParse(username).success) {
    audit({ type: 'directory.refused', directory, userId: null, reason: 'unfit-name' }, context)
    return null
  }
  const made = await createUser({
    email: await provenEmailOf(kit, email),
    username,
    name: shownNameText.safeParse(displayName).data ?? username,
    passwordHash: null,
    identity: { provider, issuer: provider, subject },
  })
  if (made.outcome === 'taken') {
    const winner = await winnerOf(kit, provider, subject)
    if (winner === null) audit({ type: 'directory.name-taken', directory, userId: null }, context)
    return winner
  }
  const { user } = made
  const row = newConnection(kit, { provider, subject, userId: user.id, label: email ?? username })
  // Left behind, the user would have the name of an entry that nobody can sign in by.
  const { outcome } = await entries.link(row).catch(async (error: unknown) => {
    await deleteUser(user.id)
    throw error
  })
  if (outcome === 'exists') {
    await deleteUser(user.id)
    return winnerOf(kit, provider, subject)
  }
  audit({ type: 'identity.linked', userId: user.id, provider, how: 'created' }, context)
  audit({ type: 'account.registered', userId: user.id, invitationId: null }, context)
  return user
}

/** The user whom another call or process has created for this entry; null if there is none. */
async function winnerOf(
  { users, entries }: DirectorySignInKit,
  provider: string,
  subject: string,
): Promise<AuthUser | null> {
  for (const wait of looks) {
    await setTimeout(wait)
    const row = await entries.find(provider, subject)
    if (row !== null) return users.findById(row.userId)
  }
  return null
}

async function provenEmailOf(
  { directoriesOptions, isKept }: DirectorySignInKit,
  given: string | undefined,
): Promise<string | null> {
  const email = directoriesOptions.emailProven && given ? parseMailAddress(given) : null
  // A user who can still undo a change of the address gets it back.
  return email === null || (await isKept(email)) ? null : email
}
