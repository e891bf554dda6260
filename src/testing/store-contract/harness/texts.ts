import { sha256 } from '../../../lib/digest.js'

/** Two keys that differ in one respect, and its name. */
export type AwkwardPair = readonly [what: string, first: string, second: string]

/**
 * Pairs of keys that differ in one respect. Some database ignores it by default, or a careless
 * query misreads it. Each key contains `unique`, so that runs do not collide. No two pairs share a
 * key.
 */
export function awkwardPairs(unique: string): readonly AwkwardPair[] {
  const { digits } = ownNames(unique)
  return [
    // This comes before the trailing blank, which is also an ending.
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
 * Names that are derived from a random id, so that runs do not collide. `digits` are twelve, and
 * the first is not zero.
 */
export function ownNames(unique: string): { readonly digits: string } {
  const number = BigInt(
    `0x${Buffer.from(sha256(unique), 'base64url').toString('hex').slice(0, 16)}`,
  )
  return { digits: String((number % 900_000_000_000n) + 100_000_000_000n) }
}

/** Properties of every plain object: a table that is kept in one finds them. */
export const inheritedNames: readonly string[] = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
]

/** A text with everything that a careless query, script or column would change. */
export const awkwardText: string =
  `' " \` ; -- /* */ $ne {"$gt":""} {{ }} \${x} % _ \\ \\\\ * ? | & < > \t \n e\u0301 \u00e9 ` +
  `\u{1f600} \u200b `

/** The same for texts that may be long, such as user ids. */
export const longAwkwardText: string = awkwardText.repeat(10)

/** Exchanges small and capital letters. A case-insensitive column takes both hashes for one. */
export function otherCase(hash: string): string {
  return [...hash]
    .map((letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    )
    .join('')
}
