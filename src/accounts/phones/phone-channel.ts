import { AuthError } from '../../errors.js'
import { createOutbox } from '../../mail/mailer.js'
import type { EmailChange, UserStore } from '../../users/contract.js'
import { addressed } from '../mails.js'
import { createNumberOwners, type NumberOwnersKit } from './number-owners.js'
import { createReadNumber, notANumber, type PhoneNumber } from './phone-numbers.js'
import type { LoadedPhones } from './phones.js'
import type { CheckedPhonesOptions } from './phones-options.js'
import { createHandOverText, type TextSenderSettings } from './text-sender.js'

/** The parts of the channel. */
export interface PhoneChannelKit extends NumberOwnersKit {
  readonly updatePhone: NonNullable<UserStore['updatePhone']>
}

const nothingThere = 'No messages are sent to this number.'

/** Makes what is loaded of the channel. `storeTimeout`: milliseconds that `close` waits. */
export async function loadPhones(
  kit: PhoneChannelKit,
  options: CheckedPhonesOptions,
  settings: Omit<TextSenderSettings, 'send' | 'webOtp'> & { readonly storeTimeout: number },
): Promise<LoadedPhones> {
  const { send, webOtp, budget, countries } = options
  const limits = await kit.throttle.limitTexts(budget)
  const readNumber = createReadNumber(countries)
  const owners = createNumberOwners(kit)
  const handOver = createHandOverText(kit, { ...settings, send, webOtp })
  const outbox = createOutbox(kit, handOver, settings.storeTimeout, 'phone')

  async function requireNumber(typed: string): Promise<PhoneNumber> {
    const found = await readNumber(typed)
    if (found === null) throw notANumber()
    return found
  }

  return {
    ...owners,
    readNumber,
    messages: {
      async take({ address, user }, kind, context) {
        // A stored number may be one of a country that was on the list before.
        const found = await readNumber(address)
        if (found === null) return new AuthError('forbidden', { clientMessage: nothingThere })
        return limits.takeText({ kind, userId: user?.id ?? null, ...found }, context)
      },
      // The message stays counted: it was paid for.
      async giveBack({ address, user }) {
        const found = await readNumber(address).catch(() => null)
        if (found !== null) await limits.noteTyped(found.prefix)
        if (user !== null) await owners.dropClaims(user.id, address)
      },
      send: (to, content, context) => outbox.send(addressed(to, content), context),
    },
    requireAddress: async (typed) => (await requireNumber(typed)).number,
    update: kit.updatePhone,
    async remove(userId, from) {
      // Otherwise the next sign-in would ask for a code that nobody can get.
      if ((await kit.findContact(userId))?.phoneFactor === true)
        await kit.setPhoneFactor?.(userId, false)
      return kit.updatePhone(userId, from, null)
    },
    markVerified: async (userId, number) =>
      isChanged(await kit.updatePhone(userId, number, number)),
    async askFor(typed) {
      const { number } = await requireNumber(typed)
      await limits.requireRoom()
      return { kind: 'user', value: number }
    },
    async unlock(userId) {
      const number = (await kit.findContact(userId))?.phone ?? null
      if (number !== null) await limits.unlockTexts({ kind: 'second-factor-code', number, userId })
    },
    stats: outbox.stats,
    close: outbox.close,
  }
}

function isChanged({ outcome }: { readonly outcome: EmailChange }): boolean {
  return outcome === 'changed'
}
