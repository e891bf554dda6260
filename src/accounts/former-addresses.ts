import { AuthError } from '../errors.js'
import type { AccountsKit, AccountsServer, AddressKit } from './accounts-server.js'
import type { Channel } from './channel.js'
import type { FoundProof, MailedLink } from './proofs.js'

// The addresses that users had, while their changes can be undone: for 72 hours after a change. In
// rows, so that other processes and a restart know them.

/** Seconds in which the former address can undo a change. */
const undoLifetime = 72 * 60 * 60

/** A change that the former address can undo. */
interface UndoableChange {
  readonly userId: string
  /** Null: the user had none. */
  readonly from: string | null
  /** A time in ISO 8601, before the change: everything that was added since then is undone, too. */
  readonly since: string
  /** The mail address that gets the link. */
  readonly by: string
}

/**
 * Stores the link that undoes a change, and keeps the address for its owner. Call `cancel` if the
 * change was not written. Rejects with 503.
 */
export async function openUndo(
  { proofs, channel: { name: channel } }: AddressKit,
  { userId, from, since, by }: UndoableChange,
): Promise<MailedLink & { cancel(): Promise<void> }> {
  // Outages while the owner's one link is used must not use it up.
  const lasting = { mark: null, lifetime: undoLifetime, tries: 100 }
  const owner = proofs.markOf(addressParts(from ?? ''))
  const kept = { purpose: 'former-address', userId: owner, sealed: { userId } } as const
  const keptId = from === null ? null : (await proofs.openLink({ ...kept, ...lasting })).id
  const undo = { purpose: 'undo-address', userId, sealed: { channel, from, since, by } } as const
  const link = await proofs.openLink({ ...undo, ...lasting })
  return {
    ...link,
    async cancel() {
      await proofs.consume({ record: { ...undo, idHash: link.id } })
      if (keptId !== null) await proofs.consume({ record: { ...kept, idHash: keptId } })
    },
  }
}

/** The former mail addresses to which the user can go back. Rejects with 503. */
export async function formerAddressesOf(
  kit: AccountsKit,
  userId: string,
): Promise<readonly string[]> {
  return (await undoable(kit, userId, kit.channels.email)).flatMap(
    ({ sealed }) => sealed['from'] ?? [],
  )
}

/**
 * Whether the link that undoes a change of a number was mailed to an address that is the user's, or
 * can be so again: a thief who has changed the address before has the link. Rejects with 503.
 */
export async function isOwnersLink(
  kit: AccountsKit,
  { record: { userId }, sealed }: FoundProof,
): Promise<boolean> {
  const { channel, by } = sealed
  if (channel === 'email' || kit.users.updateEmail === undefined) return true
  if (userId === null || by == null) return false
  const contact = await kit.contacts.findContact(userId)
  return contact?.email === by || (await formerAddressesOf(kit, userId)).includes(by)
}

/**
 * Throws 429 while a change of the user's address in this channel can be undone: another change, or
 * a deletion, would leave its owner nothing. Throws 503.
 */
export async function requireNoUndo(
  kit: AccountsKit,
  userId: string,
  channel: Channel,
): Promise<void> {
  const ends = (await undoable(kit, userId, channel)).map(({ record }) =>
    record.expiresAt.getTime(),
  )
  if (ends.length === 0) return
  const now = kit.clock().getTime()
  const retryAfter = Math.max(1, Math.ceil((Math.max(...ends) - now) / 1000))
  const message = 'a change of the address can still be undone'
  throw new AuthError('too-many-requests', { retryAfter, message })
}

/** Whether an address is kept, and may not become another user's. Rejects with 503. */
export async function isKept(
  { proofs }: AccountsServer,
  email: string,
  exceptUserId?: string,
): Promise<boolean> {
  for (const owner of proofs.marksOf(addressParts(email))) {
    const kept = await proofs.list('former-address', owner)
    if (kept.some(({ sealed }) => sealed['userId'] !== exceptUserId)) return true
  }
  return false
}

/** Ends all undoing of a user, who is back at this address. Rejects with 503. */
export async function forgetFormer(
  { proofs, channel }: AddressKit,
  userId: string,
  from: string,
): Promise<void> {
  const all = await proofs.list('undo-address', userId)
  const open = all.filter(({ sealed }) => sealed['channel'] === channel.name)
  for (const proof of open) await proofs.consume(proof)
  for (const address of [from, ...open.map(({ sealed }) => sealed['from'])])
    for (const owner of proofs.marksOf(addressParts(address ?? '')))
      await proofs.voidForUser(owner, ['former-address'])
}

// One whose change was not written, or was undone, is the user's present address.
async function undoable(
  { proofs, contacts }: AccountsKit,
  userId: string,
  channel: Channel,
): Promise<readonly FoundProof[]> {
  const all = await proofs.list('undo-address', userId)
  const open = all.filter(({ sealed }) => sealed['channel'] === channel.name)
  if (open.length === 0) return open
  const present = channel.addressIn(await contacts.findContact(userId)).address
  return open.filter(({ sealed }) => sealed['from'] !== present)
}

function addressParts(email: string) {
  return ['former-address', email.toLowerCase()]
}
