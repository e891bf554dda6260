import { forgetRejection } from '../../lib/async.js'
import { loadOnce } from '../../lib/load-once.js'
import type { MailStats } from '../../mail/mailer.js'
import type { LoginIdentifier } from '../../users/contract.js'
import type { AddressChannel } from '../channel.js'
import type { NumberOwners } from './number-owners.js'
import type { PhoneNumber } from './phone-numbers.js'
import type { CheckedPhonesOptions } from './phones-options.js'

/** Text messages to the numbers of users. */
export interface PhoneChannel
  extends AddressChannel,
    Pick<NumberOwners, 'wasHereLately' | 'findPlanted'> {
  readonly options: CheckedPhonesOptions
  /** Null for a text that is no mobile number of the option's countries. */
  readNumber(typed: string): Promise<PhoneNumber | null>
  /** The number as a name of its user, before anybody is asked for it. Throws 400 and 503. */
  askFor(typed: string): Promise<LoginIdentifier>
  /** Clears the counts of a user's second-factor codes, after a new password. Rejects with 503. */
  unlock(userId: string): Promise<void>
  stats(): MailStats
  close(): Promise<void>
}

/** The parts of the channel that are loaded with the option. */
export type LoadedPhones = Omit<
  Required<PhoneChannel>,
  'name' | 'method' | 'options' | 'addressIn' | 'hasFactor' | 'identifierOf'
>

/**
 * The channel of the option. What few hosts need is loaded with it, and at once: it also notes who
 * signs in.
 */
export function createPhoneChannel(
  options: CheckedPhonesOptions,
  loadPhones: () => Promise<LoadedPhones>,
): PhoneChannel {
  let loaded: LoadedPhones | undefined
  const load = loadOnce(async () => {
    loaded = await loadPhones()
    return loaded
  })
  forgetRejection(load())
  return {
    name: 'phone',
    method: 'sms',
    options,
    messages: {
      take: async (...asked) => (await load()).messages.take(...asked),
      giveBack: async (...asked) => (await load()).messages.giveBack(...asked),
      // A message is counted before it is sent, so they are loaded.
      send: (...asked) => loaded?.messages.send(...asked),
    },
    addressIn: (contact) => ({
      address: contact?.phone ?? null,
      verified: contact?.phoneVerified === true,
    }),
    hasFactor: (contact) => contact?.phoneFactor === true,
    identifierOf: (number) => ({ kind: 'user', value: number }),
    requireAddress: async (typed) => (await load()).requireAddress(typed),
    update: async (...asked) => (await load()).update(...asked),
    remove: async (...asked) => (await load()).remove(...asked),
    markVerified: async (...asked) => (await load()).markVerified(...asked),
    takeOver: async (...asked) => (await load()).takeOver(...asked),
    noteAdded: async (...asked) => (await load()).noteAdded(...asked),
    readNumber: async (typed) => (await load()).readNumber(typed),
    askFor: async (typed) => (await load()).askFor(typed),
    wasHereLately: async (userId) => (await load()).wasHereLately(userId),
    findPlanted: async (userId) => (await load()).findPlanted(userId),
    isClaimed: async (...asked) => (await load()).isClaimed(...asked),
    unlock: async (userId) => (await load()).unlock(userId),
    stats: () => loaded?.stats() ?? { sent: 0, failed: 0, waiting: 0 },
    // What could not be loaded has nothing to close, and keeps nothing else from closing.
    close: async () => (await load().catch(() => undefined))?.close(),
  }
}
