/**
 * A name or device as a mail may say it: one line, without what a mail program makes a link of. A
 * stranger can choose both, and the mail bears the service's name. Null if nothing is left.
 */
export function sayable(text: string | null, maxChars: number): string | null {
  // A bound before anything is read; characters have one or two units.
  const begin = (text ?? '').slice(0, 4 * maxChars)
  const words = begin
    .replaceAll(/[^\p{L}\p{M}\p{N}.'’()_-]/gu, ' ')
    // A dot ends a word, or it would join two to a domain.
    .replaceAll(/\.(?! |$)/g, '. ')
    .replaceAll(/ +/g, ' ')
  const said = [...words.trim()].slice(0, maxChars).join('').trim()
  return said === '' ? null : said
}
