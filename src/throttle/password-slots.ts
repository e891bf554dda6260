import type { RequestContext, ThrottleScope } from '../audit/events.js'
import { prefixesOf } from '../http/client-address.js'
import { boundedCache } from '../lib/bounded-cache.js'
import {
  type CounterKey,
  type IdentifierDigests,
  identifierKeys,
  knownNetworkKey,
} from './counter-keys.js'
import type { KnownNetworks } from './known-networks.js'
import type { Counters, ReportLimit } from './limits.js'
import {
  type Answer,
  createSlots,
  isSlot,
  type NoSlot,
  type Slot,
  type Slots,
} from './pending-attempts.js'

/** A password that is about to be judged. */
export interface PasswordAttempt {
  readonly identifier: IdentifierDigests
  /**
   * Which user has it, or null. Asked only where a limit over all networks, or of a whole network,
   * is used up: a user who has signed in from there before is let in.
   */
  readonly findUserId: () => Promise<string | null>
}

/** What counting passwords needs. */
export interface PasswordSlotDeps {
  readonly counters: Counters
  readonly keyOf: CounterKey
  readonly knownNetworks: KnownNetworks
  readonly reportLimit: ReportLimit
  readonly dryRun: boolean
}

/** The slots that one attempt has got. */
export interface Taken {
  /** All of them, for giving them back. */
  readonly slots: Set<Slot>
  /** Not there where a trial run has let the attempt pass. */
  perIdentifierAndNetwork?: Slot
  /** Over all networks. */
  perIdentifier?: Slot
  perUser?: Slot
  /** In place of `perIdentifier` and `perUser`: the account knows this network. */
  perUserAndKnownNetwork?: Slot
}

/** The slots of passwords, and how an attempt takes what it needs first. */
export interface PasswordSlots {
  readonly perUser: Slots
  readonly perUserAndKnownNetwork: Slots
  /**
   * Takes what an attempt needs before anything is known of whose it is, and puts it into `taken`
   * as it comes. Throws 429, or 503; what was taken by then is the caller's to give back.
   */
  takeFirst(attempt: PasswordAttempt, context: RequestContext, taken: Taken): Promise<void>
}

