import type { RequestContext } from '../audit/events.js'
import { isEnding } from './counter.js'
import { identifierKeys, knownNetworkKey, userKey } from './counter-keys.js'
import { createFailedHere, type FailedHere, type FailedTally } from './failed-here.js'
import type { NetworkStanding } from './known-networks.js'
import { rateLimitHeaders } from './limits.js'
import {
  createPasswordSlots,
  type PasswordAttempt,
  type PasswordSlotDeps,
  type PasswordSlots,
  type Taken,
} from './password-slots.js'
import { isSlot, type Slot, type Slots } from './pending-attempts.js'

/** Whether a right password may let its account in. Rejects with 503. */
export type MayPass = () => Promise<boolean>

/** The right to have one password judged. */
export interface PasswordSlot {
  /** For the answer, whatever it is. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * Counts the attempt against the account that was found, null where none was, before its
   * password is judged. Rejects with 503.
   */
  takeAccount(userId: string | null): Promise<MayPass>
  /** The password was wrong, or there is no such user: it counts. Never rejects. */
  keep(userId: string | null): Promise<void>
  /** The attempt was not a wrong password after all: it does not count. Never rejects. */
  refund(): Promise<void>
  /**
   * This user's sign-in is complete, or in a session the password was right. Does the work that is
   * left, and then gives back what was counted for this identifier in this network, and the
   * account's total, whatever became of the work. Rejects only as the work does.
   */
  clear<T>(userId: string, cleared: Cleared<T>): Promise<T>
}

/** What a sign-in that is complete has left to do. */
export interface Cleared<T> {
  /** A second-factor code was right as well: wrong ones are forgotten. */
  readonly factorShown: boolean
  /** `rememberNetwork`: the session stands, so the account knows this network from now on. */
  readonly work: (rememberNetwork: () => void) => Promise<T>
}

/** Takes a slot for a password. Throws 429, or 503 when the counters are out of reach. */
export type TakePasswordSlot = (
  attempt: PasswordAttempt,
  context: RequestContext,
) => Promise<PasswordSlot>

/** What the limits of passwords need. */
export interface PasswordLimitDeps extends PasswordSlotDeps {
  /** Never rejects. */
  readonly clearSecondFactor: (userId: string) => Promise<void>
}

/** One attempt, and what is known of it. */
interface Judged {
  readonly attempt: PasswordAttempt
  readonly context: RequestContext
  readonly taken: Taken
  readonly failedHere: FailedHere
  /** Read before the password is judged, in one round trip with the account's own counter. */
  ahead?: ReadAhead
}

interface ReadAhead {
  readonly standing: Promise<NetworkStanding>
  readonly failed: Promise<FailedTally>
}

/**
 * Makes the limits of passwords. An identifier that no user has is counted by the same calls, in
 * the same order, as one that a user has.
 */
export function createPasswordLimits(deps: PasswordLimitDeps): TakePasswordSlot {
  const slots = createPasswordSlots(deps)
  return async function takePasswordSlot(attempt, context) {
    const taken: Taken = { slots: new Set() }
    try {
      await slots.takeFirst(attempt, context, taken)
    } catch (error) {
      // In dry-run mode a counter outage must not refuse logins. The call has reported it.
      if (!deps.dryRun) {
        await refundAll(taken)
        throw error
      }
    }
    const keys = identifierKeys(deps.keyOf, attempt.identifier, context.ip)
    const windowEndsAt = taken.perIdentifierAndNetwork?.count.endsAt ?? Number.POSITIVE_INFINITY
    const failedHere = createFailedHere(deps.counters.failedHere, keys, windowEndsAt)
    const judged: Judged = { attempt, context, taken, failedHere }
    return {
      headers: headersOf(deps, taken),
      takeAccount: (userId) => takeAccount(deps, slots, judged, userId),
      keep: (userId) => keep(deps, slots, judged, userId),
      refund: () => refundAll(taken),
      clear: (userId, cleared) => clear(deps, judged, userId, cleared),
    }
  }
}

function readAhead(
  { knownNetworks }: PasswordLimitDeps,
  { context, failedHere }: Judged,
  userId: string | null,
): ReadAhead {
  // Where it cannot be found out whether a network is known, it counts as a stranger's.
  const standing = knownNetworks.standing(userId, context.ip)
  standing.catch(nothing)
  return { standing, failed: failedHere.read() }
}

