// How many steps a matcher that backtracks takes for a regular expression on a text. It does what
// the engine of Node does, one step after the other, and counts: no clock, the same on any machine.
import { type AST, RegExpParser } from '@eslint-community/regexpp'

type Step =
  | { do: 'one'; fits: (character: string) => boolean }
  | { do: 'either'; first: number; second: number }
  | { do: 'jump'; to: number }
  | { do: 'assert'; holds: (text: readonly string[], at: number) => boolean }
  | { do: 'look'; program: Program; back: number; isNegated: boolean }
  | { do: 'match' }
type Program = readonly Step[]

/** A pattern as a program for the matcher. */
export interface Compiled {
  readonly program: Program
  readonly pattern: AST.Pattern
  readonly isAnchored: boolean
  /** Whether a text is searched for one match after the other. */
  readonly isGlobal: boolean
  readonly splits: (text: string) => readonly string[]
}

/** No text of the lengths used here takes a linear pattern so many steps for each character. */
const hopeless = 2000

const isWord = (character: string | undefined) => character !== undefined && /\w/.test(character)
const isLineEnd = (character: string | undefined) =>
  character !== undefined && /[\n\r\u2028\u2029]/.test(character)

/** Compiles one; throws where there is something in it that the matcher does not know. */
export function compile(regex: RegExp): Compiled {
  const pattern = new RegExpParser().parsePattern(regex.source, 0, regex.source.length, {
    unicode: regex.unicode,
    unicodeSets: regex.flags.includes('v'),
  })
  const program: Step[] = []
  const fits = characterTest(regex)
  emitAlternatives(program, pattern.alternatives, { regex, fits })
  program.push({ do: 'match' })
  const isUnicode = /[uv]/.test(regex.flags)
  return {
    program,
    pattern,
    isAnchored: !regex.multiline && pattern.alternatives.every(beginsWithStart),
    isGlobal: regex.global,
    splits: (text) => (isUnicode ? [...text] : text.split('')),
  }
}

interface Context {
  readonly regex: RegExp
  readonly fits: (raw: string) => (character: string) => boolean
}

// What a class or an escape stands for is asked of the engine itself, once for each character.
function characterTest(regex: RegExp): Context['fits'] {
  const flags = regex.flags.replaceAll(/[gyd]/g, '')
  return (raw) => {
    const one = new RegExp(`^(?:${raw})$`, flags)
    const known = new Map<string, boolean>()
    return (character) => {
      const answer = known.get(character) ?? one.test(character)
      known.set(character, answer)
      return answer
    }
  }
}

const beginsWithStart = ({ elements: [first] }: AST.Alternative): boolean =>
  (first?.type === 'Assertion' && first.kind === 'start') ||
  ((first?.type === 'Group' || first?.type === 'CapturingGroup') &&
    first.alternatives.every(beginsWithStart))

function emitAlternatives(
  program: Step[],
  alternatives: readonly AST.Alternative[],
  context: Context,
): void {
  const ends: number[] = []
  alternatives.forEach(({ elements }, index) => {
    const isLast = index === alternatives.length - 1
    const either = program.length
    if (!isLast) program.push({ do: 'jump', to: 0 })
    for (const element of elements) emit(program, element, context)
    if (isLast) return
    ends.push(program.length)
    program.push({ do: 'jump', to: 0 })
    program[either] = { do: 'either', first: either + 1, second: program.length }
  })
  for (const end of ends) program[end] = { do: 'jump', to: program.length }
}

function emit(program: Step[], element: AST.Element, context: Context): void {
  switch (element.type) {
    case 'Character':
    case 'CharacterSet':
    case 'CharacterClass':
    case 'ExpressionCharacterClass':
      program.push({ do: 'one', fits: context.fits(element.raw) })
      return
    case 'Group':
    case 'CapturingGroup':
      emitAlternatives(program, element.alternatives, context)
      return
    case 'Quantifier':
      emitQuantifier(program, element, context)
      return
    case 'Assertion':
      program.push(assertion(element, context))
      return
    case 'Backreference':
      throw new Error(`no matcher for ${element.raw}`)
  }
}

function assertion(element: AST.Assertion, context: Context): Step {
  const { multiline } = context.regex
  switch (element.kind) {
    case 'start':
      return {
        do: 'assert',
        holds: (text, at) => at === 0 || (multiline && isLineEnd(text[at - 1])),
      }
    case 'end':
      return {
        do: 'assert',
        holds: (text, at) => at === text.length || (multiline && isLineEnd(text[at])),
      }
    case 'word':
      return {
        do: 'assert',
        holds: (text, at) => (isWord(text[at - 1]) !== isWord(text[at])) !== element.negate,
      }
    case 'lookahead':
    case 'lookbehind': {
      const program: Step[] = []
      emitAlternatives(program, element.alternatives, context)
      program.push({ do: 'match' })
      const back = element.kind === 'lookahead' ? 0 : widthOf(element)
      return { do: 'look', program, back, isNegated: element.negate }
    }
  }
}

