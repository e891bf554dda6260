/** Characters that a password may have besides a word that is known of its user. */
const maxAdded = 4

/** A text in the form in which passwords and words are compared. */
export function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase().normalize('NFKC')
}

/**
 * Whether a text is one character or one run of them repeated, also with a last run that is cut:
 * `aaaa`, `abcabcab`. In linear time: the period follows from the longest beginning that is also
 * the end.
 */
export function isRepeated(text: string): boolean {
  const characters = [...text]
  const period = characters.length - longestBorder(characters)
  return characters.length > 1 && period * 2 <= characters.length
}

/** What fingers run along: digits, the alphabet, and the rows of three layouts; both ways. */
const rows = [
  '123456789012345678901234567890',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
].flatMap((row) => [row, [...row].reverse().join('')])

/**
 * Whether a text consists of long runs along a row of keys: `123456789012345`, `qwertyuiopasdf`.
 * Five characters a run on average; words that somebody has chosen have hardly two.
 */
export function runsAlongKeys(text: string): boolean {
  let runs = 0
  for (let at = 0; at < text.length; at += longestRun(text, at)) runs += 1
  return runs > 0 && text.length >= 5 * runs
}

function longestRun(text: string, from: number): number {
  const lengths = rows.map((row) => {
    const start = row.indexOf(text.charAt(from))
    let length = 0
    while (start >= 0 && from + length < text.length && row[start + length] === text[from + length])
      length += 1
    return length
  })
  return Math.max(1, ...lengths)
}

// Knuth, Morris, Pratt: the longest proper beginning that is also the end.
function longestBorder(characters: readonly string[]): number {
  const borders = [0]
  let border = 0
  for (let at = 1; at < characters.length; at += 1) {
    while (border > 0 && characters[at] !== characters[border]) border = borders[border - 1] ?? 0
    if (characters[at] === characters[border]) border += 1
    borders.push(border)
  }
  return border
}

/**
 * Whether a folded password is one of the words, with up to four characters added before or after
 * it. Blanks, dots, hyphens and underscores do not count, so that `ada.lovelace` is "Ada Lovelace".
 */
export function consistsOfWord(folded: string, words: readonly string[]): boolean {
  const bare = withoutGaps(folded)
  return words.some((word) => {
    const known = fold(word)
    return isAlmost(folded, known) || isAlmost(bare, withoutGaps(known))
  })
}

function isAlmost(text: string, word: string): boolean {
  return word !== '' && lengthOf(text) - lengthOf(word) <= maxAdded && text.includes(word)
}

/** Without blanks, dots, hyphens and underscores. */
export function withoutGaps(text: string): string {
  return text.replaceAll(/[\s._-]/g, '')
}

/** The number of code points. */
export function lengthOf(text: string): number {
  let count = 0
  for (const _character of text) count += 1
  return count
}
