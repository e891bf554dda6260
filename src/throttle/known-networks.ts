import { randomInt } from 'node:crypto'
import { networkOf } from '../http/client-address.js'
import { boundedCache } from '../lib/bounded-cache.js'
import { type Answer, type Ask, askOne, type Command, counted } from './counter.js'
import { accountKey, type CounterKey, networkKey } from './counter-keys.js'
import { type Counters, day } from './limits.js'

/**
 * The networks from which an account was signed in to completely. Strangers' guesses elsewhere do
 * not shut its owner out of them.
 */
export interface KnownNetworks {
  /** Null, for no user, makes the same calls and finds nothing. Rejects with 503. */
  isKnown(userId: string | null, ip: string | null): Promise<boolean>
  /**
   * How a network stands, with what makes it known: under the epoch of this moment. Rejects with
   * 503.
   */
  standing(userId: string | null, ip: string | null): Promise<NetworkStanding>
  /**
   * The same where it is known already: a session was used there. Once a day at most in each
   * process. Never rejects: a failure was reported by the call, and the next day tries again.
   */
  renew(userId: string, ip: string | null): void
  /** No network is known to the account any more. Rejects with 503; then call it again. */
  forgetAll(userId: string): Promise<void>
}

/** A network of an account, at one moment. */
export interface NetworkStanding {
  readonly isKnown: boolean
  /**
   * Makes it known for as long as a session may live; not if all networks were made unknown since
   * the moment it was asked about. Rejects with 503.
   */
  remember(): Promise<void>
}

/** Epochs are drawn, so that one that was lost and begun anew is no former one. */
const maxEpoch = 2 ** 30

/** Renewals that a process remembers, so that a session in use costs no call for a day. */
const maxRenewals = 10_000

/** What counters are asked of an account and the key of its network, for {@link judgeNetwork}. */
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
 * Judges by what was answered whether the network is known; throws 503. A network holds the epoch
 * of its account; another epoch makes all of them unknown by one write, without a list of them.
 */
export function judgeNetwork(
  [ofNetwork]: readonly [Command, Command],
  [seenIn, current]: readonly (Answer | undefined)[],
): { readonly isKnown: boolean; readonly remember: Command } {
  const epoch = counted(current).consumed
  return {
    isKnown: counted(seenIn).consumed === epoch + 1,
    // Written with the epoch that was read: should it change in between, the network stays unknown.
    remember: { ...ofNetwork, do: 'set', points: epoch + 1, seconds: ofNetwork.of.duration },
  }
}

/** Makes the record. */
export function createKnownNetworks(
  counters: Counters,
  keyOf: CounterKey,
  ask: Ask,
): KnownNetworks {
  const { userEpochs } = counters
  const renewed = boundedCache<true>(maxRenewals, day)

  async function look(userId: string | null, ip: string | null) {
    const account = accountKey(keyOf, userId)
    const known = `${account}.${networkKey(keyOf, ip)}`
    const commands = askNetwork(counters, { account, known })
    return judgeNetwork(commands, await ask(commands))
  }

  async function renewIfKnown(userId: string, ip: string | null): Promise<void> {
    const { isKnown, remember } = await look(userId, ip)
    if (isKnown) await askOne(ask, remember)
  }

  return {
    isKnown: async (userId, ip) => (await look(userId, ip)).isKnown,
    async standing(userId, ip) {
      const { isKnown, remember } = await look(userId, ip)
      return { isKnown, remember: async () => void (await askOne(ask, remember)) }
    },
    renew(userId, ip) {
      const now = new Date()
      // Not by the counter's key, which is a digest: each refresh comes here.
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
