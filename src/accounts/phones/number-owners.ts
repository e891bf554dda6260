import type { PlantedNumber } from '../../account/ways-in.js'
import { noRequest } from '../../audit/events.js'
import { AuthError } from '../../errors.js'
import type { GroundKit } from '../../kits/ground-kit.js'
import type { ManagementKit } from '../../kits/session-kit.js'
import { sha256 } from '../../lib/secrets.js'
import { markOfMaker } from '../../sessions/password-watch.js'
import type { SessionRecord, StoredKind } from '../../stores/contract.js'
import type { ProofStore } from '../../stores/one-time-contract.js'
import type { AuthUser, UserStore } from '../../users/contract.js'
import { type Mails, provenAddress } from '../mails.js'
import type { FoundProof, Proofs } from '../proofs.js'

// A number is not a person for ever: it is given to somebody else some months after its owner has
// left it. So a number alone signs nobody in who has not been here for half a year; and a user who
// proves the number of another one gets it, but not at once.

/** The parts that know the owners of numbers. */
export interface NumberOwnersKit extends GroundKit, ManagementKit {
  readonly proofs: Proofs
  readonly proofStore: ProofStore
  readonly mails: Pick<Mails, 'reserve'>
  readonly findContact: NonNullable<UserStore['findContact']>
  readonly updatePhone: NonNullable<UserStore['updatePhone']>
  readonly setPhoneFactor: UserStore['setPhoneFactor']
}

const daySeconds = 24 * 60 * 60

/** Days, and how many of them count as lately. */
const period = 30
const periods = 6

/** Sessions in which the user is not there. */
const withoutUser: readonly StoredKind[] = ['token', 'service', 'acting']

/** A claim waits for three days, and is open for a week. */
const claimWaits = 3 * daySeconds
const claimLifetime = 10 * daySeconds

/** A note of who has added a number stays as long as the number may. */
const noteLifetime = 10 * 365 * daySeconds

/** The functions of the channel that know the owners of numbers. */
export interface NumberOwners {
  /** Whether the user has signed in during the last months, in whatever way. Rejects with 503. */
  wasHereLately(userId: string): Promise<boolean>
  /** Notes which session adds a number; before it is written. Rejects with 503. */
  noteAdded(user: AuthUser, session: SessionRecord, number: string): Promise<void>
  /** The number of a user, if somebody has added it here; null otherwise. Rejects with 503. */
  findPlanted(userId: string): Promise<PlantedNumber | null>
  /** Frees a number of another user. Throws 409 until that user has had three days; 503. */
  takeOver(userId: string, number: string): Promise<void>
  /** Whether others claim a number of the user. Rejects with 503. */
  isClaimed(ownerId: string, number: string): Promise<boolean>
  /** Ends what others claim, since the owner has typed a code. Never rejects. */
  dropClaims(ownerId: string, number: string): Promise<void>
}

/** Makes them. From then on, sign-ins are noted. */
export function createNumberOwners(kit: NumberOwnersKit): NumberOwners {
  const noted = new Set<string>()
  kit.observeEvents((event) => {
    if (event.type !== 'login.succeeded' && event.type !== 'session.opened') return
    void noteSeen(kit, noted, event.userId)
  })
  return {
    wasHereLately: (userId) => wasHereLately(kit, userId),
    noteAdded: (...added) => noteAdded(kit, ...added),
    findPlanted: (userId) => findPlanted(kit, userId),
    takeOver: (userId, number) => takeOver(kit, userId, number),
    isClaimed: async (ownerId, number) => (await claimsOn(kit, ownerId, number)).length > 0,
    dropClaims: (ownerId, number) => dropClaims(kit, ownerId, number),
  }
}

const periodAt = (now: Date) => Math.floor(now.getTime() / (period * daySeconds * 1000))

const tokenOf = (userId: string, at: number) => JSON.stringify(['seen', userId, at])

// One row in 30 days for each user who signs in. If this fails, the next sign-in does it.
async function noteSeen(kit: NumberOwnersKit, noted: Set<string>, userId: string): Promise<void> {
  const { proofs, clock } = kit
  const token = tokenOf(userId, periodAt(clock()))
  if (noted.has(token)) return
  if (noted.size >= 10_000) noted.clear()
  noted.add(token)
  const seen = { purpose: 'seen', userId, mark: null, sealed: {} } as const
  const lifetime = (periods + 1) * period * daySeconds
  await proofs.openLink({ ...seen, lifetime }, token).catch(async () => {
    // It is there already, or the store is away.
    if (!(await isSeen(kit, token).catch(() => false))) noted.delete(token)
  })
}

async function isSeen({ proofStore }: NumberOwnersKit, token: string): Promise<boolean> {
  return (await proofStore.find(sha256(token), 'seen')) !== null
}

async function wasHereLately(kit: NumberOwnersKit, userId: string): Promise<boolean> {
  const { sessionStore, clock } = kit
  const now = clock()
  for (let ago = 0; ago < periods; ago += 1)
    if (await isSeen(kit, tokenOf(userId, periodAt(now) - ago))) return true
  // Signed in before the option was switched on, or for longer than half a year.
  const live = await sessionStore.listForUser(userId, now)
  return live.some(({ kind }) => !withoutUser.includes(kind))
}

