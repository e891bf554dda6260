import { z } from 'zod'
import { AuthConfigError } from '../errors.js'
import { type Answers, requiredMethods } from './check-answer.js'
import { asOne, nearest } from './mistakes.js'

/** The schema of a factory's options, and texts for its errors. */
export interface OptionRules<Checked> {
  /**
   * The name of the factory, the prefix of its options in errors, as in `joseSigner.issuer`.
   */
  readonly factory: string
  /**
   * True for the router itself, whose options have no prefix, as in `lifetimes.code`. Default
   * false.
   */
  readonly namesStandAlone?: boolean
  /** A function, where nobody may need it. */
  readonly schema: z.ZodType<Checked> | (() => z.ZodType<Checked>)
  /**
   * Remedies by the name of an option, or of a common mistake. Default: omit the option, or check
   * the spelling.
   */
  readonly remedies?: Readonly<Record<string, string>>
}

/**
 * Checks options and returns them with defaults, in an object without a prototype. Only own members
 * count, at every depth of {@link optionsOf}, so that a polluted `Object.prototype` adds no option.
 * Undefined counts as no options.
 *
 * @throws AuthConfigError with every option that is unknown, missing, of the wrong type or out of
 * range
 */
export function checkOptions<Checked>(rules: OptionRules<Checked>, given: unknown): Checked {
  const schema = typeof rules.schema === 'function' ? rules.schema() : rules.schema
  const result = schema.safeParse(given === undefined ? {} : given, { reportInput: true })
  if (result.success) return result.data
  const issues = result.error.issues.filter((issue) => furtherMistake(issue) === undefined)
  const misspelt = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys.map((name) => misspelling(issue, name)) : [],
  )
  const meant = new Set(misspelt.map(({ path, means }) => pathOf(rules, [...path, means ?? ''])))
  const wrong = issues.filter(
    ({ code, path }) => code !== 'unrecognized_keys' && !meant.has(pathOf(rules, path)),
  )
  // A misspelt option is often also missing; the error reports the misspelling.
  throw asOne([
    ...misspelt.map((found) => unknownOption(rules, found)),
    ...wrong.map((issue) => wrongOption(rules, issue)),
    ...result.error.issues.flatMap((issue) => {
      const mistake = furtherMistake(issue)
      return mistake === undefined ? [] : [mistake, ...mistake.others]
    }),
  ])
}

function furtherMistake(issue: z.core.$ZodIssue): AuthConfigError | undefined {
  return issue.code === 'custom' ? issue.params?.['mistake'] : undefined
}

/**
 * A row whose value a function checks further, with its own errors. They are told after those of
 * all rows.
 */
export function furtherBy<Given, Checked>(
  check: (given: Given) => Checked,
  row: z.ZodType<Given>,
): z.ZodType<Checked> {
  return row.transform((given, context) => {
    try {
      return check(given)
    } catch (error) {
      if (!(error instanceof AuthConfigError)) throw error
      context.addIssue({ code: 'custom', params: { mistake: error } })
      return z.NEVER
    }
  })
}

/** An unknown name in the object at `path`. */
interface Misspelling {
  readonly path: readonly PropertyKey[]
  readonly name: string
  readonly known: readonly string[]
  /** The option that was probably meant. */
  readonly means: string | undefined
}

// For an unknown name, the message of the issue is the list of known ones.
function misspelling({ path, message }: z.core.$ZodIssue, name: string): Misspelling {
  const known = message.split(', ')
  return { path, name, known, means: nearest(name, known) }
}

function unknownOption(
  rules: OptionRules<unknown>,
  { path, name, known, means }: Misspelling,
): AuthConfigError {
  const hint = means === undefined ? 'check the spelling' : `did you mean ${means}? Correct it`
  const remedy = path.length === 0 ? remedyFor(rules, name) : undefined
  return new AuthConfigError(
    pathOf(rules, [...path, name]),
    'is not an option.',
    remedy ?? `${hint}, or remove it; known: ${known.join(', ')}.`,
  )
}

