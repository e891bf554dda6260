// Which regular expressions a text can make slow: more than linear in its length.
import type { AST } from '@eslint-community/regexpp'
import { type Compiled, compile, stepsOn } from './backtracking.js'

/** One character of each class that patterns name, and of each that they do not. */
const characters = [
  ...'aZ09_-.~+/=:%{}$[]()|^*?!#&@,;"\'<>\\ \t\n\r\0',
  '\u00e4',
  '\u202e',
  '\ud800',
  '\u{1f600}',
]
const runs = ['a=', '= ', ' a', 'a-', 'aA', '-a', 'a.', '%a', '=a ', 'ab c', '0-', '. ']
/** Greater than any bound on a repetition in our patterns. */
const length = 800

const isUnbounded = ({ max }: AST.Quantifier) => max > 50

/** A short text that a part of a pattern matches. */
function sampleOf(element: AST.Element): string {
  switch (element.type) {
    case 'Character':
      return String.fromCodePoint(element.value)
    case 'CharacterSet':
    case 'CharacterClass':
    case 'ExpressionCharacterClass':
      return characters.find((one) => new RegExp(`^(?:${element.raw})$`, 'u').test(one)) ?? 'a'
    case 'Group':
    case 'CapturingGroup':
      return sampleOfAll(element.alternatives[0]?.elements ?? [])
    case 'Quantifier':
      return sampleOf(element.element).repeat(Math.max(1, element.min))
    default:
      return ''
  }
}

const sampleOfAll = (elements: readonly AST.Element[]): string => elements.map(trySample).join('')

// A class that is none with the flag of Unicode.
function trySample(element: AST.Element): string {
  try {
    return sampleOf(element)
  } catch {
    return 'a'
  }
}

interface Found {
  /** How texts begin that get as far as a repetition. */
  readonly beginnings: Set<string>
  /** What is repeated there, and what any one part of the pattern matches. */
  readonly units: Set<string>
}

function look(alternatives: readonly AST.Alternative[], before: string, found: Found): void {
  for (const { elements } of alternatives) {
    let beginning = before
    for (const element of elements) {
      const sample = trySample(element)
      if (sample !== '' && found.units.size < 40) found.units.add(sample)
      visit(element, beginning, found)
      beginning += sample
    }
  }
}

function visit(element: AST.Element, before: string, found: Found): void {
  if (element.type === 'Group' || element.type === 'CapturingGroup')
    look(element.alternatives, before, found)
  if (element.type !== 'Quantifier') return
  if (isUnbounded(element)) found.beginnings.add(before)
  visit(element.element, before, found)
}

/**
 * Texts that make a backtracking matcher try again: a long run that nearly fits, and then something
 * that does not.
 */
function* textsFor({ pattern }: Compiled): Generator<(length: number) => string> {
  const found: Found = { beginnings: new Set(['']), units: new Set() }
  look(pattern.alternatives, '', found)
  const own = [...found.units]
  const pairs = own.slice(0, 8).flatMap((one) => own.slice(0, 8).map((other) => one + other))
  const begun = [...found.beginnings].filter((one) => one !== '' && one.length < 20)
  const units = new Set([...characters, ...runs, ...own, ...pairs, ...begun])
  for (const beginning of found.beginnings)
    for (const unit of units)
      for (const ending of ['', '\0'])
        yield (chars) =>
          beginning + unit.repeat(Math.ceil(chars / unit.length)).slice(0, chars) + ending
}

/**
 * A text on which twice the length takes more than twice the steps, by far; null where none of
 * those that are tried does.
 */
export function slowTextFor(regex: RegExp): string | null {
  const compiled = compile(regex)
  for (const text of textsFor(compiled)) {
    const once = stepsOn(compiled, text(length))
    // What is quadratic takes many more for each character.
    if (once <= 20 * length) continue
    const twice = stepsOn(compiled, text(2 * length))
    if (twice === Number.POSITIVE_INFINITY || twice > 2.7 * once) return text(24)
  }
  return null
}
