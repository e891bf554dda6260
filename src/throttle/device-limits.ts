import type { RequestContext } from '../audit/events.js'
import { lazily } from '../lib/async.js'
import { type Command, createCounter } from './counter.js'
import { createTakeNetworks, giveBackAll, takeAll } from './known-networks.js'
import type { LimitsKit } from './limits.js'
/**
 * Limits on devices that wait for a user on another device, on guesses at their codes, and on apps
 * that register themselves.
 */
export interface DeviceLimits {
  /** Counts a device that asks for a client, by network and client. Throws 429 or 503. */
  takeDeviceCode(clientId: string, context: RequestContext): Promise<void>
  /** Counts a device that asks to be linked, by network. Throws 429 or 503. */
  takeDeviceLink(context: RequestContext): Promise<void>
  /** Counts a client that registers itself, by network. Throws 429 or 503. */
  takeClientRegistration(context: RequestContext): Promise<void>
  /**
   * Looks up a code that somebody has typed: counted by network and by session before it is looked
   * up, and given back if it is found. Throws 429 or 503, and the errors of `find`; an outage is no
   * guess.
   */
  limitUserCodes<Found>(
    sessionId: string,
    context: RequestContext,
    find: () => Promise<Found | null>,
  ): Promise<Found | null>
}

const duration = 15 * 60

const linksPerNetwork = { points: 20, duration }

const clientsPerNetwork = { points: 20, duration: 60 * 60 }

const codesPerNetwork = { points: 10, duration }

const codesPerSession = { points: 5, duration }

/** A dry run lifts none of them: a code that is typed has 34 bits, and a client is a row. */
export function createDeviceLimits(kit: LimitsKit): DeviceLimits {
  const { options, keyOf, ask, reportLimit } = kit
  const takeLinks = createTakeNetworks(kit, 'mar-device-link', linksPerNetwork)
  const takeDevices = createTakeNetworks(kit, 'mar-device-code', linksPerNetwork)
  const takeClients = createTakeNetworks(kit, 'mar-client-registration', clientsPerNetwork)
  const takeCodes = createTakeNetworks(kit, 'mar-user-code', codesPerNetwork)
  const bySession = lazily(() =>
    createCounter(options, { keyPrefix: 'mar-user-code-session', ...codesPerSession }),
  )
  return {
    async takeDeviceCode(clientId, context) {
      const reached = await takeAll(ask, takeDevices(context.ip, clientId))
      if (reached !== null) throw reportLimit({ scope: 'device-code', ...reached.told }, context)
    },

    async takeDeviceLink(context) {
      const reached = await takeAll(ask, takeLinks(context.ip))
      if (reached !== null) throw reportLimit({ scope: 'device-link', ...reached.told }, context)
    },

    async takeClientRegistration(context) {
      const reached = await takeAll(ask, takeClients(context.ip))
      if (reached === null) return
      throw reportLimit({ scope: 'client-registration', ...reached.told }, context)
    },

    async limitUserCodes(sessionId, context, find) {
      const ofSession: Command = {
        do: 'take',
        of: bySession(),
        key: keyOf('user-code', 'session', sessionId),
      }
      const taken = [...takeCodes(context.ip), ofSession]
      const reached = await takeAll(ask, taken)
      if (reached !== null) {
        const scope = reached.of === ofSession.of ? 'user-code' : 'user-code-network'
        throw reportLimit({ scope, ...reached.told }, context)
      }
      let isGuess = false
      try {
        const found = await find()
        isGuess = found === null
        return found
      } finally {
        if (!isGuess) await giveBackAll(ask, taken)
      }
    },
  }
}
