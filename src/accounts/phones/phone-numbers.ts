import { AuthError, invalidRequest } from '../../errors.js'
import { loadOnce } from '../../lib/load-once.js'
import { noLibrary } from '../../lib/require-library.js'

/** A mobile number. */
export interface PhoneNumber {
  /** In the form E.164: `+491701234567`. */
  readonly number: string
  /** The code of the country and the next four digits: who rents a range has one of these. */
  readonly prefix: string
}

/** The library, with the numbers of mobile phones alone: no premium, shared-cost or satellite. */
const library = 'libphonenumber-js/mobile'

/** As people write one. Others are not even read. */
const typedNumber = /^\+?[\d ()/.-]{4,31}$/

/** As people write one where a name may stand as well. */
const notAName = /^(?:\+|\(?0)/

/**
 * Reads numbers of these countries; the first one is that of numbers without a code of a country.
 * Null for everything else. Rejects with 503 if the library cannot be loaded.
 */
export function createReadNumber(
  countries: readonly string[],
): (typed: string) => Promise<PhoneNumber | null> {
  const load = loadOnce(() => import('libphonenumber-js/mobile').catch(failed))
  return async function readNumber(typed) {
    const text = typed.trim()
    if (!typedNumber.test(text)) return null
    const { parsePhoneNumberFromString: parse } = await load()
    const found = parse(text, countries[0] as Parameters<typeof parse>[1])
    // Of its own country: a number of a neighbour may have the same code.
    if (found === undefined || !found.isValid()) return null
    if (found.country === undefined || !countries.includes(found.country)) return null
    const { number, countryCallingCode, nationalNumber } = found
    return { number, prefix: `+${countryCallingCode}${nationalNumber.slice(0, 4)}` }
  }
}

function failed(error: unknown): never {
  const { message } = noLibrary('accounts.phones', library, 1)
  throw new AuthError('temporarily-unavailable', { message, cause: error })
}

/** Reads a number where a name may stand: one that begins with + or 0. */
export function createNumberIn(
  countries: readonly string[],
): (typed: string) => Promise<string | null> {
  const readNumber = createReadNumber(countries)
  return async (typed) =>
    notAName.test(typed.trim()) ? ((await readNumber(typed))?.number ?? null) : null
}

/** The answer to a text that is no number of these countries. */
export function notANumber(): AuthError {
  return invalidRequest([
    { path: 'phone', message: 'Invalid input: not a mobile number of these countries' },
  ])
}
