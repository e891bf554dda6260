import { randomInt } from 'node:crypto'
import { noRequest, type RequestContext } from '../audit/events.js'
import { networkOf } from '../http/client-address.js'
import { lazily, type Soon } from '../lib/async.js'
import { boundedCache } from '../lib/bounded-cache.js'
import {
  type Answer,
  type Ask,
  askOne,
  type Command,
  type Counter,
  counted,
  createCounter,
  isTaken,
  type Limit,
} from './counter.js'
import { accountKey, type CounterKey, networkKey, prefixKeys } from './counter-keys.js'
import { type Counters, day, type GivenLimits, type LimitsKit } from './limits.js'

/**
 * The networks of an account's complete sign-ins. Guesses from other networks do not lock the owner
 * out there.
 */
export interface KnownNetworks {
  /** Without a user it makes the same calls and resolves with false. Rejects with 503. */
  isKnown(userId: string | null, ip: string | null): Promise<boolean>
  /**
   * The state of a network in the current epoch, and the function that makes it known. Rejects with
   * 503.
   */
  standing(userId: string, context: RequestContext): Promise<NetworkStanding>
  /**
   * Keeps a known network known, after a use of a session there. At most once a day in each
   * process. Never rejects: the call reports a failure, and the next day tries again.
   */
  renew(userId: string, ip: string | null): void
  /** Makes all networks of the account unknown. Rejects with 503; then call it again. */
  forgetAll(userId: string): Promise<void>
}

/** The state of a network of an account. */
export interface NetworkStanding {
  readonly isKnown: boolean
  /**
   * Makes it known for the lifetime of a session, unless all networks were made unknown since the
   * state was read. Rejects with 503.
   */
  remember(): Promise<void>
}

/** Epochs are random, so that a new epoch after a loss never equals a former one. */
const maxEpoch = 2 ** 30

/** Remembered renewals, so that a session in use costs one call a day. */
const maxRenewals = 10_000

/** The commands for an account and the key of its network; see {@link judgeNetwork}. */
export function askNetwork(
  { networkEpochs, userEpochs }: Counters,
  { account, known }: { readonly account: string; readonly known: string },
): readonly [Command, Command] {
  return [
    { do: 'get', of: networkEpochs, key: known },
    { do: 'get', of: userEpochs, key: account },
  ]
}

/**
 * Decides by the answers whether the network is known; throws 503. A network stores the epoch of
 * its account, so one write of another epoch makes all networks unknown, without a list of them.
 */
export function judgeNetwork(
  [ofNetwork]: readonly [Command, Command],
  [seenIn, current]: readonly (Answer | undefined)[],
): { readonly isKnown: boolean; readonly remember: Command } {
  const epoch = counted(current).consumed
  return {
    isKnown: counted(seenIn).consumed === epoch + 1,
    // Stores the epoch that was read: if it changes meanwhile, the network stays unknown.
    remember: { ...ofNetwork, do: 'set', points: epoch + 1, seconds: ofNetwork.of.duration },
  }
}

/** A network of a complete sign-in, or of a session in use. */
export interface SeenNetwork {
  readonly userId: string
  /** The keys of the account, and of the account in this network. */
  readonly account: string
  readonly known: string
  readonly isKnown: boolean
  readonly remember: Command
}

/**
 * The commands that make the network known. Reports one that is new to an account which knows
 * others. Never rejects.
 */
export type RememberNetwork = (
  seen: SeenNetwork,
  context: RequestContext,
) => Soon<readonly Command[]>

/** The parts of limits that are kinder to the networks which an account knows. */
export interface NetworkLimitsKit extends LimitsKit {
  readonly knownNetworks: KnownNetworks
  readonly rememberNetwork: RememberNetwork
}

/** `reportsNetworks`: whether anybody wants to know of new networks. */
export function createRememberNetwork(
  { options, ask, audit }: Pick<LimitsKit, 'options' | 'ask' | 'audit'>,
  reportsNetworks: boolean,
): RememberNetwork {
  if (!reportsNetworks) return ({ remember }) => [remember]
  const told = createCounter(options, { keyPrefix: 'mar-new-network', points: 1, duration: day })

  async function isNews({ account, known, remember }: SeenNetwork): Promise<boolean> {
    const some = await askOne(ask, { do: 'get', of: remember.of, key: account })
    // In an epoch without a known network every one is new, and none is news.
    if (some.consumed !== remember.points) return false
    return (await askOne(ask, { do: 'take', of: told, key: known })).allowed
  }

  return async function rememberNetwork(seen, context) {
    const { userId, account, isKnown, remember } = seen
    if (!isKnown && (await isNews(seen).catch(() => false)))
      audit({ type: 'login.new-network', userId }, context)
    // Under the key of the account: that it knows some network in this epoch.
    return [remember, { ...remember, key: account }]
  }
}

