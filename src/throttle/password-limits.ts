import type { RequestContext } from '../audit/events.js'
import type { ThrottleScope } from '../audit/refusals.js'
import type { Soon } from '../lib/async.js'
import { type Answer, type Command, type Counter, isEnding } from './counter.js'
import {
  type AccountKeys,
  type AttemptKeys,
  accountKeys,
  attemptKeys,
  type IdentifierDigests,
  prefixKeys,
} from './counter-keys.js'
import { createFailedHere, type FailedHere, type FailedTally } from './failed-here.js'
import { askNetwork, judgeNetwork, type NetworkLimitsKit } from './known-networks.js'
import { type Counters, rateLimitHeaders } from './limits.js'
import { forgetCodes } from './second-factor-limits.js'
import {
  type Asked,
  createSlots,
  createUsedUp,
  type FirstAnswer,
  givingBack,
  type NoSlot,
  type Slot,
  type Slots,
  type UsedUp,
  type Wanted,
  wanted,
} from './slots.js'

/** An attempt at a password. */
export interface PasswordAttempt {
  readonly identifier: IdentifierDigests
  /**
   * The user of the identifier, or null. It is called only if a limit over all networks, or of a
   * whole network, is reached: a user who has signed in from this network before may still sign in.
   */
  readonly findUserId: () => Promise<string | null>
}

/** Whether a right password may sign its account in. Rejects with 503. */
export type MayPass = () => Soon<boolean>

/** The permission to check one password. */
export interface PasswordSlot {
  /** Headers for the answer, success or error. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * Counts the attempt for the account, or null if there is none, before the password is checked.
   * Rejects with 503.
   */
  takeAccount(userId: string | null): Promise<MayPass>
  /** Call it if the password was wrong or the user does not exist: it counts. Never rejects. */
  keep(userId: string | null): Promise<void>
  /** Call it if the password was not wrong: the attempt does not count. Never rejects. */
  refund(): Promise<void>
  /**
   * Call it if the user's sign-in is complete, or if the password was right in a session. Does the
   * remaining work, and then, even if that fails, refunds the failures of this identifier in this
   * network and the account's total. Rejects only if the work rejects.
   */
  clear<T>(userId: string, cleared: Cleared<T>): Promise<T>
}

/** The rest of a complete sign-in. */
export interface Cleared<T> {
  /** Whether a second factor was proven, too: then its failures are cleared. */
  readonly factorShown: boolean
  /** Calls `rememberNetwork` when the session is stored: the account then knows this network. */
  readonly work: (rememberNetwork: () => void) => Promise<T>
}

/** Takes a slot for a password. Throws 429, or 503 if the counters fail. */
export type TakePasswordSlot = (
  attempt: PasswordAttempt,
  context: RequestContext,
) => Promise<PasswordSlot>

/** The state of one attempt. */
interface Attempt extends PasswordAttempt {
  readonly context: RequestContext
  /** How long it waits for others, by `performance.now()`. */
  readonly deadline: number
  /** The keys of its network, and for IPv6 of the wider prefixes. */
  readonly networks: readonly string[]
  readonly network: string
  readonly keys: AttemptKeys
  /** All its slots, for the refund. */
  readonly held: Set<Slot>
  /** Absent if a dry run has allowed the attempt beyond the limit. */
  perIdentifierAndNetwork: Slot | undefined
  /** Over all networks. */
  perIdentifier: Slot | undefined
  perUser: Slot | undefined
  /** Instead of `perIdentifier` and `perUser`, if the account knows this network. */
  perUserAndKnownNetwork: Slot | undefined
  readonly failedHere: FailedHere
  /** Read before the check of the password, in one round trip with the account's counter. */
  seen: Seen | undefined
}

/** The counts of an account. */
interface Seen {
  readonly userId: string | null
  readonly keys: AccountKeys
  readonly isKnown: boolean
  /** The command that makes the network known; undefined if its state could not be read. */
  readonly remember: Command | undefined
  readonly failed: readonly (Answer | undefined)[]
}

interface Limiting extends NetworkLimitsKit {
  readonly dryRun: boolean
  readonly slots: Slots
  readonly usedUp: UsedUp
}

