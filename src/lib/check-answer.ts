import { type HostCall, UnexpectedAnswer } from './host-call.js'

/**
 * Checks an answer of the host or a part of it: null, or the problem. `asked`: the arguments of the
 * call. Never copies: hosts want their own objects back.
 */
export type Check = (value: unknown, asked?: readonly unknown[]) => string | null

/** The checks of an object's members. Other members are ignored. */
export type Shape<Row> = { readonly [Name in keyof Row]?: Check }

type Method = (...given: never[]) => Promise<unknown>

/** The check of an answer; of one with outcomes, the checks of each outcome. */
type Expected = Check | Readonly<Record<string, Shape<object>>>

type ExpectedOf<Answer> = [Answer] extends [{ readonly outcome: infer Outcome extends string }]
  ? Readonly<Record<Outcome, Shape<Record<string, unknown>>>>
  : Check

/** What is expected of a method that a part may lack. */
interface IfThere<Of> {
  readonly ifThere: Of
}

/**
 * What is expected of each method. The compiler reports a missing method or outcome, and an
 * optional method without {@link ifThere}.
 */
export type Answers<Part> = {
  readonly [Name in keyof Part as NonNullable<Part[Name]> extends Method
    ? Name
    : never]-?: object extends Pick<Part, Name>
    ? IfThere<ExpectedOf<Awaited<ReturnType<Extract<Part[Name], Method>>>>>
    : ExpectedOf<Awaited<ReturnType<Extract<Part[Name], Method>>>>
}

/** Of a method that a part may lack. */
export function ifThere<Of extends Expected>(expected: Of): IfThere<Of> {
  return { ifThere: expected }
}

/** The methods that a part must have. */
export function requiredMethods<Part>(answers: Answers<Part>): readonly (keyof Part & string)[] {
  const required = Object.entries<object>(answers).filter(([, expected]) => !isIfThere(expected))
  return required.map(([name]) => name as keyof Part & string)
}

function isIfThere(expected: object): expected is IfThere<Expected> {
  return Object.hasOwn(expected, 'ifThere')
}

/**
 * Wraps a part of the host: a failure of a method is 503. An answer that violates the contract is
 * 503, too. An optional method exists if the part has it.
 */
export function failClosed<Part extends object>(
  name: string,
  part: Part,
  call: HostCall,
  answers: Answers<Part>,
): Pick<Part, keyof Part & keyof Answers<Part>> {
  const methods = part as Readonly<Record<string, (...given: unknown[]) => unknown>>
  const wrapped = Object.entries<Expected | IfThere<Expected>>(answers)
    .filter(([method]) => methods[method] !== undefined)
    .map(([method, given]) => {
      const expected = isIfThere(given) ? given.ifThere : given
      const check = typeof expected === 'function' ? expected : outcome(expected)
      const operation = `${name}.${method}`
      const work = (asked: readonly unknown[]) => methods[method]?.(...asked)
      const accept = (answer: unknown, asked: readonly unknown[]) => {
        const problem = check(answer, asked)
        if (problem !== null) throw unexpected(problem)
        return answer
      }
      const asking = {
        [method]: (...asked: unknown[]) => call(operation, work, accept, asked),
      }
      return [method, asking[method]]
    })
  return Object.fromEntries(wrapped)
}

/** Throws if a check has found a problem. */
export function requireExpected(problem: string | null): void {
  if (problem !== null) throw unexpected(problem)
}

function unexpected(problem: string): UnexpectedAnswer {
  return new UnexpectedAnswer(problem.startsWith('is ') ? `the answer ${problem}` : problem)
}

/** Accepts everything; for methods whose answer is not used. */
export const unread: Check = () => null

/** Any string. */
export const text: Check = (value) => (typeof value === 'string' ? null : 'is not a string')

/** A valid Date. */
export const date: Check = (value) =>
  value instanceof Date && !Number.isNaN(value.getTime()) ? null : 'is not a date'

/** True or false. */
export const bool: Check = (value) => (typeof value === 'boolean' ? null : 'is not a boolean')

/** A whole number, 0 or more. */
export const count: Check = (value) =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? null : 'is not a count'

/** The first argument of the call. */
export const theOneAsked: Check = (value, asked) =>
  value === asked?.[0] ? null : 'is not the one that was asked for'

/** The second one: of a row with two names. */
export const theOtherAsked: Check = (value, asked) =>
  value === asked?.[1] ? null : 'is not the one that was asked for'

/** A check that one value need not pass. */
interface Sparing extends Check {
  readonly spared: null | undefined
  readonly check: Check
}

function sparing(spared: null | undefined, check: Check): Sparing {
  const lenient: Check = (value, asked) => (value === spared ? null : check(value, asked))
  return Object.assign(lenient, { spared, check })
}

/** Null, or a value that passes the check. */
export function orNull(check: Check): Check {
  return sparing(null, check)
}

/**
 * Null, or a value that passes the check. Null takes as long, so that the time does not reveal
 * whether a row exists.
 */
export function orNullInEqualTime(check: Check): Check {
  let latest: unknown = null
  return (value, asked) => {
    const given = value === null ? latest : value
    const problem = given === null ? null : check(given, asked)
    if (value === null) return null
    // Only a valid answer is kept: an invalid answer may have any size.
    if (problem === null) latest = value
    return problem
  }
}

/** Absent, or a value that passes the check. */
export function optional(check: Check): Check {
  return sparing(undefined, check)
}

/** A list without holes, whose elements pass the check. */
export function listOf(check: Check): Check {
  return (value, asked) => {
    if (!Array.isArray(value)) return 'is not a list'
    // By index, since `every` and `some` skip holes.
    for (let index = 0; index < value.length; index += 1) {
      const problem = check(value[index], asked)
      if (problem !== null) return `is a list of which one ${problem}`
    }
    return null
  }
}

/** An object whose members pass their checks. */
export function record<Row>(shape: Shape<Row>): Check {
  const members = Object.entries<Check>(shape as Readonly<Record<string, Check>>).map(memberOf)
  return (value, asked) => {
    if (typeof value !== 'object' || value === null) return 'is not an object'
    for (const { name, check, spared } of members) {
      const member = (value as Readonly<Record<string, unknown>>)[name]
      // Half of the members of most rows are absent: no call for these.
      if (member === spared) continue
      const problem = check(member, asked)
      if (problem !== null) return `${name} ${problem}`
    }
    return null
  }
}

/** No answer has this value. */
const none = Symbol('none')

function memberOf([name, check]: [string, Check]) {
  return isSparing(check) ? { name, ...check } : { name, check, spared: none }
}

// Its own: a polluted `Object.prototype` must not make one of every check.
function isSparing(check: Check): check is Sparing {
  return Object.hasOwn(check, 'spared')
}

/** An object whose own `outcome` is one of these, with the members of that outcome. */
export function outcome(shapes: Readonly<Record<string, Shape<object>>>): Check {
  const checks = new Map(Object.entries(shapes).map(([name, shape]) => [name, record(shape)]))
  return (value, asked) => {
    if (typeof value !== 'object' || value === null) return 'is not an object'
    // Own members only: with a polluted Object.prototype, an empty answer must not have an outcome.
    const named = Object.hasOwn(value, 'outcome') ? Reflect.get(value, 'outcome') : undefined
    const check = checks.get(named)
    return check === undefined
      ? `outcome is none of ${[...checks.keys()].join(', ')}`
      : check(value, asked)
  }
}