export function createKnownNetworks(
  counters: Counters,
  keyOf: CounterKey,
  ask: Ask,
  rememberNetwork: RememberNetwork,
): KnownNetworks {
  const { userEpochs } = counters
  const renewed = boundedCache<true>(maxRenewals, day)

  async function look(userId: string | null, ip: string | null) {
    const account = accountKey(keyOf, userId)
    const known = `${account}.${networkKey(keyOf, ip)}`
    const commands = askNetwork(counters, { account, known })
    return { account, known, ...judgeNetwork(commands, await ask(commands)) }
  }

  async function remember(seen: SeenNetwork, context: RequestContext): Promise<void> {
    for (const answer of await ask(await rememberNetwork(seen, context))) counted(answer)
  }

  async function renewIfKnown(userId: string, ip: string | null): Promise<void> {
    const seen = await look(userId, ip)
    if (seen.isKnown) await remember({ ...seen, userId }, noRequest)
  }

  return {
    isKnown: async (userId, ip) => (await look(userId, ip)).isKnown,
    async standing(userId, context) {
      const seen = await look(userId, context.ip)
      return { isKnown: seen.isKnown, remember: () => remember({ ...seen, userId }, context) }
    },
    renew(userId, ip) {
      const now = new Date()
      // The key is not the counter's key, which needs a digest: every refresh passes here.
      const key = JSON.stringify([userId, networkOf(ip)])
      if (renewed.get(key, now) !== undefined) return
      renewed.set(key, true, now)
      renewIfKnown(userId, ip).catch(() => renewed.delete(key))
    },
    async forgetAll(userId) {
      const points = randomInt(1, maxEpoch)
      const key = accountKey(keyOf, userId)
      await askOne(ask, { do: 'set', of: userEpochs, key, points, seconds: userEpochs.duration })
    },
  }
}

/**
 * Commands that count an address: for its network, and for IPv6 for the wider ones that it is part
 * of, which may have twice and four times as many. `times` multiplies the points.
 */
export function createTakeNetworks(
  { options, keyOf }: { readonly options: GivenLimits; readonly keyOf: CounterKey },
  keyPrefix: string,
  { points, duration }: Limit,
  times = 1,
): (ip: string | null, ...of: readonly string[]) => readonly Command[] {
  // The counters are made on demand: a host without the capability needs no such counters.
  const counting = (prefix: string, factor: number) =>
    lazily(() => createCounter(options, { keyPrefix: prefix, points: points * factor, duration }))
  const counters = [
    counting(keyPrefix, times),
    counting(`${keyPrefix}-56`, 2 * times),
    counting(`${keyPrefix}-48`, 4 * times),
  ]
  return function takeNetworks(ip, ...of) {
    const keys = prefixKeys((...parts) => keyOf(...parts, ...of), ip)
    return keys.map((key, i) => ({ do: 'take', of: counters[i]?.() as Counter, key }))
  }
}

/** A counter without a point left. */
export interface ReachedCounter {
  readonly of: Counter
  readonly told: { readonly points: number; readonly retryAfter: number }
}

/**
 * Takes all or none: a refused request must not exhaust the limits of others. It takes one call.
 * Resolves with null, or with a counter that had no point left. Rejects with 503.
 */
export async function takeAll(
  ask: Ask,
  commands: readonly Command[],
): Promise<ReachedCounter | null> {
  const answers = await ask(commands)
  const taken = commands.filter((_one, i) => isTaken(answers[i]))
  try {
    const counts = answers.map(counted)
    const at = counts.findIndex(({ allowed }) => !allowed)
    const of = commands[at]?.of
    if (of === undefined) return null
    await giveBackAll(ask, taken)
    const retryAfter = Math.max(1, counts[at]?.seconds ?? 1)
    return { of, told: { points: of.points, retryAfter } }
  } catch (error) {
    await giveBackAll(ask, taken)
    throw error
  }
}

/** Gives back the points that were taken. Never rejects. */
export async function giveBackAll(ask: Ask, taken: readonly Command[]): Promise<void> {
  await ask(taken.map((one): Command => ({ ...one, do: 'giveBack' })))
}