/** How long an attempt may wait for slots of pending attempts, in milliseconds. */
const maxWaitMs = 5000

/**
 * Milliseconds until the refusal of an attempt whose user was looked up: longer than a lookup takes
 * with or without a row, so that the time does not reveal which.
 */
const refusalDelayMs = 25

/**
 * An unknown identifier causes the same calls in the same order as a known one.
 */
export function createPasswordLimits(kit: NetworkLimitsKit): TakePasswordSlot {
  const { counters, keyOf, ask } = kit
  const { dryRun = false } = kit.options
  const usedUp = createUsedUp(counters.perNetwork.duration)
  const limiting: Limiting = { ...kit, dryRun, slots: createSlots(ask), usedUp }
  return async function takePasswordSlot(asked, context) {
    const networks = prefixKeys(keyOf, context.ip)
    const network = networks[0] as string
    const keys = attemptKeys(asked.identifier, network)
    // A dry run refuses nothing, so the attempt need not wait.
    const deadline = dryRun ? 0 : performance.now() + maxWaitMs
    const failedHere = createFailedHere(
      ask,
      counters.failedHere,
      keys,
      () => attempt.perIdentifierAndNetwork?.count.endsAt ?? Number.POSITIVE_INFINITY,
    )
    // All members are its own: a polluted prototype must not add a slot.
    const attempt: Attempt = {
      identifier: asked.identifier,
      findUserId: asked.findUserId,
      context,
      deadline,
      networks,
      network,
      keys,
      held: new Set(),
      failedHere,
      perIdentifierAndNetwork: undefined,
      perIdentifier: undefined,
      perUser: undefined,
      perUserAndKnownNetwork: undefined,
      seen: undefined,
    }
    try {
      const taking = takeFirst(limiting, attempt)
      if (taking !== undefined) await taking
    } catch (error) {
      // In a dry run, failing counters must not refuse logins. The call has reported it.
      if (!dryRun) {
        await limiting.slots.refund([...attempt.held])
        throw error
      }
    }
    return {
      headers: headersOf(counters, attempt.perIdentifierAndNetwork),
      takeAccount: (userId) => takeAccount(limiting, attempt, userId),
      keep: (userId) => keep(limiting, attempt, userId),
      refund: () => limiting.slots.refund([...attempt.held]),
      clear: (userId, cleared) => clear(limiting, attempt, userId, cleared),
    }
  }
}

// Takes all slots that do not depend on the user, in one call. Throws, or rejects with, 429 or 503;
// the caller then refunds the slots already taken. Undefined: done.
function takeFirst(limiting: Limiting, attempt: Attempt): Promise<void> | undefined {
  const { counters, slots, usedUp } = limiting
  const { held, keys, identifier } = attempt
  const perPrefix = [counters.perNetwork, counters.perNetwork56, counters.perNetwork48]
  const networks = attempt.networks.map((key, i) => wanted(perPrefix[i] as Counter, key))
  const names = [
    wanted(counters.perIdentifierAndNetwork, keys.here),
    wanted(counters.perIdentifier, identifier.name),
  ] as const
  // For a network beyond its limit, the identifiers that it tries get no counters.
  const isUsedUp = networks.some(usedUp.has)
  const asking = slots.ask(isUsedUp ? networks : [...networks, ...names], held)
  const judge = ({ first }: Asked) => {
    const ofNetworks = first.slice(0, networks.length)
    const ofNames = first.slice(networks.length)
    if (ofNames.length > 0 && first.every(({ isSlot }) => isSlot))
      return keepFirst(limiting, attempt, first as readonly Slot[])
    return takeInTurn(limiting, attempt, names, { ofNetworks, ofNames })
  }
  return asking instanceof Promise ? asking.then(judge) : judge(asking)
}

// Nothing was refused, as nearly always.
function keepFirst({ usedUp }: Limiting, attempt: Attempt, first: readonly Slot[]): undefined {
  const ofNetworks = first.slice(0, -2)
  const [here, everywhere] = first.slice(-2) as [Slot, Slot]
  for (const slot of ofNetworks) usedUp.notice(slot)
  attempt.perIdentifierAndNetwork = here
  attempt.perIdentifier = everywhere
}

