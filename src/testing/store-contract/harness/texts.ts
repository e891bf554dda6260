import { sha256 } from '../../../lib/digest.js'

/** Two keys that differ in one respect only, and which. */
export type AwkwardPair = readonly [what: string, first: string, second: string]

/**
 * Pairs of keys that differ in one respect which some database ignores by default, or that a
 * careless query would read as something else. `unique` is in each, so that runs do not meet; pairs
 * share no key.
 */
export function awkwardPairs(unique: string): readonly AwkwardPair[] {
  const { digits } = ownNames(unique)
  return [
    // Before the blank at the end, which is one as well.
    ['an ending: one begins with the other', `alice-0${unique}`, `alice-0${unique}x`],
    ['case', `Alice-1${unique}`, `alice-1${unique}`],
    ['an accent', `alice-2${unique}`, `\u00e1lice-2${unique}`],
    ['a trailing blank', `alice-3${unique}`, `alice-3${unique} `],
    ['a leading blank', `alice-4${unique}`, ` alice-4${unique}`],
    ['the Unicode form of one character', `andr\u00e9-5${unique}`, `andre\u0301-5${unique}`],
    ['an emoji', `\u{1f600}-6${unique}`, `\u{1f601}-6${unique}`],
    ['a character that is not drawn', `al\u200bice-7${unique}`, `alice-7${unique}`],
    ['\u00df and ss', `stra\u00dfe-8${unique}`, `strasse-8${unique}`],
    ['a wildcard of SQL', `al_ce%-9${unique}`, `alice%-9${unique}`],
    ['a quote', `';--"10${unique}`, `'';--"10${unique}`],
    ['an operator of a document store', `{"$ne":"11${unique}"}`, `{"$gt":"11${unique}"}`],
    ['a backslash', `alice\\12${unique}`, `alice\\\\12${unique}`],
    ['a wildcard of a pattern', `alice*?[a]13${unique}`, `alice*[a]13${unique}`],
    ['a colon', `alice:14${unique}`, `alice::14${unique}`],
    ['a slash, and what a path has instead', `al/ice-15${unique}`, `al_ice-15${unique}`],
    ['an escape of an address', `al%2Fice-16${unique}`, `al/ice-16${unique}`],
    ['a leading zero', `0${digits}`, digits],
    ['the spelling of one number', `${digits}1`, `${digits}1.0`],
    ['the last digit of a long number', `${digits}9007199254740992`, `${digits}9007199254740993`],
    ['the last of 300 bytes', `${unique}${'l'.repeat(277)}1`, `${unique}${'l'.repeat(277)}2`],
    ['the last of 1000 bytes', `${unique}${'l'.repeat(977)}1`, `${unique}${'l'.repeat(977)}2`],
  ]
}

/**
 * Names that follow from a random id, so that runs do not meet. `digits` are twelve, and the first
 * is no zero.
 */
export function ownNames(unique: string): { readonly digits: string } {
  const number = BigInt(
    `0x${Buffer.from(sha256(unique), 'base64url').toString('hex').slice(0, 16)}`,
  )
  return { digits: String((number % 900_000_000_000n) + 100_000_000_000n) }
}

/** What every plain object has, so that a table kept in one finds it. */
export const inheritedNames: readonly string[] = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
]

/** One text with all that a careless query, script or column would change. */
export const awkwardText: string =
  `' " \` ; -- /* */ $ne {"$gt":""} {{ }} \${x} % _ \\ \\\\ * ? | & < > \t \n e\u0301 \u00e9 ` +
  `\u{1f600} \u200b `

/** The same where a text may be long, as the ids of users. */
export const longAwkwardText: string = awkwardText.repeat(10)

/**
 * The same characters with small and capital letters exchanged: another hash, but the same to a
 * case-insensitive column.
 */
export function otherCase(hash: string): string {
  return [...hash]
    .map((letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    )
    .join('')
}
