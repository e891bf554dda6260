import type { RequestContext, ThrottleScope } from '../audit/events.js'
import { boundedCache } from '../lib/bounded-cache.js'
import { type Answer, type Ask, type Command, type Counter, isEnding } from './counter.js'
import {
  type AccountKeys,
  type AttemptKeys,
  accountKeys,
  attemptKeys,
  type CounterKey,
  type IdentifierDigests,
  prefixKeys,
} from './counter-keys.js'
import { createFailedHere, type FailedHere, type FailedTally } from './failed-here.js'
import { askNetwork, judgeNetwork } from './known-networks.js'
import { type Counters, type ReportLimit, rateLimitHeaders } from './limits.js'
import {
  type Asked,
  createSlots,
  type FirstAnswer,
  givingBack,
  type NoSlot,
  type Slot,
  type Slots,
  type Wanted,
  wanted,
} from './slots.js'

/** A password that is about to be judged. */
export interface PasswordAttempt {
  readonly identifier: IdentifierDigests
  /**
   * Which user has it, or null. Asked only where a limit over all networks, or of a whole network,
   * is used up: a user who has signed in from there before is let in.
   */
  readonly findUserId: () => Promise<string | null>
}

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

export interface PasswordLimitDeps {
  readonly counters: Counters
  readonly keyOf: CounterKey
  readonly ask: Ask
  /** What forgets an account's wrong second-factor codes. */
  readonly forgettingCodes: (account: string) => readonly Command[]
  readonly reportLimit: ReportLimit
  readonly dryRun: boolean
}

/** One attempt, and what is known of it. */
interface Attempt extends PasswordAttempt {
  readonly context: RequestContext
  /** Until when it waits for others, of `performance.now()`. */
  readonly deadline: number
  /** The key of its network, and in IPv6 of the wider ones as well. */
  readonly networks: readonly string[]
  readonly network: string
  readonly keys: AttemptKeys
  /** All slots that it has got, for giving them back. */
  readonly held: Set<Slot>
  /** Not there where a trial run has let the attempt pass. */
  perIdentifierAndNetwork?: Slot
  /** Over all networks. */
  perIdentifier?: Slot
  perUser?: Slot
  /** In place of `perIdentifier` and `perUser`: the account knows this network. */
  perUserAndKnownNetwork?: Slot
  readonly failedHere: FailedHere
  /** Read before the password is judged, in one round trip with the account's own counter. */
  seen?: Seen
}

/** What was read of an account. */
interface Seen {
  readonly keys: AccountKeys
  readonly isKnown: boolean
  /** What makes the network known; not there where that could not be found out. */
  readonly remember: Command | undefined
  readonly failed: readonly (Answer | undefined)[]
}

interface Limiting extends PasswordLimitDeps {
  readonly slots: Slots
  readonly usedUp: UsedUp
}

/** Milliseconds an attempt may wait for slots of pending attempts. */
const maxWaitMs = 5000

/**
 * Milliseconds after which an attempt is refused that was looked up first. To read a row takes
 * another time than to find none, and either takes less than this.
 */
const refusalDelayMs = 25

/** Used-up networks that a process remembers. */
const maxRemembered = 10_000

/**
 * Makes the limits of passwords. An identifier that no user has is counted by the same calls, in
 * the same order, as one that a user has.
 */