/** A slot that an attempt asks for. */
interface Wanted {
  readonly from: Slots
  readonly key: string
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

/** Makes the slots of passwords. */
export function createPasswordSlots(deps: PasswordSlotDeps): PasswordSlots {
  const { counters, dryRun } = deps
  const ofNetworks = [counters.perNetwork, counters.perNetwork56, counters.perNetwork48].map(
    createSlots,
  )
  const perIdentifierAndNetwork = createSlots(counters.perIdentifierAndNetwork)
  const perIdentifier = createSlots(counters.perIdentifier)
  const perUser = createSlots(counters.perUser)
  const perUserAndKnownNetwork = createSlots(counters.perUserAndKnownNetwork)
  const takeKnown = createTakeKnown(deps, perUserAndKnownNetwork)
  const usedUp = createUsedUp(counters.perNetwork.duration)

  // All in one round trip, but not where a network is used up: no counter is made for whatever
  // identifiers it tries.
  async function askAll(networks: readonly Wanted[], identifiers: readonly Wanted[], taken: Taken) {
    const ahead = networks.some(({ key }) => usedUp.isUsedUp(key)) ? [] : identifiers
    const answers = await settled([...networks, ...ahead].map((wanted) => ask(wanted, taken)))
    const ofNetworks = answers.slice(0, networks.length)
    const ofIdentifier = answers.slice(networks.length)
    if (ofNetworks.every(isSlot)) return { ofNetworks, ofIdentifier }
    // No attempt holds an identifier's slot while it waits for a network's: two could wait for each
    // other.
    await giveBackAll(ofIdentifier, taken)
    return { ofNetworks, ofIdentifier: [] }
  }

  async function takeFirst(
    attempt: PasswordAttempt,
    context: RequestContext,
    taken: Taken,
  ): Promise<void> {
    // An attempt that only a trial run refuses goes on at once.
    const deadline = dryRun ? 0 : performance.now() + maxWaitMs
    const tried = { attempt, context, taken, deadline }
    const keys = identifierKeys(deps.keyOf, attempt.identifier, context.ip)
    const networks = prefixesOf(context.ip).map((prefix, i) => ({
      from: ofNetworks[i] as Slots,
      key: deps.keyOf('network', prefix),
    }))
    const identifiers = [
      { from: perIdentifierAndNetwork, key: keys.here },
      { from: perIdentifier, key: keys.everywhere },
    ]
    const { ofNetworks: asked, ofIdentifier } = await askAll(networks, identifiers, taken)
    const slots = await takeAll(networks, asked, deadline, taken)
    for (const [i, slot] of slots.entries()) {
      const { from, key } = networks[i] as Wanted
      usedUp.notice(key, slot)
      if (!isSlot(slot)) await takeKnown('network', from, slot, tried)
    }
    const [here, everywhere] = (await takeAll(identifiers, ofIdentifier, deadline, taken)) as Pair
    if (isSlot(here)) taken.perIdentifierAndNetwork = here
    else report(deps, 'identifier', perIdentifierAndNetwork, here, tried)
    if (isSlot(everywhere)) taken.perIdentifier = everywhere
    else await takeKnown('unknown-networks', perIdentifier, everywhere, tried)
  }

  return { perUser, perUserAndKnownNetwork, takeFirst }
}

type Pair = [Slot | NoSlot, Slot | NoSlot]

interface Tried {
  readonly attempt: PasswordAttempt
  readonly context: RequestContext
  readonly taken: Taken
  readonly deadline: number
}

/** Lets an attempt go on from a network that its account knows, and refuses any other. */
function createTakeKnown(deps: PasswordSlotDeps, perUserAndKnownNetwork: Slots) {
  return async function takeKnown(
    scope: ThrottleScope,
    from: Slots,
    refused: NoSlot,
    { attempt, context, taken, deadline }: Tried,
  ): Promise<void> {
    if (taken.perUserAndKnownNetwork !== undefined) return
    // From here on, and not from the beginning: an attempt may have waited for a slot for longer
    // than that.
    const asked = performance.now()
    const userId = await attempt.findUserId()
    if (await deps.knownNetworks.isKnown(userId, context.ip)) {
      const key = knownNetworkKey(deps.keyOf, userId, context.ip)
      const slot = await perUserAndKnownNetwork.take(key, deadline)
      if (!isSlot(slot))
        return report(deps, 'known-network', perUserAndKnownNetwork, slot, { attempt, context })
      taken.slots.add(slot)
      taken.perUserAndKnownNetwork = slot
      return
    }
    await passed(asked + refusalDelayMs)
    report(deps, scope, from, refused, { attempt, context })
  }
}

/** Reports a limit, and throws its 429; in a trial run the attempt goes on. */
function report(
  { reportLimit, dryRun }: PasswordSlotDeps,
  scope: ThrottleScope,
  { counter: { points } }: Slots,
  { retryAfter }: NoSlot,
  { attempt, context }: Pick<Tried, 'attempt' | 'context'>,
): void {
  const identifierDigest = attempt.identifier.name
  const error = reportLimit({ scope, points, retryAfter, identifierDigest }, context, dryRun)
  if (!dryRun) throw error
}

/** Networks that this process has found used up. A hint: each attempt still asks its counter. */
function createUsedUp(seconds: number) {
  const until = boundedCache<number>(maxRemembered, seconds)
  return {
    isUsedUp: (key: string) => (until.get(key, new Date()) ?? 0) > Date.now(),
    notice(key: string, slot: Slot | NoSlot) {
      const { remaining, seconds } = slot.count
      if (remaining > 0) return until.delete(key)
      const wait = isSlot(slot) ? seconds : slot.retryAfter
      until.set(key, Date.now() + wait * 1000, new Date())
    },
  }
}

async function ask({ from, key }: Wanted, taken: Taken): Promise<Answer> {
  const answer = await from.ask(key)
  if (isSlot(answer)) taken.slots.add(answer)
  return answer
}

function takeAll(
  wanted: readonly Wanted[],
  answers: readonly Answer[],
  deadline: number,
  taken: Taken,
): Promise<(Slot | NoSlot)[]> {
  const take = async ({ from, key }: Wanted, i: number) => {
    const slot = await from.take(key, deadline, answers[i])
    if (isSlot(slot)) taken.slots.add(slot)
    return slot
  }
  return settled(wanted.map(take))
}

async function giveBackAll(answers: readonly Answer[], { slots }: Taken): Promise<void> {
  const got = answers.filter(isSlot)
  for (const slot of got) slots.delete(slot)
  await Promise.all(got.map((slot) => slot.refund()))
}

// All of them come to an end before any is given up, so that none is taken after the others were
// given back.
async function settled<T>(work: readonly Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(work)
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
}

function passed(moment: number): Promise<void> {
  const left = moment - performance.now()
  return left <= 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, left))
}