async function takeAccount(
  deps: PasswordLimitDeps,
  { perUser, perUserAndKnownNetwork }: PasswordSlots,
  judged: Judged,
  userId: string | null,
): Promise<MayPass> {
  const { keyOf, reportLimit, dryRun } = deps
  const { attempt, context, taken } = judged
  const ahead = readAhead(deps, judged, userId)
  judged.ahead = ahead
  const slot = await perUser
    .take(userKey(keyOf, userId, attempt.identifier), 0)
    .catch((error: unknown) => {
      if (dryRun) return null
      throw error
    })
  if (slot === null) return async () => true
  if (isSlot(slot)) {
    taken.perUser = slot
    taken.slots.add(slot)
    return async () => true
  }
  return async () => {
    // Without a user no password is right.
    if (userId === null || taken.perUserAndKnownNetwork !== undefined) return true
    // What a known network has of its own, and no more.
    const key = knownNetworkKey(keyOf, userId, context.ip)
    if ((await ahead.standing).isKnown && (await takeKnown(perUserAndKnownNetwork, key, taken)))
      return true
    const limit = {
      scope: 'account',
      points: perUser.counter.points,
      retryAfter: slot.retryAfter,
      userId,
      identifierDigest: attempt.identifier.name,
    } as const
    reportLimit(limit, context, dryRun)
    return dryRun
  }
}

// What is failed where the account is known counts there, and not with what strangers have over all
// networks. Once that is used up it counts like theirs.
async function keep(
  deps: PasswordLimitDeps,
  { perUserAndKnownNetwork }: PasswordSlots,
  judged: Judged,
  userId: string | null,
): Promise<void> {
  const { taken, context, failedHere } = judged
  const { standing } = judged.ahead ?? readAhead(deps, judged, userId)
  const isKnown = await standing.then(({ isKnown }) => isKnown).catch(() => false)
  if (isKnown && taken.perUserAndKnownNetwork === undefined) {
    const key = knownNetworkKey(deps.keyOf, userId, context.ip)
    await takeKnown(perUserAndKnownNetwork, key, taken).catch(nothing)
  }
  const countsHere = taken.perUserAndKnownNetwork !== undefined
  const elsewhere = countsHere ? [taken.perIdentifier, taken.perUser] : []
  await Promise.all([
    failedHere.add(countsHere ? 'known' : 'unknown'),
    ...elsewhere.map((slot) => slot?.refund()),
  ])
  for (const slot of taken.slots) if (!elsewhere.includes(slot)) slot.keep()
}

async function takeKnown(known: Slots, key: string, taken: Taken): Promise<boolean> {
  const slot = await known.take(key, 0)
  if (!isSlot(slot)) return false
  taken.perUserAndKnownNetwork = slot
  taken.slots.add(slot)
  return true
}

async function clear<T>(
  deps: PasswordLimitDeps,
  judged: Judged,
  userId: string,
  { factorShown, work }: Cleared<T>,
): Promise<T> {
  const { counters, keyOf } = deps
  const { attempt, taken, failedHere } = judged
  const { standing, failed } = judged.ahead ?? readAhead(deps, judged, userId)
  // Nothing is sent where nothing has been failed.
  const collected = await failedHere.collect(await failed)
  let isRemembered = false
  try {
    return await work(() => {
      isRemembered = true
    })
  } finally {
    const remember = async () => (await standing).remember()
    await Promise.all([
      giveBackFailed(deps, judged, userId, collected),
      failedHere.collectRest().then((rest) => giveBackFailed(deps, judged, userId, rest)),
      counters.perUser.forget(userKey(keyOf, userId, attempt.identifier)).catch(nothing),
      factorShown && deps.clearSecondFactor(userId),
      isRemembered && remember().catch(nothing),
      ...[...taken.slots].map((slot) => slot !== taken.perUser && slot.giveBack()),
    ])
    // Last, since it wakes the attempt that waits for a slot, which then finds all that came back.
    for (const slot of taken.slots) slot.keep()
  }
}

async function giveBackFailed(
  { counters, keyOf }: PasswordLimitDeps,
  { attempt, context, taken }: Judged,
  userId: string,
  { known, unknown }: FailedTally,
): Promise<void> {
  if (known + unknown === 0) return
  const keys = identifierKeys(keyOf, attempt.identifier, context.ip)
  const knownKey = knownNetworkKey(keyOf, userId, context.ip)
  await Promise.all([
    runs(taken.perIdentifierAndNetwork) &&
      counters.perIdentifierAndNetwork.giveBack(keys.here, known + unknown),
    unknown > 0 &&
      runs(taken.perIdentifier) &&
      counters.perIdentifier.giveBack(keys.everywhere, unknown),
    known > 0 && counters.perUserAndKnownNetwork.giveBack(knownKey, known),
  ])
}

// In another window it would be taken off what others have failed.
function runs(slot: Slot | undefined): boolean {
  return slot === undefined || !isEnding((slot.count.endsAt - Date.now()) / 1000)
}

async function refundAll({ slots }: Taken): Promise<void> {
  await Promise.all([...slots].map((slot) => slot.refund()))
}

// In a trial run, nothing may have been counted.
function headersOf(
  { counters }: PasswordLimitDeps,
  { perIdentifierAndNetwork: slot }: Taken,
): Readonly<Record<string, string>> {
  return slot === undefined
    ? {}
    : rateLimitHeaders(
        counters.perIdentifierAndNetwork.points,
        slot.count.remaining,
        slot.count.seconds,
      )
}

// What is not forgotten makes the limit stricter, and a network that is not known is one among
// strangers; the calls have reported it.
function nothing(): void {}