function emitQuantifier(program: Step[], element: AST.Quantifier, context: Context): void {
  const { min, max, greedy } = element
  const emitOne = () => emit(program, element.element, context)
  for (let times = 0; times < min; times += 1) emitOne()
  const isEndless = max === Number.POSITIVE_INFINITY
  if (isEndless && canBeEmpty(element.element)) throw new Error(`no matcher for ${element.raw}`)
  const eithers: number[] = []
  for (let times = min; times < (isEndless ? min + 1 : max); times += 1) {
    eithers.push(program.length)
    program.push({ do: 'jump', to: 0 })
    emitOne()
  }
  if (isEndless) program.push({ do: 'jump', to: eithers[0] as number })
  // Whoever takes no more of it goes on behind all of it.
  const behind = program.length
  for (const at of eithers) {
    const [first, second] = greedy ? [at + 1, behind] : [behind, at + 1]
    program[at] = { do: 'either', first, second }
  }
}

/** Of what stands before: one word, as long in each alternative. */
function widthOf({ alternatives, raw }: AST.LookbehindAssertion): number {
  const [width = 0, ...others] = alternatives.map(({ elements }) => elements.length)
  const isPlain = alternatives.every(({ elements }) =>
    elements.every(({ type }) => type.startsWith('Character')),
  )
  if (others.some((other) => other !== width) || !isPlain) throw new Error(`no matcher for ${raw}`)
  return width
}

function canBeEmpty(element: AST.Element): boolean {
  if (element.type === 'Quantifier') return element.min === 0 || canBeEmpty(element.element)
  if (element.type === 'Group' || element.type === 'CapturingGroup')
    return element.alternatives.some(({ elements }) => elements.every(canBeEmpty))
  return element.type === 'Assertion'
}

/**
 * The steps until the pattern has matched, or all of its matches are found where it is global, or
 * there is none. Infinite where they are far beyond anything linear.
 */
export function stepsOn({ program, isAnchored, isGlobal, splits }: Compiled, text: string): number {
  const characters = splits(text)
  const count: Count = { steps: 0, most: hopeless * (characters.length + 10) }
  for (let at = 0; at <= characters.length && count.steps < count.most; at += 1) {
    const end = run(program, characters, at, count)
    if (end !== null && !isGlobal) break
    if (end !== null) at = Math.max(at, end - 1)
    if (isAnchored) break
  }
  return count.steps < count.most ? count.steps : Number.POSITIVE_INFINITY
}

interface Count {
  steps: number
  readonly most: number
}

function run(program: Program, text: readonly string[], from: number, count: Count): number | null {
  // Where to go on when this way leads nowhere: a step of the program and a place in the text.
  const waiting: number[] = [0, from]
  while (waiting.length > 0 && count.steps < count.most) {
    const at = waiting.pop() ?? 0
    const end = follow({ program, text, waiting, count }, waiting.pop() ?? 0, at)
    if (end !== null) return end
  }
  return null
}

/** Goes one way, up to a match or until it leads nowhere. */
function follow(way: Way, first: number, from: number): number | null {
  let [pc, at]: [number | null, number] = [first, from]
  while (pc !== null) {
    way.count.steps += 1
    const step = way.program[pc] as Step
    if (step.do === 'match') return at
    if (step.do === 'either') way.waiting.push(step.second, at)
    pc = nextOf(step, pc, way, at)
    if (step.do === 'one') at += 1
  }
  return null
}

function nextOf(step: Step, pc: number, { text, count }: Way, at: number): number | null {
  if (step.do === 'match' || step.do === 'either') return step.do === 'either' ? step.first : null
  if (step.do === 'jump') return step.to
  return passes(step, text, at, count) ? pc + 1 : null
}

interface Way {
  readonly program: Program
  readonly text: readonly string[]
  readonly waiting: number[]
  readonly count: Count
}

function passes(
  step: Extract<Step, { do: 'one' | 'assert' | 'look' }>,
  text: readonly string[],
  at: number,
  count: Count,
): boolean {
  if (step.do === 'one') return at < text.length && step.fits(text[at] as string)
  if (step.do === 'assert') return step.holds(text, at)
  const from = at - step.back
  return (from >= 0 && run(step.program, text, from, count) !== null) !== step.isNegated
}
