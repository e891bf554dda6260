import { performance } from 'node:perf_hooks'
import type { RequestContext, ThrottleScope } from '../events.js'
import type { CounterKey } from './counter-key.js'
import { type Counters, knownFor } from './counters.js'
import { countWrong, giveBackFailures } from './failures.js'
import { type IdentifierDigests, type LoginKeys, loginKeys } from './login-keys.js'
import { type Refuse, rateLimitHeaders } from './refusal.js'
import { createSlots, isSlot, type Slot, type Slots } from './slots.js'

/** One attempt that has been counted. Exactly one of the three happens to it. */
export interface LoginSlot {
  /** For the answer, whatever it is. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * The password was wrong for this user, or for nobody: it counts. Answers the headers again, of the pause that has begun with it, if
   * one has. Rejects with 503 when it could not be written.
   */
  keep(userId: string | null): Promise<Readonly<Record<string, string>>>
  /** The attempt was not a wrong password after all: it does not count. */
  refund(): Promise<void>
  /** This user's sign-in is complete: earlier failures of the same account are forgotten, and the network is known from now on. */
  clear(userId: string): Promise<void>
}

/** Takes a slot for a password. Throws 429, or 503 when the counters are out of reach. */
export type TakeLoginSlot = (digests: IdentifierDigests, context: RequestContext) => Promise<LoginSlot>

/** What counting passwords needs. */
export interface LoginSlotDeps {
  readonly counters: Counters
  readonly keyOf: CounterKey
  readonly refuse: Refuse
  readonly dryRun: boolean
}

/** The slots that an attempt has got. */
type Taken = Partial<Record<ThrottleScope, Slot>>

/** Milliseconds an attempt may wait for slots that are being judged. */
const longestWait = 5000

/** Makes the limits of passwords. A name that belongs to nobody is counted by the same calls as one that belongs to somebody. */
export function createLoginSlots({ counters, keyOf, refuse, dryRun }: LoginSlotDeps): TakeLoginSlot {
  const { signedIn } = counters
  const networks = createSlots(counters.network)
  const accounts = createSlots(counters.account)
  const unknownNetworks = createSlots(counters.unknownNetworks)
  const knownNetworks = createSlots(counters.knownNetwork)

  async function takeAccount(key: string, deadline: number, context: RequestContext, taken: Taken): Promise<void> {
    const slot = await accounts.take(key, deadline)
    if (isSlot(slot)) taken.account = slot
    // Asked once the slot is taken: asked before it, a pause that begins in between would be missed.
    const paused = await counters.paused.secondsLeft(key)
    const retryAfter = paused > 0 || isSlot(slot) ? paused : slot.retryAfter
    if (retryAfter > 0) refuse({ scope: 'account', points: counters.account.points, retryAfter, dryRun }, context)
  }

  async function takeAll(keys: LoginKeys, context: RequestContext, taken: Taken): Promise<void> {
    // Whoever is refused by a trial run goes on at once.
    const deadline = dryRun ? 0 : performance.now() + longestWait
    const take = async (slots: Slots, key: string, scope: ThrottleScope) => {
      const slot = await slots.take(key, deadline)
      if (isSlot(slot)) taken[scope] = slot
      else refuse({ scope, points: slots.counter.points, retryAfter: slot.retryAfter, dryRun }, context)
    }
    // The network first: once it is used up, no counter is made for whatever names it tries.
    await take(networks, keys.network, 'network')
    await takeAccount(keys.account, deadline, context, taken)
    // Strangers can use up what an identifier has for networks that it does not know, and so no more than that.
    if (await signedIn.has(keys.known)) await take(knownNetworks, keys.account, 'known-network')
    else await take(unknownNetworks, keys.identifier, 'unknown-networks')
  }

  // In a trial run an outage of the counters is none of the logins: the call has reported it.
  const unlessDryRun = (error: unknown): Readonly<Record<string, string>> => {
    if (dryRun) return {}
    throw error
  }

  return async (digests, context) => {
    const keys = loginKeys(keyOf, digests, context.ip)
    const taken: Taken = {}
    try {
      await takeAll(keys, context, taken)
    } catch (error) {
      if (!dryRun) await refundAll(taken)
      unlessDryRun(error)
    }
    return {
      headers: headersOf(counters, taken),
      keep: (userId) =>
        keep(counters, keys, taken, userId)
          .catch(unlessDryRun)
          .finally(() => keepAll(taken)),
      refund: () => refundAll(taken),
      clear: (userId) => clear(counters, keys, taken, userId),
    }
  }
}

async function keep(counters: Counters, keys: LoginKeys, taken: Taken, userId: string | null) {
  const scope = taken['known-network'] ? 'known-network' : 'unknown-networks'
  const pause = await countWrong(counters, keys, scope, userId)
  return pause > 0 ? rateLimitHeaders(counters.account.points, 0, pause) : headersOf(counters, taken)
}

async function clear(counters: Counters, keys: LoginKeys, taken: Taken, userId: string): Promise<void> {
  await Promise.all([
    giveBackFailures(counters, keys, userId).catch(nothing),
    counters.signedIn.set(keys.known, 1, knownFor).catch(nothing),
  ])
  // Last, since whoever waits for a slot is woken by it, and finds all that came back.
  await refundAll(taken)
}

async function refundAll(taken: Taken): Promise<void> {
  await Promise.all(Object.values(taken).map((slot) => slot.refund()))
}

function keepAll(taken: Taken): void {
  for (const slot of Object.values(taken)) slot.keep()
}

// In a trial run, nothing may have been counted.
function headersOf({ account }: Counters, taken: Taken): Readonly<Record<string, string>> {
  const count = taken.account?.count
  return count === undefined ? {} : rateLimitHeaders(account.points, count.remaining, count.seconds)
}

// What is not forgotten makes the limit stricter, and a network that is not known is one among strangers; the calls have reported it.
function nothing(): void {}