async function noteAdded(
  { proofs }: NumberOwnersKit,
  user: AuthUser,
  session: SessionRecord,
  number: string,
): Promise<void> {
  // The row outlives the account: it tells nobody the number.
  const mark = proofs.markOf(addedParts(user.id, number))
  const sealed = { passwordMark: markOfMaker(session, user) }
  const added = { purpose: 'phone-added', userId: user.id, mark, sealed } as const
  await proofs.openLink({ ...added, lifetime: noteLifetime })
}

const addedParts = (userId: string, number: string) => ['phone-added', userId, number]

async function findPlanted(kit: NumberOwnersKit, userId: string): Promise<PlantedNumber | null> {
  const { proofs, findContact, updatePhone, audit } = kit
  const contact = await findContact(userId)
  const number = contact?.phone ?? null
  const isFactor = contact?.phoneFactor === true
  if (number === null) return null
  // A change that failed has left a note of another number.
  const [added] = (await proofs.list('phone-added', userId))
    .filter((one) => proofs.isMark(one, addedParts(userId, number)))
    .toSorted((one, other) => Number(other.record.createdAt) - Number(one.record.createdAt))
  if (added === undefined) return null
  return {
    passwordMark: added.sealed['passwordMark'] ?? null,
    createdAt: added.record.createdAt,
    isFactor,
    async remove() {
      // Otherwise the next sign-in would ask for a code that nobody can get.
      if (isFactor) await kit.setPhoneFactor?.(userId, false)
      const { outcome } = await updatePhone(userId, number, null)
      if (outcome === 'changed') audit({ type: 'phone.removed', userId }, noRequest)
      return outcome === 'changed'
    },
  }
}

// The code was right, so this user has the number now. Its former owner is told, and has three days
// to sign in with it, to prove another one, or to tell the service.
async function takeOver(kit: NumberOwnersKit, userId: string, number: string): Promise<void> {
  const { users, findContact, updatePhone, clock } = kit
  const owner = await users.findByIdentifier({ kind: 'user', value: number })
  const contact = owner && (await findContact(owner.id))
  if (owner === null || owner.id === userId || contact?.phone !== number) throw inUse(null)
  // Its codes guard the account: without them nobody could sign in, or the password alone could.
  if (contact.phoneFactor === true) throw inUse(null)
  if (contact.phoneVerified === true) {
    const claim = await claimOf(kit, { userId, owner, number, email: provenAddress(contact) })
    const opensAt = new Date(claim.record.createdAt.getTime() + claimWaits * 1000)
    if (clock() < opensAt) throw inUse(opensAt)
    // One caller takes it.
    if (!(await kit.proofs.consume(claim))) throw new AuthError('superseded')
  }
  const { outcome } = await updatePhone(owner.id, number, null)
  if (outcome !== 'changed') throw new AuthError('superseded')
  kit.audit({ type: 'phone.removed', userId: owner.id }, noRequest)
  // Codes that went to the number open nothing of its former owner any more.
  await kit.proofs.voidForUser(owner.id, ['sign-in', 'second-factor', 'change-address'])
}

function inUse(until: Date | null): AuthError {
  const details = until === null ? {} : { details: { until: until.toISOString() } }
  return new AuthError('phone-in-use', details)
}

interface Claim {
  readonly userId: string
  readonly owner: AuthUser
  readonly number: string
  readonly email: string | null
}

// Finds the claim of this user, or makes it and tells the owner. Without an address nobody can be
// told, so the number stays: a support desk decides.
async function claimOf(kit: NumberOwnersKit, claim: Claim): Promise<FoundProof> {
  const { userId, owner, number, email } = claim
  const found = await claimsOn(kit, owner.id, number)
  const mine = found.find(({ sealed }) => sealed['by'] === userId)
  if (mine !== undefined) return mine
  if (email === null) throw inUse(null)
  const place = kit.mails.reserve()
  try {
    const key = kit.proofs.markOf(partsOf(number))
    const sealed = { by: userId, owner: owner.id }
    const asked = { purpose: 'phone-claim', userId: key, mark: null, sealed } as const
    await kit.proofs.openLink({ ...asked, lifetime: claimLifetime })
  } catch (error) {
    place.release()
    throw error
  }
  place.send(
    { address: email, user: owner, locale: owner.locale },
    { kind: 'phone-claimed' },
    noRequest,
  )
  kit.audit({ type: 'phone.claimed', userId: owner.id }, noRequest)
  throw inUse(new Date(kit.clock().getTime() + claimWaits * 1000))
}

const partsOf = (number: string) => ['phone-claim', number]

async function claimsOn(
  { proofs }: NumberOwnersKit,
  ownerId: string,
  number: string,
): Promise<readonly FoundProof[]> {
  const all = await Promise.all(
    proofs.marksOf(partsOf(number)).map((key) => proofs.list('phone-claim', key)),
  )
  return all.flat().filter(({ sealed }) => sealed['owner'] === ownerId)
}

// The owner has the number still.
async function dropClaims(kit: NumberOwnersKit, ownerId: string, number: string): Promise<void> {
  for (const claim of await claimsOn(kit, ownerId, number).catch(() => []))
    await kit.proofs.consume(claim).catch(() => {})
}