function wrongOption(rules: OptionRules<unknown>, issue: z.core.$ZodIssue): AuthConfigError {
  const { path, code, message } = issue
  const known = remedyFor(rules, path[0])
  if (path.length === 0)
    return new AuthConfigError(
      rules.factory,
      'takes its options as one object.',
      known ?? 'pass an object, or nothing.',
    )
  const problem = code === 'custom' ? message : `is of the wrong type (${message}).`
  const range = code === 'custom' ? (issue.params?.['range'] as NumberRange | undefined) : undefined
  const ofNumber = range && remedyOfNumber(issue.input, range)
  return new AuthConfigError(
    pathOf(rules, path),
    problem,
    known ?? ofNumber ?? 'leave it out for the default.',
  )
}

function remedyFor({ remedies = {} }: OptionRules<unknown>, name: PropertyKey | undefined) {
  return Object.hasOwn(remedies, String(name)) ? remedies[String(name)] : undefined
}

function pathOf(
  { factory, namesStandAlone = false }: OptionRules<unknown>,
  path: readonly PropertyKey[],
): string {
  return path.reduce<string>(joined, namesStandAlone ? '' : factory)
}

function joined(path: string, part: PropertyKey): string {
  if (typeof part === 'number') return `${path}[${part}]`
  return path === '' ? String(part) : `${path}.${String(part)}`
}

/** Options whose optional members may also be `undefined`. */
export type OrUndefined<Options> = {
  readonly [Name in keyof Options]: object extends Pick<Options, Name>
    ? Options[Name] | undefined
    : Options[Name]
}

/** Options with their defaults. Those named `Open` have none, and may be undefined. */
export type Filled<Options, Open extends keyof Options = never> = Readonly<
  Required<Omit<Options, Open>>
> &
  OrUndefined<Pick<Options, Open>>

/** A row for each option. A missing one, or one of another type, does not compile. */
export type Shape<Options> = {
  readonly [Name in keyof Required<Options>]: z.ZodType<Options[Name]>
}

/** A frozen object of options: own members only, and only names in `shape`. */
export function optionsOf<Rows extends z.core.$ZodLooseShape>(
  shape: Rows,
): z.ZodType<Readonly<z.output<z.ZodObject<Rows, z.core.$strict>>>> {
  const known = Object.keys(shape).join(', ')
  const object = z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? known : undefined),
  })
  return z
    .preprocess(ownMembers, object)
    .transform((options) => Object.freeze(ownMembers(options))) as unknown as z.ZodType<
    z.output<typeof object>
  >
}

/** As {@link optionsOf}, with the type of the options; a member may be `undefined` all the same. */
export function optionsFor<Options>(shape: Shape<Options>): z.ZodType<Options> {
  return optionsOf(shape) as z.ZodType<Options>
}

/** A row that may be left out. */
export function optional<Value>(row: z.ZodType<Value>): z.ZodType<Value | undefined> {
  return row.optional()
}

/** A copy of an object without inherited members; other values unchanged. */
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

/** Whether a value has members. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** An object, whose members are checked elsewhere. */
export function anObject<Value>(problem: string): z.ZodType<Value> {
  return fitting(isObject, problem)
}

/** A list of so many items that fit. */
export function listOf<Item>(
  isFit: (item: unknown) => boolean,
  problem: string,
  least = 0,
  most: number = Number.MAX_SAFE_INTEGER,
): z.ZodType<readonly Item[]> {
  const isLong = ({ length }: readonly unknown[]) => length >= least && length <= most
  return fitting((list) => Array.isArray(list) && isLong(list) && list.every(isFit), problem)
}

/** A whole number in a range, with a unit for errors. */
export function whole(
  least: number,
  most: number = Number.MAX_SAFE_INTEGER,
  unit?: NumberRange['unit'],
): z.ZodType<number> {
  return number({ least, most, unit })
}

/** A whole number in a range. */
export function number(range: NumberRange): z.ZodType<number> {
  const { least, most, or } = range
  const isFit = (value: unknown) =>
    value === or ||
    (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most)
  return z.custom<number>((value) => value !== undefined && isFit(value), {
    error: ({ input }) => problemOfNumber(input, range),
    params: { range },
  })
}

/** A text that is not empty. */
export function text(): z.ZodType<string> {
  return fitting(
    (value) => typeof value === 'string' && value.trim() !== '',
    'is not a non-empty string.',
  )
}

/**
 * A boolean and nothing else: an environment variable is the text "false", which would count as
 * true.
 */
