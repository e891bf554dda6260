// Work on a text, linear and not, for the test of the meter that has to tell one from the other.
import { MIMEType } from 'node:util'

const linear: Record<string, (text: string) => unknown> = {
  loop(text) {
    let sum = 0
    for (let at = 0; at < text.length; at += 1) sum += text[at] === 'a' ? 1 : 2
    return sum
  },
  'a pattern': (text) => /^(?:ab)*$/.test(text),
  'replacing each': (text) => text.replace(/a/g, 'b'),
  'a search': (text) => text.indexOf('c'),
  'lists and texts': (text) => [...text].map((one) => one.toUpperCase()).join(''),
  JSON: (text) => JSON.parse(JSON.stringify({ text })),
  bytes: (text) => Buffer.from(text).toString('base64'),
}
const quadratic: Record<string, (text: string) => unknown> = {
  'a loop in a loop': (text) => {
    let pairs = 0
    for (let one = 0; one < text.length; one += 1)
      for (let other = 0; other < one; other += 1) pairs += 1
    return pairs
  },
  'a pattern that backtracks': (text) => /(?:ab)+c/.exec(text),
  'a search for each': (text) => {
    let found = 0
    for (let at = 0; at < text.length; at += 1) if (text.includes('c', at)) found += 1
    return found
  },
  'a copy for each': (text) => {
    let rest = text
    while (rest !== '') rest = rest.slice(1).replaceAll('c', '')
  },
  'marks that are sorted': (text) =>
    text.replaceAll('a', '\u0301').replaceAll('b', '\u0323').normalize(),
  'a media type': (text) => new MIMEType(`a/b;c="${text}"`),
  'a name of another script': (text) => new URL(`https://${text.replaceAll('a', '\u00fc')}/`),
}
/** By what each does. */
export const withDefects = { linear, quadratic }