export function createPasswordLimits(deps: PasswordLimitDeps): TakePasswordSlot {
  const { counters, keyOf, ask, dryRun } = deps
  const usedUp = createUsedUp(counters.perNetwork.duration)
  const limiting: Limiting = { ...deps, slots: createSlots(ask), usedUp }
  return async function takePasswordSlot(asked, context) {
    const networks = prefixKeys(keyOf, context.ip)
    const network = networks[0] as string
    const keys = attemptKeys(asked.identifier, network)
    // An attempt that only a trial run refuses goes on at once.
    const deadline = dryRun ? 0 : performance.now() + maxWaitMs
    const failedHere = createFailedHere(
      ask,
      counters.failedHere,
      keys,
      () => attempt.perIdentifierAndNetwork?.count.endsAt ?? Number.POSITIVE_INFINITY,
    )
    const held = new Set<Slot>()
    const at = { context, deadline, networks, network, keys }
    // Without a prototype: a polluted one must not say that it holds a slot already.
    const attempt: Attempt = Object.assign(Object.create(null), asked, at, { held, failedHere })
    try {
      await takeFirst(limiting, attempt)
    } catch (error) {
      // In dry-run mode a counter outage must not refuse logins. The call has reported it.
      if (!dryRun) {
        await limiting.slots.refund([...held])
        throw error
      }
    }
    return {
      headers: headersOf(counters, attempt.perIdentifierAndNetwork),
      takeAccount: (userId) => takeAccount(limiting, attempt, userId),
      keep: (userId) => keep(limiting, attempt, userId),
      refund: () => limiting.slots.refund([...held]),
      clear: (userId, cleared) => clear(limiting, attempt, userId, cleared),
    }
  }
}

// Takes what an attempt needs before anything is known of whose it is, all in one call. Throws 429,
// or 503; what was taken by then is the caller's to give back.
async function takeFirst(limiting: Limiting, attempt: Attempt): Promise<void> {
  const { counters, slots } = limiting
  const { held, deadline, keys, identifier } = attempt
  const names = [
    wanted(counters.perIdentifierAndNetwork, keys.here),
    wanted(counters.perIdentifier, identifier.name),
  ]
  const early = await takeNetworks(limiting, attempt, names)
  const answers = early ?? (await slots.ask(names, held)).first
  const [here, everywhere] = (await slots.wait(answers, deadline, held)) as Pair
  if (here.isSlot) attempt.perIdentifierAndNetwork = here
  else refuse(limiting, attempt, 'identifier', here)
  if (everywhere.isSlot) attempt.perIdentifier = everywhere
  else await takeKnown(limiting, attempt, 'unknown-networks', everywhere)
}

type Pair = readonly [Slot | NoSlot, Slot | NoSlot]

// Answers what the names were given in the same call; undefined where they are to be asked now.
async function takeNetworks(
  limiting: Limiting,
  attempt: Attempt,
  names: readonly Wanted[],
): Promise<readonly FirstAnswer[] | undefined> {
  const { counters, slots, usedUp } = limiting
  const { held, deadline } = attempt
  const perPrefix = [counters.perNetwork, counters.perNetwork56, counters.perNetwork48]
  const networks = attempt.networks.map((key, i) => wanted(perPrefix[i] as Counter, key))
  // Where a network is used up, no counter is made for whatever identifiers it tries.
  const isUsedUp = networks.some(usedUp.has)
  const { first } = await slots.ask(isUsedUp ? networks : [...networks, ...names], held)
  const ofNetworks = first.slice(0, networks.length)
  const ofNames = first.slice(networks.length)
  const isRefused = ofNetworks.some(({ isSlot }) => !isSlot)
  // No attempt holds an identifier's slot while it waits for a network's: two could wait for each
  // other.
  if (isRefused) await giveBackEarly(limiting, attempt, ofNames)
  for (const slot of await slots.wait(ofNetworks, deadline, held)) {
    usedUp.notice(slot)
    if (!slot.isSlot) await takeKnown(limiting, attempt, 'network', slot)
  }
  return isRefused || isUsedUp ? undefined : ofNames
}

async function giveBackEarly(
  { slots }: Limiting,
  { held }: Attempt,
  answers: readonly FirstAnswer[],
): Promise<void> {
  const early = answers.filter((one) => one.isSlot)
  for (const slot of early) held.delete(slot)
  await slots.refund(early)
}

/** Lets an attempt go on from a network that its account knows, and refuses any other. */
async function takeKnown(
  limiting: Limiting,
  attempt: Attempt,
  scope: ThrottleScope,
  refused: NoSlot,
): Promise<void> {
  if (attempt.perUserAndKnownNetwork !== undefined) return
  // From here on, and not from the beginning: an attempt may have waited for a slot for longer than
  // that.
  const asked = performance.now()
  const keys = accountKeys(limiting.keyOf, await attempt.findUserId(), attempt)
  const commands = askNetwork(limiting.counters, keys)
  if (judgeNetwork(commands, await limiting.ask(commands)).isKnown) {
    const slot = await takeOfKnown(limiting, attempt, keys, attempt.deadline)
    if (!slot.isSlot) refuse(limiting, attempt, 'known-network', slot)
    return
  }
  const left = asked + refusalDelayMs - performance.now()
  if (left > 0) await new Promise((resolve) => setTimeout(resolve, left))
  refuse(limiting, attempt, scope, refused)
}