// The networks' slots, and then those of the names, from the same call unless they must be asked
// now.
async function takeInTurn(
  limiting: Limiting,
  attempt: Attempt,
  names: readonly Wanted[],
  { ofNetworks, ofNames }: Readonly<Record<'ofNetworks' | 'ofNames', readonly FirstAnswer[]>>,
): Promise<void> {
  const { slots, usedUp } = limiting
  const { held, deadline } = attempt
  const isRefused = ofNetworks.some(({ isSlot }) => !isSlot)
  // No attempt holds an identifier's slot while it waits for a network's: that could deadlock.
  if (isRefused) {
    const early = ofNames.filter((one) => one.isSlot)
    for (const slot of early) held.delete(slot)
    await slots.refund(early)
  }
  for (const slot of await slots.wait(ofNetworks, deadline, held)) {
    usedUp.notice(slot)
    if (!slot.isSlot) await takeKnown(limiting, attempt, 'network', slot)
  }
  const isToAsk = isRefused || ofNames.length === 0
  const answers = isToAsk ? (await slots.ask(names, held)).first : ofNames
  const [here, everywhere] = (await slots.wait(answers, deadline, held)) as Pair
  if (here.isSlot) attempt.perIdentifierAndNetwork = here
  else refuse(limiting, attempt, 'identifier', here)
  if (everywhere.isSlot) attempt.perIdentifier = everywhere
  else await takeKnown(limiting, attempt, 'unknown-networks', everywhere)
}

type Pair = readonly [Slot | NoSlot, Slot | NoSlot]

/** Allows an attempt from a network that its account knows; refuses any other. */
async function takeKnown(
  limiting: Limiting,
  attempt: Attempt,
  scope: ThrottleScope,
  refused: NoSlot,
): Promise<void> {
  if (attempt.perUserAndKnownNetwork !== undefined) return
  // Measured from here, since the attempt may have waited long for a slot before.
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

/** Reports a limit and throws its 429; returns in a dry run. */
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
  const [ofNetwork, ofUser] = askNetwork(counters, keys)
  const [unknown, known] = attempt.failedHere.reading
  const reading = [ofNetwork, ofUser, unknown, known] as const
  let slot: Slot | NoSlot
  let answers: Asked
  try {
    const asking = slots.ask([wanted(counters.perUser, keys.total)], held, reading)
    answers = asking instanceof Promise ? await asking : asking
    attempt.seen = seenOf(userId, keys, reading, answers.further)
    const waiting = slots.wait(answers.first, 0, held)
    const [taken] = waiting instanceof Promise ? await waiting : waiting
    slot = taken as Slot | NoSlot
  } catch (error) {
    if (dryRun) return mayPass
    throw error
  }
  if (slot.isSlot) {
    attempt.perUser = slot
    return mayPass
  }
  return async () => {
    // Without a user, no password is right anyway.
    if (userId === null || attempt.perUserAndKnownNetwork !== undefined) return true
    // The own limit of a known network. Throws 503 if unknown: a right password must not get the
    // answer of a wrong one because of an outage.
    const { isKnown } = judgeNetwork([reading[0], reading[1]], answers.further)
    if (isKnown && (await takeOfKnown(limiting, attempt, keys, 0)).isSlot) return true
    const { points } = slot.of
    const limit = { scope: 'account', points, retryAfter: slot.retryAfter, userId } as const
    reportLimit({ ...limit, identifierDigest: identifier.name }, context, dryRun)
    return dryRun
  }
}

function mayPass(): true {
  return true
}

type Reading = readonly [Command, Command, Command, Command]

function seenOf(
  userId: string | null,
  keys: AccountKeys,
  [ofNetwork, ofUser]: Reading,
  [seenIn, epoch, ...failed]: readonly (Answer | undefined)[],
): Seen {
  try {
    return { userId, keys, failed, ...judgeNetwork([ofNetwork, ofUser], [seenIn, epoch]) }
  } catch {
    // If the state of the network cannot be read, it counts as unknown.
    return { userId, keys, failed, isKnown: false, remember: undefined }
  }
}

