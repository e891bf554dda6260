import type { z } from 'zod'
import { AuthConfigError } from '../../errors.js'
import {
  callable,
  type Filled,
  fitting,
  flag,
  optionsFor,
  optionsOf,
  type Shape,
  whole,
} from '../../lib/check-options.js'
import { requireLibrary } from '../../lib/require-library.js'
import type { TextBudget } from '../../throttle/text-limits.js'
import type { UserStore } from '../../users/contract.js'
import { isGsm7 } from './text-message.js'
import type { SendText } from './text-sender.js'

/** The option `accounts.phones`: users prove mobile numbers, and get codes there. */
export interface PhonesOptions {
  /**
   * Hands a text message to your service for SMS or WhatsApp. Resolves once it is handed over; no
   * answer of the router waits for it.
   *
   * @example
   * ```ts
   * import type { PhonesOptions } from 'messaging-auth-router'
   *
   * declare function queue(message: { to: string; text: string }): Promise<void>
   * const phones: PhonesOptions = {
   *   send: ({ to, text }) => queue({ to, text }),
   *   countries: ['DE', 'AT', 'CH'],
   *   signIn: true,
   * }
   * ```
   */
  readonly send: SendText
  /**
   * Where messages go: two letters each, ISO 3166-1. Nothing is ever sent elsewhere. A number
   * without a code of a country is one of the first.
   */
  readonly countries: readonly string[]
  /** True lets users with a proven number sign in by a code that is sent there. Default false. */
  readonly signIn?: boolean
  /**
   * True offers codes by text message as a second factor, to users whose number is proven and who
   * switch it on. Needs `setPhoneFactor` of your users. Default false.
   */
  readonly secondFactor?: boolean
  /**
   * How many messages the whole service sends; a tenth of it to numbers with the same first digits.
   * Beyond it, strangers get 503. A second factor in a network that its account knows is counted
   * apart, by the first digits of its number. Default 200 in an hour, 2000 in a day.
   */
  readonly budget?: Partial<TextBudget>
  /**
   * The host of your pages, such as `chat.example.com`. Messages end in a line by which browsers
   * and phones fill the code in there, and nowhere else. Default: no such line.
   */
  readonly webOtp?: string
  /**
   * The name of your service in messages: at most 30 characters that SMS knows. Default: that of
   * authenticator apps.
   */
  readonly name?: string
}

/** {@link PhonesOptions}, checked and with defaults. */
export type CheckedPhonesOptions = Filled<Omit<PhonesOptions, 'budget'>, 'webOtp' | 'name'> & {
  readonly budget: TextBudget
}

/** A message of one part has 160 characters: the name and the host are bounded to fit. */
const maxNameChars = 30
const maxHostChars = 56

const hostName = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/

const countryList = (value: unknown) =>
  Array.isArray(value) && value.length > 0 && value.every((one) => /^[A-Z]{2}$/.test(one))

/** The members of the option, made when it is set. */
const phonesShape = (): Shape<CheckedPhonesOptions> => ({
  send: callable<SendText>(),
  countries: fitting<readonly string[]>(
    countryList,
    "is no list of countries of two capital letters, such as ['DE', 'AT'].",
  ),
  signIn: flag().default(false),
  secondFactor: flag().default(false),
  budget: optionsFor<TextBudget>({
    hour: whole(1, 1_000_000).default(200),
    day: whole(1, 10_000_000).default(2000),
  }).prefault({}),
  webOtp: fitting<string>(
    (value) => typeof value === 'string' && value.length <= maxHostChars && hostName.test(value),
    `is no name of a host of at most ${maxHostChars} characters, such as 'chat.example.com'.`,
  ).optional(),
  name: fitting<string>(
    isName,
    `is no name of at most ${maxNameChars} characters that SMS knows (GSM 03.38).`,
  ).optional(),
})

/** The row of the option `phones` of `accounts`. */
export const phonesRow = (): z.ZodType<CheckedPhonesOptions | undefined> =>
  optionsOf(phonesShape()).optional()

function isName(value: unknown): boolean {
  return (
    typeof value === 'string' && /\S/.test(value) && value.length <= maxNameChars && isGsm7(value)
  )
}

/**
 * Checks that the host's users, the library and the name of the service fit the option.
 *
 * @throws AuthConfigError for the first that is missing
 */
export function requirePartsForPhones(
  { secondFactor, name }: CheckedPhonesOptions,
  users: UserStore,
  issuer: string,
): void {
  const needed = ['updatePhone', ...(secondFactor ? (['setPhoneFactor'] as const) : [])] as const
  const missing = needed.find((method) => users[method] === undefined)
  if (missing !== undefined)
    throw new AuthConfigError(
      'accounts.phones',
      `needs users with ${missing}, and they have none.`,
      'add it, as docs/user-store.md says, or leave phones out.',
    )
  if (name === undefined && !isName(issuer))
    throw new AuthConfigError(
      'accounts.phones.name',
      'is missing, and the name for authenticator apps is too long for a text message, or has ' +
        'characters that SMS does not know.',
      "pass name: 'Example Chat'.",
    )
  requireLibrary('accounts.phones', 'libphonenumber-js', 1)
}
