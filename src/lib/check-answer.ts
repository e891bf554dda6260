import { type HostCall, UnexpectedAnswer } from './host-call.js'

/**
 * Judges an answer, or a part of one: null when all is well, else what is wrong with it. `asked` is
 * the first argument of the call. Nothing is copied: hosts want their own objects back.
 */
export type Check = (value: unknown, asked?: unknown) => string | null

/** The checks of an object's members. Members without one are not looked at. */
export type Shape<Row> = { readonly [Name in keyof Row]?: Check }

type Method = (...given: never[]) => Promise<unknown>

/**
 * What each method may answer. For a method that answers an outcome: each of its outcomes, with the
 * checks of what comes with it. The compiler misses a method and an outcome that were forgotten.
 */
export type Answers<Part> = {
  readonly [Name in keyof Part as NonNullable<Part[Name]> extends Method ? Name : never]-?: Awaited<
    ReturnType<Extract<Part[Name], Method>>
  > extends {
    readonly outcome: infer Outcome extends string
  }
    ? Readonly<Record<Outcome, Shape<Record<string, unknown>>>>
    : Check
}

/**
 * The host's part behind its contract: each method as it is, but a failure is a 503, and so is an
 * answer that the contract does not know. An optional method is there if the part has it.
 */
export function failClosed<Part extends object>(
  name: string,
  part: Part,
  call: HostCall,
  answers: Answers<Part>,
): Pick<Part, keyof Part & keyof Answers<Part>> {
  const methods = part as Readonly<Record<string, (...given: unknown[]) => unknown>>
  const wrapped = Object.entries<Check | Readonly<Record<string, Shape<object>>>>(answers)
    .filter(([method]) => methods[method] !== undefined)
    .map(([method, expected]) => {
      const check = typeof expected === 'function' ? expected : outcome(expected)
      const operation = `${name}.${method}`
      const asking = {
        [method]: (...given: unknown[]) =>
          call(operation, async () => {
            const answer = await methods[method]?.(...given)
            requireExpected(check(answer, given[0]))
            return answer
          }),
      }
      return [method, asking[method]]
    })
  return Object.fromEntries(wrapped)
}

/** Throws unless a check has found nothing wrong. */
export function requireExpected(problem: string | null): void {
  if (problem === null) return
  throw new UnexpectedAnswer(problem.startsWith('is ') ? `the answer ${problem}` : problem)
}

/** For methods whose answer nobody reads. */
export const unread: Check = () => null

/** Any string. */
export const text: Check = (value) => (typeof value === 'string' ? null : 'is not a string')

/** A Date that is one. */
export const date: Check = (value) =>
  value instanceof Date && !Number.isNaN(value.getTime()) ? null : 'is not a date'

/** True or false. */
export const bool: Check = (value) => (typeof value === 'boolean' ? null : 'is not a boolean')

/** A whole number from 0 on. */
export const count: Check = (value) =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? null : 'is not a count'

/** The key that the method was called with. */
export const theOneAsked: Check = (value, asked) =>
  value === asked ? null : 'is not the one that was asked for'

/** Null, or what the check allows. */
export function orNull(check: Check): Check {
  return (value, asked) => (value === null ? null : check(value, asked))
}

/**
 * The same, with as much work for null: where strangers ask, the time must not tell which it was.
 */
export function orNullInEqualTime(check: Check): Check {
  let latest: unknown = null
  return (value, asked) => {
    const given = value === null ? latest : value
    const problem = given === null ? null : check(given, asked)
    if (value === null) return null
    // What was allowed alone: another one may be of any size.
    if (problem === null) latest = value
    return problem
  }
}

/** Left out, or what the check allows. */
export function optional(check: Check): Check {
  return (value, asked) => (value === undefined ? null : check(value, asked))
}

/** A list of what the check allows, without holes. */
export function listOf(check: Check): Check {
  return (value, asked) => {
    if (!Array.isArray(value)) return 'is not a list'
    // By index, since `every` and `some` pass over the holes of a list.
    for (let index = 0; index < value.length; index += 1) {
      const problem = check(value[index], asked)
      if (problem !== null) return `is a list of which one ${problem}`
    }
    return null
  }
}

/** An object whose members pass their checks. */
export function record<Row>(shape: Shape<Row>): Check {
  const checks = Object.entries(shape) as readonly (readonly [string, Check])[]
  return (value, asked) => {
    if (typeof value !== 'object' || value === null) return 'is not an object'
    for (const [name, check] of checks) {
      const problem = check((value as Readonly<Record<string, unknown>>)[name], asked)
      if (problem !== null) return `${name} ${problem}`
    }
    return null
  }
}

function outcome(shapes: Readonly<Record<string, Shape<object>>>): Check {
  const checks = new Map(Object.entries(shapes).map(([name, shape]) => [name, record(shape)]))
  return (value, asked) => {
    if (typeof value !== 'object' || value === null) return 'is not an object'
    // Its own, so that a polluted Object.prototype consumes no code.
    const named = Object.hasOwn(value, 'outcome') ? Reflect.get(value, 'outcome') : undefined
    const check = checks.get(named)
    return check === undefined
      ? `outcome is none of ${[...checks.keys()].join(', ')}`
      : check(value, asked)
  }
}