async function look(limiting: Limiting, attempt: Attempt, userId: string | null): Promise<Seen> {
  const keys = accountKeys(limiting.keyOf, userId, attempt)
  const reading = [...askNetwork(limiting.counters, keys), ...attempt.failedHere.reading] as const
  return seenOf(userId, keys, reading, await limiting.ask(reading))
}

// A failure in a known network counts for that network, not for the limits over all networks.
// Beyond the network's limit, it counts like one of an unknown network.
async function keep(limiting: Limiting, attempt: Attempt, userId: string | null): Promise<void> {
  const { ask, slots } = limiting
  const { failedHere, perIdentifier, perUser, seen: before } = attempt
  const seen = before?.userId === userId ? before : await look(limiting, attempt, userId)
  const { keys, isKnown } = seen
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
  const { slots } = limiting
  const { held, failedHere, context, seen: before } = attempt
  // What was read before is nobody's if only a directory knew whose the name is.
  const seen = before?.userId === userId ? before : await look(limiting, attempt, userId)
  // Sends nothing if there were no failures.
  const collecting = failedHere.collect(seen.failed)
  const collected = collecting instanceof Promise ? await collecting : collecting
  let isRemembered = false
  try {
    return await work(() => {
      isRemembered = true
    })
  } finally {
    const refunding = refundAll(limiting, attempt, seen, {
      collected,
      remembering: isRemembered ? rememberingOf(limiting, seen, userId, context) : [],
      factorShown,
    })
    if (refunding !== undefined) await refunding
    // This comes last: it wakes the next attempt, which then finds all refunded points.
    slots.keep(held)
  }
}

interface Refund {
  readonly collected: FailedTally
  readonly remembering: Soon<readonly Command[]>
  readonly factorShown: boolean
}

// After a failure the limits are only stricter and the network stays unknown; the calls have
// reported it. Undefined: done.
function refundAll(
  limiting: Limiting,
  attempt: Attempt,
  { keys }: Seen,
  { collected, remembering, factorShown }: Refund,
): Promise<void> | undefined {
  const { counters, ask } = limiting
  const { held, failedHere } = attempt
  const commands = (remembered: readonly Command[]): readonly Command[] => [
    ...failedHere.readingRest(),
    ...givingBackFailed(limiting, attempt, keys, collected),
    { do: 'clear', of: counters.perUser, key: keys.total },
    ...(factorShown ? forgetCodes(counters, keys.account) : []),
    ...remembered,
    ...givingBack([...held].filter((slot) => slot !== attempt.perUser || slot.key !== keys.total)),
  ]
  const rest =
    remembering instanceof Promise
      ? remembering.then((remembered) => ask(commands(remembered)))
      : ask(commands(remembering))
  if (!(rest instanceof Promise)) {
    const late = failedHere.collectRest(rest)
    if (!(late instanceof Promise) && late.known + late.unknown === 0) return undefined
    return refundLate(late)
  }
  return rest.then((read) => refundLate(failedHere.collectRest(read)))

  async function refundLate(given: Soon<FailedTally>): Promise<void> {
    const late = givingBackFailed(limiting, attempt, keys, await given)
    if (late.length > 0) await ask(late)
  }
}

function rememberingOf(
  { rememberNetwork }: Limiting,
  { keys: { account, known }, isKnown, remember }: Seen,
  userId: string,
  context: RequestContext,
): Soon<readonly Command[]> {
  if (remember === undefined) return []
  return rememberNetwork({ userId, account, known, isKnown, remember }, context)
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

// In another window, a refund would reduce the failures of others.
function runs(slot: Slot | undefined): boolean {
  return slot === undefined || !isEnding((slot.count.endsAt - Date.now()) / 1000)
}

// In a dry run there may be no slot.
function headersOf(
  { perIdentifierAndNetwork: { points } }: Counters,
  slot: Slot | undefined,
): Readonly<Record<string, string>> {
  return slot === undefined
    ? {}
    : rateLimitHeaders(points, slot.count.remaining, slot.count.seconds)
}
