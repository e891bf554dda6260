// What the engine does by itself, counted by the length of what it is given: no block of JavaScript
// runs there.
import buffer from 'node:buffer'
import crypto from 'node:crypto'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { slowTextFor } from './slow-patterns.js'

type Method = (this: unknown, ...given: unknown[]) => unknown
/** Steps of a call: by what it is called on, what it is given, and what it answers. */
type Price = (target: unknown, given: readonly unknown[], answer: unknown) => number

const lengthOf = (value: unknown): number => {
  if (typeof value === 'string') return value.length
  if (ArrayBuffer.isView(value)) return value.byteLength
  return Array.isArray(value) ? value.length : 0
}
const one: Price = () => 1
const ofTarget: Price = (target, _given, answer) => lengthOf(target) + lengthOf(answer)
const ofAnswer: Price = (_target, _given, answer) => lengthOf(answer)
const ofGiven: Price = (_target, given, answer) => lengthOf(given[0]) + lengthOf(answer)
/** As far as it was looked through. */
const ofSearch: Price = (target, [, from], answer) => {
  const begin = typeof from === 'number' ? Math.max(0, from) : 0
  const end = typeof answer === 'number' && answer >= 0 ? answer + 1 : lengthOf(target)
  return Math.max(0, end - begin)
}

const ofSearchBack: Price = (target, [, from], answer) => {
  const begin = typeof from === 'number' ? Math.min(from, lengthOf(target)) : lengthOf(target)
  return Math.max(1, begin - Number(answer))
}

// Node's own reader of media types searches for the end of blanks anew at each of them.
const ofSquare: Price = (_target, [given]) => lengthOf(given) ** 2

// Marks that follow each other are sorted, one by one: quadratic in their number.
const ofNormalizing: Price = (target, _given, answer) => {
  let [marks, run] = [0, 0]
  for (const character of String(target)) {
    run = /\p{M}/u.test(character) ? run + 1 : 0
    marks += run
  }
  return lengthOf(target) + lengthOf(answer) + marks
}

// A label in another script is encoded in a time that is quadratic in its length.
const ofHost: Price = (_target, [given]) => {
  const text = String(given)
  const host = text.split(/[/?#\\]/u).find((part) => part !== '' && !part.endsWith(':')) ?? ''
  const isForeign = (label: string) => /[^\0-\x7f]|%|xn--/iu.test(label)
  const labels = host.split(/[.\u3002\uff0e\uff61]|%2e/iu).filter(isForeign)
  return labels.reduce((sum, { length }) => sum + length * length, text.length)
}

const judged = new Map<string, boolean>()
/** Whether some text takes a pattern more than linear time, or it cannot be judged. */
function isSlow(pattern: RegExp): boolean {
  const name = String(pattern)
  const answer = judged.get(name) ?? judge(new RegExp(pattern.source, pattern.flags))
  judged.set(name, answer)
  return answer
}

function judge(pattern: RegExp): boolean {
  try {
    return slowTextFor(pattern) !== null
  } catch {
    return true
  }
}

/** Shorter texts cost little, whatever the pattern. */
const short = 64
const ofPattern = (pattern: RegExp, length: number, read = length) =>
  length > short && isSlow(pattern) ? length * length : read

const ofExec: Price = (target, [given], answer) => {
  if (!(target instanceof RegExp)) return 0
  const text = lengthOf(given)
  const found = answer as RegExpExecArray | null
  const isRepeated = target.global || target.sticky
  if (found === null) return ofPattern(target, text, target.sticky ? 1 : text)
  const read = found[0].length + 1
  // Of what lies before it, all matches together have read as much as there is.
  return ofPattern(target, text, isRepeated ? read : found.index + read)
}
const ofTest: Price = (target, [given]) =>
  target instanceof RegExp ? ofPattern(target, lengthOf(given)) : 0
const ofReading: Price = (target, [pattern], answer) => {
  const length = lengthOf(target)
  return (pattern instanceof RegExp ? ofPattern(pattern, length) : length) + lengthOf(answer)
}
const ofMembers: Price = (_target, given, answer) => {
  if (Array.isArray(answer)) return answer.length
  const from = given.at(-1)
  return typeof from === 'object' && from !== null ? Object.keys(from).length : 0
}

const at = (price: Price, ...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, price]))
// As objects whose functions can be replaced.
const require = createRequire(import.meta.url)
const [url, util, net]: object[] = ['node:url', 'node:util', 'node:net'].map((name) =>
  require(name),
)
const hash = at(ofGiven, 'update', 'final')

