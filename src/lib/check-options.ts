import { z } from 'zod'
import { AuthConfigError } from '../errors.js'

/** The options of one factory: what they may be, and what is said where they are not. */
export interface OptionRules<Checked> {
  /**
   * The factory, as hosts call it. Its name stands before that of an option, as in
   * `joseSigner.issuer`.
   */
  readonly factory: string
  /**
   * Of the router itself, whose options are known by their own names, as in `lifetimes.code`.
   * Default false.
   */
  readonly namesStandAlone?: boolean
  readonly schema: z.ZodType<Checked>
  /**
   * What to do about an option, by its name, or about a name that is none but may be taken for one.
   * Default: to leave it out, or to check the spelling.
   */
  readonly remedies?: Readonly<Record<string, string>>
}

/**
 * The one way in which options are judged: what came, checked and with its defaults, in an object
 * that inherits nothing. Only own members count, at every depth of {@link optionsOf}, so that a
 * polluted `Object.prototype` supplies no option. Nothing at all counts as no options.
 *
 * @throws AuthConfigError for the first option that is unknown, missing, of the wrong type or out
 * of its range
 */
export function checkOptions<Checked>(rules: OptionRules<Checked>, given: unknown): Checked {
  const result = rules.schema.safeParse(given === undefined ? {} : given)
  if (result.success) return result.data
  const { issues } = result.error
  // A name that is misspelt is often missing, too; the misspelling is the news.
  throw errorOf(
    rules,
    (issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]) as z.core.$ZodIssue,
  )
}

function errorOf(
  { factory, namesStandAlone = false, remedies = {} }: OptionRules<unknown>,
  issue: z.core.$ZodIssue,
): AuthConfigError {
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
  const path = [...issue.path, ...unknown]
  const option = path.reduce<string>(joined, namesStandAlone ? '' : factory)
  const known = Object.hasOwn(remedies, String(path[0])) ? remedies[String(path[0])] : undefined
  if (path.length === 0)
    return new AuthConfigError(
      factory,
      'takes its options as one object.',
      known ?? 'pass an object, or nothing.',
    )
  // The message of an unknown name is the list of the known ones.
  if (unknown.length > 0)
    return new AuthConfigError(
      option,
      'is not an option.',
      (path.length === 1 && known) || issue.message,
    )
  const problem =
    issue.code === 'custom' ? issue.message : `is of the wrong type (${issue.message}).`
  return new AuthConfigError(option, problem, known ?? 'leave it out for the default.')
}

function joined(path: string, part: PropertyKey): string {
  if (typeof part === 'number') return `${path}[${part}]`
  return path === '' ? String(part) : `${path}.${String(part)}`
}

/** An object of options: own members only, and no name that is not in `shape`. */
export function optionsOf<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
): z.ZodType<z.output<z.ZodObject<Shape, z.core.$strict>>> {
  const unknown = `check the spelling, or remove it; known: ${Object.keys(shape).join(', ')}.`
  const object = z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? unknown : undefined),
  })
  return z.preprocess(ownMembers, object).transform(ownMembers) as unknown as z.ZodType<
    z.output<typeof object>
  >
}

/** A copy of an object without what it has inherited; anything else as it is. */
export function ownMembers<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.assign(Object.create(null), value)
}

/** A value that passes `isFit`. */
export function fitting<Value>(
  isFit: (value: unknown) => boolean,
  problem: string,
): z.ZodType<Value> {
  return z.custom<Value>(isFit, {
    error: ({ input }) => (input === undefined ? 'is missing.' : problem),
  })
}

/** A whole number in a range. */
export function whole(least: number, most: number = Number.MAX_SAFE_INTEGER): z.ZodType<number> {
  const isFit = (value: unknown) =>
    Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${least} on` : `from ${least} to ${most}`
  return fitting(isFit, `is not a whole number ${range}.`)
}

/** Text with something in it. */
export function text(): z.ZodType<string> {
  return fitting(
    (value) => typeof value === 'string' && value.trim() !== '',
    'is not a non-empty string.',
  )
}

/**
 * Exactly a boolean: what is off because a variable of the environment is the text "false" would be
 * off without anybody's knowing.
 */
export function flag(): z.ZodType<boolean> {
  return fitting((value) => typeof value === 'boolean', 'is neither true nor false.')
}

/** A function. */
export function callable<Callable>(): z.ZodType<Callable> {
  return fitting((value) => typeof value === 'function', 'is not a function.')
}

/** An object of the host's with these methods. Methods may be inherited, so that classes fit. */
export function withMethods<Part>(...names: readonly (keyof Part & string)[]): z.ZodType<Part> {
  const missing = (value: unknown) =>
    names.find(
      (name) => typeof (value as Record<string, unknown> | null | undefined)?.[name] !== 'function',
    )
  return z.custom<Part>((value) => missing(value) === undefined, {
    error: ({ input }) =>
      input === undefined ? 'is missing.' : `has no method ${missing(input)}.`,
  })
}

/** The system's clock, for where the host names none. */
export function systemClock(): Date {
  return new Date()
}