export function flag(): z.ZodType<boolean> {
  return fitting((value) => typeof value === 'boolean', 'is neither true nor false.')
}

/** One of these texts. */
export function oneOf<Value extends string>(...values: readonly Value[]): z.ZodType<Value> {
  const quoted = values.map((value) => `'${value}'`)
  return fitting(
    (value) => values.some((one) => one === value),
    `is neither ${quoted.slice(0, -1).join(', ')} nor ${quoted.at(-1)}.`,
  )
}

/** A function. */
export function callable<Callable>(): z.ZodType<Callable> {
  return fitting((value) => typeof value === 'function', 'is not a function.')
}

/** An object of the host with these methods, own or inherited. */
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

/** A store of the host, with every method that its contract requires. */
export function storeOf<Store>(answers: Answers<Store>): z.ZodType<Store> {
  return withMethods<Store>(...requiredMethods(answers))
}

/** The system clock, the default of every option `clock`. */
export function systemClock(): Date {
  return new Date()
}

/** The option `clock`, which is for tests. */
export const clockRow: z.ZodType<() => Date> = callable<() => Date>().default(() => systemClock)

/** The option `storeTimeout`, whose default each factory has of its own. */
export const storeTimeoutRow: z.ZodType<number> = whole(10, 60_000, 'milliseconds')

/** The allowed values of a number. */
interface NumberRange {
  readonly least: number
  readonly most: number
  readonly unit?: 'seconds' | 'milliseconds' | undefined
  /** One further value. */
  readonly or?: number
}

/** The problem with a number, with its value if that cannot be a secret. */
function problemOfNumber(given: unknown, { least, most, unit, or }: NumberRange): string {
  if (given === undefined) return 'is missing.'
  const upTo = most === Number.MAX_SAFE_INTEGER ? 'on' : `to ${most}`
  const number = unit === undefined ? 'whole number' : `whole number of ${unit}`
  const also = or === undefined ? '' : `, nor ${or}`
  return `is ${shown(given)}, not a ${number} from ${least} ${upTo}${also}.`
}

/** What to pass instead; undefined if unknown. */
function remedyOfNumber(given: unknown, range: NumberRange): string | undefined {
  const { unit } = range
  if (unit === undefined) return undefined
  const meant = meantBy(given, range)
  if (meant !== undefined) return meant
  const example = examples.find(({ seconds }) => isIn(range, inUnit(seconds, unit)))
  const such = example && ` (${inUnit(example.seconds, unit)} is ${example.words})`
  return `pass ${unit}${such ?? ''}, or leave it out for the default.`
}

const examples = [
  { seconds: 600, words: '10 minutes' },
  { seconds: 30, words: 'half a minute' },
  { seconds: 2, words: '2 seconds' },
]

const perUnit: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }

// `10m`, `15 min`, `2h`, as in other packages; or a number of another unit.
function meantBy(given: unknown, range: NumberRange): string | undefined {
  const { unit } = range
  const [, count, letter = ''] = /^(\d{1,9}) ?([smhdw])[a-z]{0,6}$/i.exec(String(given)) ?? []
  const seconds = Number(count) * (perUnit[letter.toLowerCase()] ?? Number.NaN)
  if (typeof given === 'string' && isIn(range, inUnit(seconds, unit)))
    return `pass ${unit}: ${inUnit(seconds, unit)}.`
  if (typeof given !== 'number') return undefined
  const other = unit === 'seconds' ? given / 1000 : given * 1000
  if (!isIn(range, other)) return undefined
  const looksLike = unit === 'seconds' ? 'milliseconds' : 'seconds'
  return `${given} looks like ${looksLike}: pass ${unit}, ${other}.`
}

function inUnit(seconds: number, unit: NumberRange['unit']): number {
  return unit === 'milliseconds' ? seconds * 1000 : seconds
}

function isIn({ least, most }: NumberRange, value: number): boolean {
  return Number.isSafeInteger(value) && value >= least && value <= most
}

// Shows only a value that looks like a number: any other may be the secret of another option.
function shown(given: unknown): string {
  if (typeof given === 'number') return String(given)
  if (typeof given === 'string' && /^-?\d[\d.,_]{0,11} ?[a-z]{0,12}$/i.test(given))
    return `'${given}'`
  return given === null ? 'null' : `of the type ${typeof given}`
}
