/** The allowed values of a number. */
export interface NumberRange {
  readonly least: number
  readonly most: number
  readonly unit?: 'seconds' | 'milliseconds' | undefined
  /** One further value. */
  readonly or?: number
}

/** The problem with a number, with its value if that cannot be a secret. */
export function problemOfNumber(given: unknown, { least, most, unit, or }: NumberRange): string {
  if (given === undefined) return 'is missing.'
  const upTo = most === Number.MAX_SAFE_INTEGER ? 'on' : `to ${most}`
  const number = unit === undefined ? 'whole number' : `whole number of ${unit}`
  const also = or === undefined ? '' : `, nor ${or}`
  return `is ${shown(given)}, not a ${number} from ${least} ${upTo}${also}.`
}

/** What to pass instead; undefined if unknown. */
export function remedyOfNumber(given: unknown, range: NumberRange): string | undefined {
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