async function takeOfKnown(
  { counters, slots }: Limiting,
  attempt: Attempt,
  { known }: AccountKeys,
  deadline: number,
): Promise<Slot | NoSlot> {
  const { held } = attempt
  const { first } = await slots.ask([wanted(counters.perUserAndKnownNetwork, known)], held)
  const [slot] = (await slots.wait(first, deadline, held)) as [Slot | NoSlot]
  if (slot.isSlot) attempt.perUserAndKnownNetwork = slot
  return slot
}

/** Reports a limit, and throws its 429; in a trial run the attempt goes on. */
function refuse(
  { reportLimit, dryRun }: Limiting,
  { identifier, context }: Attempt,
  scope: ThrottleScope,
  { of: { points }, retryAfter }: NoSlot,
): void {
  const reached = { scope, points, retryAfter, identifierDigest: identifier.name }
  const error = reportLimit(reached, context, dryRun)
  if (!dryRun) throw error
}

async function takeAccount(
  limiting: Limiting,
  attempt: Attempt,
  userId: string | null,
): Promise<MayPass> {
  const { counters, slots, reportLimit, dryRun } = limiting
  const { held, context, identifier } = attempt
  const keys = accountKeys(limiting.keyOf, userId, attempt)
  const reading = [...askNetwork(counters, keys), ...attempt.failedHere.reading] as const
  let slot: Slot | NoSlot
  let answers: Asked
  try {
    answers = await slots.ask([wanted(counters.perUser, keys.total)], held, reading)
    attempt.seen = seenOf(keys, reading, answers.further)
    slot = (await slots.wait(answers.first, 0, held))[0] as Slot | NoSlot
  } catch (error) {
    if (dryRun) return mayPass
    throw error
  }
  if (slot.isSlot) {
    attempt.perUser = slot
    return mayPass
  }
  return async () => {
    // Without a user no password is right.
    if (userId === null || attempt.perUserAndKnownNetwork !== undefined) return true
    // What a known network has of its own, and no more. Throws 503: a right password must not be
    // answered like a wrong one because nobody could look.
    const { isKnown } = judgeNetwork([reading[0], reading[1]], answers.further)
    if (isKnown && (await takeOfKnown(limiting, attempt, keys, 0)).isSlot) return true
    const { points } = slot.of
    const limit = { scope: 'account', points, retryAfter: slot.retryAfter, userId } as const
    reportLimit({ ...limit, identifierDigest: identifier.name }, context, dryRun)
    return dryRun
  }
}

async function mayPass(): Promise<boolean> {
  return true
}

type Reading = readonly [Command, Command, Command, Command]

function seenOf(
  keys: AccountKeys,
  [ofNetwork, ofUser]: Reading,
  [seenIn, epoch, ...failed]: readonly (Answer | undefined)[],
): Seen {
  try {
    return { keys, failed, ...judgeNetwork([ofNetwork, ofUser], [seenIn, epoch]) }
  } catch {
    // Where it cannot be found out whether a network is known, it counts as a stranger's.
    return { keys, failed, isKnown: false, remember: undefined }
  }
}

async function look(limiting: Limiting, attempt: Attempt, userId: string | null): Promise<Seen> {
  const keys = accountKeys(limiting.keyOf, userId, attempt)
  const reading = [...askNetwork(limiting.counters, keys), ...attempt.failedHere.reading] as const
  return seenOf(keys, reading, await limiting.ask(reading))
}

