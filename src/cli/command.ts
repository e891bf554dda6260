import { type ParseArgsConfig, parseArgs } from 'node:util'
import type { Admin } from '../admin/admin.js'
import type { Migrations } from '../stores/contract.js'

/** The parts that `auth-admin.mjs` has opened, and the person who acts. */
export interface Opened {
  readonly admin: Admin
  readonly migrations: Migrations | undefined
  readonly by: string
}

/** The output of a command. */
export interface Outcome {
  /** For `--json`; rows, if `columns` are given. */
  readonly data: unknown
  readonly columns?: readonly string[]
  /** For people, if there is no table. */
  readonly said?: string
  /** For people, beside either: such as that there is more. */
  readonly note?: string
  /** Default 0. */
  readonly exitCode?: number
}

/** An option of a command: what it takes, as in `<id>`; null for a switch. */
export interface CommandOption {
  readonly takes: string | null
  readonly isRequired?: boolean
  readonly isRepeated?: boolean
}

/** One command. */
export interface Command {
  readonly name: string
  /** The word after the name, such as `<kid>`. */
  readonly operand?: string
  readonly options?: Readonly<Record<string, CommandOption>>
  readonly does: string
  /** The action that cannot be undone; the command asks first. */
  warns?(given: Given): string
  run(given: Given, open: () => Promise<Opened>): Promise<Outcome>
}

/** The arguments of a command. */
export interface Given {
  readonly operand: string
  text(name: string): string | undefined
  /** The value of a required option. */
  required(name: string): string
  texts(name: string): readonly string[]
  isSet(name: string): boolean
}

/** The program was called wrongly, or its file is not as it should be. */
export class CalledWrongly extends Error {}

/** Options of every command. */
const common: Readonly<Record<string, CommandOption>> = {
  config: { takes: '<path>' },
  by: { takes: '<who>' },
  json: { takes: null },
  yes: { takes: null },
  help: { takes: null },
}

/** Reads the arguments after the name. */
export function readGiven(command: Command, args: readonly string[]): Given {
  const { values, positionals } = parsed(command, args)
  const { operand, options = {} } = command
  const most = operand === undefined ? 0 : 1
  const text = (name: string) => [values[name]].flat().find((one) => typeof one === 'string')
  const missing = Object.keys(options).find(
    (name) => options[name]?.isRequired === true && !text(name),
  )
  if (values['help'] !== true) {
    if (positionals.length > most) throw new CalledWrongly(`${positionals[most]} is too much`)
    if (positionals.length < most) throw new CalledWrongly(`${operand} is missing`)
    if (missing !== undefined) throw new CalledWrongly(`--${missing} is missing`)
  }
  return {
    operand: positionals[0] ?? '',
    text,
    required: (name) => text(name) ?? '',
    texts: (name) => [values[name] ?? []].flat().filter((one) => typeof one === 'string'),
    isSet: (name) => values[name] === true,
  }
}

function parsed({ options }: Command, args: readonly string[]) {
  const known = Object.entries({ ...options, ...common }).map(([name, { takes, isRepeated }]) => [
    name,
    { type: takes === null ? 'boolean' : 'string', multiple: isRepeated === true },
  ])
  const config: ParseArgsConfig = {
    args: [...args],
    allowPositionals: true,
    options: Object.fromEntries(known),
    tokens: true,
  }
  try {
    const read = parseArgs(config)
    refuseTwice(options, read.tokens ?? [])
    return read
  } catch (error) {
    throw new CalledWrongly(error instanceof Error ? error.message : 'wrong arguments')
  }
}

// The parser would take the last value: with `--user u1 --user u2`, it would silently leave `u1` as
// it is.
function refuseTwice(
  options: Command['options'],
  tokens: readonly { readonly kind: string; readonly name?: string }[],
): void {
  const once = tokens.flatMap(({ kind, name = '' }) =>
    kind === 'option' && options?.[name]?.isRepeated !== true ? [name] : [],
  )
  const twice = once.find((name, at) => once.indexOf(name) !== at)
  if (twice !== undefined) throw new TypeError(`--${twice} is given twice`)
}

/** How a command is called. */
export function usageOf({ name, operand, options = {} }: Command): string {
  const shownOptions = Object.entries(options).map(
    ([option, { takes, isRequired, isRepeated }]) => {
      const whole = takes === null ? `--${option}` : `--${option} ${takes}`
      return `${isRequired === true ? whole : `[${whole}]`}${isRepeated === true ? '…' : ''}`
    },
  )
  return [name, ...(operand === undefined ? [] : [operand]), ...shownOptions].join(' ')
}
