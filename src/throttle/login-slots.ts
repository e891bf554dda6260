import { performance } from 'node:perf_hooks'
import type { RequestContext, ThrottleScope } from '../events.js'
import { networkOf } from '../http/client-address.js'
import type { CounterKey } from './counter-key.js'
import { type Counters, knownFor } from './counters.js'
import { day } from './limits.js'
import { type Refuse, rateLimitHeaders } from './refusal.js'
import { createSlots, isSlot, type Slot, type Slots } from './slots.js'

/** One attempt that has been counted. Exactly one of the three happens to it. */
export interface LoginSlot {
  /** For the answer, whatever it is. */
  readonly headers: Readonly<Record<string, string>>
  /** The password was wrong: it counts. Rejects with 503 when that could not be written. */
  keep(): Promise<void>
  /** The attempt was not a wrong password after all: it does not count. */
  refund(): Promise<void>
  /** The sign-in is complete, second factor included: earlier failures are forgotten, and the network is known from now on. */
  clear(): Promise<void>
}

/** Takes a slot for a password. Throws 429, or 503 when the counters are out of reach. */
export type TakeLoginSlot = (identifierDigest: string, context: RequestContext) => Promise<LoginSlot>

/** What counting passwords needs. */
export interface LoginSlotDeps {
  readonly counters: Counters
  readonly keyOf: CounterKey
  readonly refuse: Refuse
  readonly dryRun: boolean
}

/** What the counters of passwords count by. */
export interface LoginKeys {
  readonly network: string
  /** Identifier and network. */
  readonly account: string
  readonly identifier: string
}

/** The keys of one attempt. */
export function loginKeys(keyOf: CounterKey, identifierDigest: string, ip: string | null): LoginKeys {
  const network = networkOf(ip)
  return {
    network: keyOf('network', network),
    account: keyOf('account', identifierDigest, network),
    identifier: keyOf('identifier', identifierDigest),
  }
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
    if (await signedIn.has(keys.account)) await take(knownNetworks, keys.account, 'known-network')
    else await take(unknownNetworks, keys.identifier, 'unknown-networks')
  }

  return async (identifierDigest, context) => {
    const keys = loginKeys(keyOf, identifierDigest, context.ip)
    const taken: Taken = {}
    try {
      await takeAll(keys, context, taken)
    } catch (error) {
      // In a trial run an outage of the counters is none of the logins: the call has reported it.
      if (!dryRun) {
        await refundAll(taken)
        throw error
      }
    }
    return {
      headers: headersOf(counters, taken),
      keep: async () => {
        try {
          await pauseAfterLast(counters, keys.account)
        } catch (error) {
          if (!dryRun) throw error
        } finally {
          keepAll(taken)
        }
      },
      refund: () => refundAll(taken),
      clear: () => clear(counters, keys, taken),
    }
  }
}

// Each wrong password is told its own number by one atomic increment, so of any that come together exactly one is told that it is the
// last, and none is missed: the counter holds proven wrong passwords only, so no refund takes its number away or gives it out twice.
// (The count of slots will not do: attempts still being judged are in it, and it goes down when they turn out right.) A limit of n slots
// lets n be judged in a window, and the window of this counter holds all of them: see createCounters.
async function pauseAfterLast({ account, wrong, paused, pauses }: Counters, key: string): Promise<void> {
  const { consumed } = await wrong.add(key)
  if (consumed !== account.points) return
  const { consumed: nth } = await pauses.add(key)
  const longest = Math.max(day, account.duration)
  const seconds = Math.min(account.duration * 2 ** (nth - 1), longest)
  // In a counter of its own: in that of the slots, those that come back while it begins would take points off it and open it again.
  await paused.set(key, 1, seconds)
  // After the pause they are counted from one again.
  await wrong.forget(key)
  // A day that begins with the end of the pause: one that began with the first pause would be over before they have become a day long.
  await pauses.set(key, nth, seconds + day)
}

async function clear(counters: Counters, keys: LoginKeys, { network, ...others }: Taken): Promise<void> {
  await Promise.all([
    // What its network has guessed of other names is no better for it.
    network?.refund(),
    forgetFailures(counters, keys).catch(nothing),
    counters.signedIn.set(keys.account, 1, knownFor).catch(nothing),
  ])
  keepAll(others)
}

/** Forgets all that stands against an identifier; with an account also what its network has failed. */
export async function forgetFailures(counters: Counters, { identifier, account }: Partial<LoginKeys>): Promise<void> {
  const { unknownNetworks, knownNetwork, wrong, paused, pauses } = counters
  await Promise.all([
    identifier === undefined ? undefined : unknownNetworks.forget(identifier),
    ...(account === undefined
      ? []
      : [counters.account, knownNetwork, wrong, paused, pauses].map((counter) => counter.forget(account))),
  ])
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