// What is failed where the account is known counts there, and not with what strangers have over all
// networks. Once that is used up it counts like theirs.
async function keep(limiting: Limiting, attempt: Attempt, userId: string | null): Promise<void> {
  const { ask, slots } = limiting
  const { failedHere, perIdentifier, perUser } = attempt
  const { keys, isKnown } = attempt.seen ?? (await look(limiting, attempt, userId))
  if (isKnown && attempt.perUserAndKnownNetwork === undefined)
    await takeOfKnown(limiting, attempt, keys, 0).catch(() => {})
  const countsHere = attempt.perUserAndKnownNetwork !== undefined
  const elsewhere = countsHere ? [perIdentifier, perUser] : []
  await ask([
    failedHere.adding(countsHere ? 'known' : 'unknown'),
    ...givingBack(elsewhere.filter((slot) => slot !== undefined)),
  ])
  slots.keep(attempt.held)
}

async function clear<T>(
  limiting: Limiting,
  attempt: Attempt,
  userId: string,
  { factorShown, work }: Cleared<T>,
): Promise<T> {
  const { counters, ask, slots, forgettingCodes } = limiting
  const { held, failedHere } = attempt
  const { keys, failed, remember } = attempt.seen ?? (await look(limiting, attempt, userId))
  // Nothing is sent where nothing has been failed.
  const collected = await failedHere.collect(failed)
  let isRemembered = false
  try {
    return await work(() => {
      isRemembered = true
    })
  } finally {
    // What is not forgotten makes the limit stricter, and a network that is not known is one among
    // strangers; the calls have reported it.
    const rest = await ask([
      ...failedHere.readingRest(),
      ...givingBackFailed(limiting, attempt, keys, collected),
      { do: 'clear', of: counters.perUser, key: keys.total },
      ...(factorShown ? forgettingCodes(keys.account) : []),
      ...(isRemembered && remember !== undefined ? [remember] : []),
      ...givingBack([...held].filter((slot) => slot !== attempt.perUser)),
    ])
    const late = givingBackFailed(limiting, attempt, keys, await failedHere.collectRest(rest))
    if (late.length > 0) await ask(late)
    // Last, since it wakes the attempt that waits for a slot, which then finds all that came back.
    slots.keep(held)
  }
}

function givingBackFailed(
  { counters }: Limiting,
  { keys, identifier, perIdentifierAndNetwork, perIdentifier }: Attempt,
  { known: knownKey }: AccountKeys,
  { known, unknown }: FailedTally,
): readonly Command[] {
  if (known + unknown === 0) return []
  const all: readonly (Command | false)[] = [
    runs(perIdentifierAndNetwork) &&
      giving(counters.perIdentifierAndNetwork, keys.here, known + unknown),
    unknown > 0 && runs(perIdentifier) && giving(counters.perIdentifier, identifier.name, unknown),
    known > 0 && giving(counters.perUserAndKnownNetwork, knownKey, known),
  ]
  return all.filter((command) => command !== false)
}

function giving(of: Counter, key: string, points: number): Command {
  return { do: 'giveBack', of, key, points }
}

// In another window it would be taken off what others have failed.
function runs(slot: Slot | undefined): boolean {
  return slot === undefined || !isEnding((slot.count.endsAt - Date.now()) / 1000)
}

// In a trial run, nothing may have been counted.
function headersOf(
  { perIdentifierAndNetwork: { points } }: Counters,
  slot: Slot | undefined,
): Readonly<Record<string, string>> {
  return slot === undefined
    ? {}
    : rateLimitHeaders(points, slot.count.remaining, slot.count.seconds)
}

/** Networks that this process has found used up. A hint: each attempt still asks its counter. */
interface UsedUp {
  has(network: Wanted): boolean
  notice(slot: Slot | NoSlot): void
}

function createUsedUp(seconds: number): UsedUp {
  const until = boundedCache<number>(maxRemembered, seconds)
  return {
    has: ({ key }) => (until.get(key, new Date()) ?? 0) > Date.now(),
    notice(slot) {
      const { remaining, seconds } = slot.count
      if (remaining > 0) return until.delete(slot.key)
      const wait = slot.isSlot ? seconds : slot.retryAfter
      until.set(slot.key, Date.now() + wait * 1000, new Date())
    },
  }
}