/** Each object whose functions are counted, and at what price. */
const priced: readonly (readonly [owner: object | undefined, prices: Record<string, Price>])[] = [
  [
    String.prototype,
    {
      // A part of a text is a view of it, however long.
      ...at(one, 'at', 'charAt', 'charCodeAt', 'codePointAt', 'slice', 'substring', 'substr'),
      ...at(ofAnswer, 'repeat', 'padStart', 'padEnd', 'concat'),
      ...at(ofGiven, 'startsWith', 'endsWith'),
      ...at(ofReading, 'match', 'matchAll', 'replace', 'replaceAll', 'search', 'split'),
      ...at(ofSearch, 'indexOf', 'includes'),
      ...at(ofSearchBack, 'lastIndexOf'),
      ...at(ofTarget, 'toLowerCase', 'toUpperCase', 'localeCompare'),
      ...at(ofTarget, 'trim', 'trimStart', 'trimEnd', 'isWellFormed', 'toWellFormed'),
      ...at(ofNormalizing, 'normalize'),
    },
  ],
  [
    // Those that call back are counted by what they call.
    Array.prototype,
    {
      ...at(ofTarget, 'copyWithin', 'fill', 'includes', 'join', 'lastIndexOf', 'reverse', 'sort'),
      ...at(ofTarget, 'splice', 'toReversed', 'toSorted', 'toSpliced', 'unshift', 'with'),
      ...at(ofAnswer, 'concat', 'flat', 'slice'),
      ...at(ofSearch, 'indexOf'),
    },
  ],
  [RegExp.prototype, { exec: ofExec, test: ofTest }],
  [
    Buffer.prototype,
    at(ofTarget, 'toString', 'equals', 'includes', 'indexOf', 'lastIndexOf', 'compare', 'fill'),
  ],
  [Buffer, { ...at(ofGiven, 'from', 'byteLength', 'compare'), concat: ofAnswer }],
  [TextEncoder.prototype, { encode: ofGiven }],
  [TextDecoder.prototype, { decode: ofGiven }],
  [JSON, { parse: ofGiven, stringify: ofAnswer }],
  [
    Object,
    at(ofMembers, 'assign', 'entries', 'fromEntries', 'getOwnPropertyNames', 'keys', 'values'),
  ],
  [Reflect, { ownKeys: ofMembers }],
  [Array, { from: ofAnswer }],
  [URL, at(ofHost, 'canParse', 'parse')],
  [url, at(ofHost, 'domainToASCII', 'domainToUnicode')],
  [util, at(ofSquare, 'MIMEType')],
  [net, at(ofGiven, 'isIP', 'isIPv4', 'isIPv6')],
  [buffer, { isUtf8: ofGiven }],
  [crypto, { timingSafeEqual: ofGiven, hash: (_target, [, text]) => lengthOf(text) }],
  [crypto.Hash.prototype, hash],
  [crypto.Hmac.prototype, hash],
  [Object.getPrototypeOf(crypto.createDecipheriv('aes-128-ecb', Buffer.alloc(16), null)), hash],
  [
    globalThis,
    {
      ...at(ofGiven, 'atob', 'btoa', 'decodeURIComponent', 'encodeURIComponent'),
      ...at(ofGiven, 'structuredClone', 'URLSearchParams'),
      URL: ofHost,
    },
  ],
]

interface Meter {
  sum: number
  /** What a price needs is no part of the work. */
  isPricing: boolean
}

function counted(own: Method, price: Price, meter: Meter): Method {
  const note = (target: unknown, given: readonly unknown[], answer: unknown) => {
    if (meter.isPricing) return
    meter.isPricing = true
    meter.sum += price(target, given, answer)
    meter.isPricing = false
  }
  return new Proxy(own, {
    apply(target, self, given) {
      const answer = Reflect.apply(target, self, given)
      note(self, given, answer)
      return answer
    },
    construct(target, given, made) {
      note(null, given, null)
      return Reflect.construct(target, given, made)
    },
  })
}

// `[...text]` calls nothing else.
function* countedCharacters(own: Method, text: unknown, meter: Meter): Generator<string> {
  for (const character of { [Symbol.iterator]: () => own.call(text) as Iterator<string> }) {
    if (!meter.isPricing) meter.sum += 1
    yield character
  }
}

/** Counts until it is stopped. */
export function countingNatives(): { stop(): void; count(): number } {
  const meter: Meter = { sum: 0, isPricing: false }
  const undo: (() => void)[] = []
  const replace = (
    owner: object | undefined,
    name: string | symbol,
    made: (own: Method) => Method,
  ) => {
    if (owner === undefined) return
    const before = Object.getOwnPropertyDescriptor(owner, name)
    if (typeof before?.value !== 'function') return
    Object.defineProperty(owner, name, { ...before, value: made(before.value) })
    undo.push(() => void Object.defineProperty(owner, name, before))
  }
  for (const [owner, prices] of priced)
    for (const [name, price] of Object.entries(prices))
      replace(owner, name, (own) => counted(own, price, meter))
  replace(
    String.prototype,
    Symbol.iterator,
    (own) =>
      function iterate(this: unknown) {
        return countedCharacters(own, this, meter)
      },
  )
  syncBuiltinESMExports()
  return {
    stop() {
      for (const back of undo.reverse()) back()
      syncBuiltinESMExports()
    },
    count: () => meter.sum,
  }
}
