import type { FoundProof, MarkOf, Proofs } from '../accounts/proofs.js'
import type { RequestContext } from '../audit/events.js'
import type { SessionKit } from '../kits/session-kit.js'
import { randomId, randomSecret, sha256 } from '../lib/secrets.js'
import type { ProofRecord, ProofStore } from '../stores/one-time-contract.js'
import {
  type RememberedBrowser,
  type RememberedBrowsers,
  rememberedPurpose,
  type SignedInBrowser,
} from '../two-factor/remembered-browser.js'
import type { AuthUser } from '../users/contract.js'

/** The parts that remember browsers. */
export interface RememberKit
  extends Pick<SessionKit, 'audit' | 'clock' | 'sessions' | 'isAskedEveryTime'> {
  readonly proofs: Proofs
  readonly proofStore: ProofStore
  readonly nameDevice: (userAgent: string | null) => Promise<string | null>
}

const dayMs = 24 * 60 * 60 * 1000
/** Browsers of a user. One more, and the oldest is forgotten: each is a row. */
const mostOfUser = 20
/**
 * Milliseconds in which a used token that comes again is no theft: of two tabs one comes second.
 */
const twiceWithin = 20_000

/**
 * A row for each token, by its digest. A token works once, and the answer brings the next one, so a
 * copy and its original cannot both go on.
 */
export function createRememberedBrowsers(kit: RememberKit, days: number): RememberedBrowsers {
  const { proofs, clock } = kit
  const endOf = (since: Date) => new Date(since.getTime() + days * dayMs)

  return {
    days,

    async judge(user, sent, context) {
      const found = await find(kit, user, sent.token, context)
      const since = found && sinceOf(found)
      if (found === null || since === null || endOf(since) <= clock()) return null
      if (!proofs.isMark(found, partsOf(user, sent.totpSince))) return null
      if (await kit.isAskedEveryTime(user)) return null
      // Names the winner.
      const isWon = await proofs.consume(found)
      return isWon ? { browserId: found.sealed['browserId'] as string, since } : null
    },

    keep: (signedIn, isWanted, context) =>
      keep(kit, signedIn, { isWanted, endOf }, context).catch(() => null),

    async list(userId) {
      const found = await proofs.list(rememberedPurpose, userId)
      const browsers = found.flatMap((proof) => browserOf(proof, endOf))
      const now = clock()
      return browsers
        .filter(({ expiresAt }) => expiresAt > now)
        .toSorted((one, other) => other.since.getTime() - one.since.getTime())
    },

    async forget(userId, browserId, context) {
      const isForgotten = await forgetAll(kit, userId, browserId)
      if (isForgotten) kit.audit({ type: 'remembered.ended', userId, browserId }, context)
      return isForgotten
    },
  }
}

/** The unused row of a token of this user. */
async function find(
  kit: RememberKit,
  { id: userId }: AuthUser,
  token: string,
  context: RequestContext,
): Promise<FoundProof | null> {
  const browserId = browserIn(token)
  if (browserId === null) return null
  const record = await kit.proofStore.find(sha256(token), rememberedPurpose)
  // The token of another user who has this browser stays as it is.
  if (record?.userId !== userId) return null
  if (record.consumedAt !== null) await noticeReuse(kit, record, browserId, context)
  const unused = await kit.proofs.list(rememberedPurpose, userId)
  const isRow = ({ record: { idHash }, sealed }: FoundProof) =>
    idHash === record.idHash && sealed['browserId'] === browserId
  return unused.find(isRow) ?? null
}

interface Keeping {
  readonly isWanted: boolean
  readonly endOf: (since: Date) => Date
}

async function keep(
  kit: RememberKit,
  signedIn: SignedInBrowser,
  { isWanted, endOf }: Keeping,
  context: RequestContext,
): Promise<string | null> {
  const { user, methods, remembered, sessionId } = signedIn
  // A recovery code says that the factor is lost, so it leads to no rest.
  const hasShown = methods.includes('otp') || methods.includes('passkey')
  if (remembered === null && !(isWanted && hasShown && methods.length > 1)) return null
  const { proofs, sessions, audit, clock } = kit
  const purpose = rememberedPurpose
  if (await kit.isAskedEveryTime(user)) return null
  const { browserId, since } = remembered ?? { browserId: randomId(), since: clock() }
  const lifetime = Math.floor((endOf(since).getTime() - clock().getTime()) / 1000)
  const token = `${prefix}${browserId}.${randomSecret()}`
  const name = await kit.nameDevice(context.userAgent)
  const sealed = { browserId, since: since.toISOString(), name }
  const mark = proofs.markOf(partsOf(signedIn, signedIn.totpSince))
  const row = { record: { idHash: sha256(token), purpose, userId: user.id } } as const
  await makeRoom(kit, user.id)
  await proofs.openLink({ purpose, userId: user.id, mark, sealed, lifetime, tries: 1 }, token)
  // All that forgets browsers has ended this session before: one of the two sees the other.
  if ((await sessions.findLive(sessionId)) === null) {
    await proofs.consume(row)
    return null
  }
  if (remembered === null) audit({ type: 'remembered.added', userId: user.id, browserId }, context)
  return token
}

async function makeRoom(kit: RememberKit, userId: string): Promise<void> {
  const found = await kit.proofs.list(rememberedPurpose, userId)
  const oldest = found.toSorted(
    (one, other) => other.record.createdAt.getTime() - one.record.createdAt.getTime(),
  )
  for (const proof of oldest.slice(mostOfUser - 1)) await kit.proofs.consume(proof)
}

// A token works once. A second use, some time later, is a copy: of the browser or of its thief, and
// nobody can tell which. Both are asked for the second factor.
async function noticeReuse(
  kit: RememberKit,
  { consumedAt, userId }: ProofRecord,
  browserId: string,
  context: RequestContext,
): Promise<void> {
  if (userId === null || consumedAt === null) return
  if (kit.clock().getTime() - consumedAt.getTime() < twiceWithin) return
  if (await forgetAll(kit, userId, browserId))
    kit.audit({ type: 'remembered.reused', userId, browserId }, context)
}

async function forgetAll(
  { proofs }: RememberKit,
  userId: string,
  browserId: string,
): Promise<boolean> {
  const found = await proofs.list(rememberedPurpose, userId)
  const meant = found.filter(({ sealed }) => sealed['browserId'] === browserId)
  const forgotten = await Promise.all(meant.map((proof) => proofs.consume(proof)))
  return forgotten.includes(true)
}

const prefix = 'mar_rb_'

// The id is no secret, and says nothing until the digest of the whole token is found.
function browserIn(token: string): string | null {
  const [, browserId = null] = /^mar_rb_([\w-]{22})\.[\w-]{43}$/.exec(token) ?? []
  return browserId
}

function sinceOf({ sealed }: FoundProof): Date | null {
  const since = sealed['since']
  return typeof since === 'string' ? new Date(since) : null
}

function browserOf(proof: FoundProof, endOf: (since: Date) => Date): RememberedBrowser[] {
  const { browserId: id, name } = proof.sealed
  const since = sinceOf(proof)
  // Sealed with a key that is gone.
  if (typeof id !== 'string' || since === null) return []
  return [{ id, name: name ?? null, since, expiresAt: endOf(since) }]
}

// Whoever changes the password or the factor in the database is heard as well.
function partsOf({ passwordHash }: Pick<AuthUser, 'passwordHash'>, totpSince: Date | null): MarkOf {
  return [passwordHash ?? null, totpSince?.toISOString() ?? null]
}
