import { randomInt } from 'node:crypto'
import { networkOf } from '../http/client-address.js'
import { boundedCache } from '../lib/bounded-cache.js'
import type { CounterKey } from './counter-keys.js'
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

/**
 * Makes the record. A network holds the epoch of its account; another epoch makes all of them
 * unknown by one write, without a list of them.
 */
export function createKnownNetworks(
  { networkEpochs, userEpochs }: Counters,
  keyOf: CounterKey,
): KnownNetworks {
  const renewed = boundedCache<true>(maxRenewals, day)
  // No user has an empty id.
  const keysOf = (userId: string | null, ip: string | null) => ({
    network: keyOf('known', userId ?? '', networkOf(ip)),
    epoch: keyOf('known-epoch', userId ?? ''),
  })
  const read = async (keys: ReturnType<typeof keysOf>) => {
    const [seenIn, epoch] = await Promise.all([
      networkEpochs.valueOf(keys.network),
      userEpochs.valueOf(keys.epoch),
    ])
    return { isKnown: seenIn === epoch + 1, epoch }
  }
  const write = (key: string, epoch: number) =>
    networkEpochs.set(key, epoch + 1, networkEpochs.duration)

  async function renewIfKnown(userId: string, ip: string | null): Promise<void> {
    const keys = keysOf(userId, ip)
    const { isKnown, epoch } = await read(keys)
    // Written with the epoch that was read: should it change in between, the network stays unknown.
    if (isKnown) await write(keys.network, epoch)
  }

  return {
    isKnown: async (userId, ip) => (await read(keysOf(userId, ip))).isKnown,
    async standing(userId, ip) {
      const keys = keysOf(userId, ip)
      const { isKnown, epoch } = await read(keys)
      return { isKnown, remember: () => write(keys.network, epoch) }
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
      await userEpochs.set(keysOf(userId, null).epoch, randomInt(1, maxEpoch), userEpochs.duration)
    },
  }
}
