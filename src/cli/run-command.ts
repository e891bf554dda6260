import { type Stats, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { styleText } from 'node:util'
import { adminOf } from '../admin/admin.js'
import type { AdminFile } from '../admin/admin-options.js'
import { AuthConfigError, AuthError } from '../errors.js'
import { ownMembers } from '../lib/check-options.js'
import { describeFailure } from '../lib/host-call.js'
import type { Logger } from '../lib/logger.js'
import {
  CalledWrongly,
  type Command,
  type Given,
  type Opened,
  readGiven,
  usageOf,
} from './command.js'
import { commands } from './commands.js'
import { defaultFile } from './init.js'

/** How all commands are called. */
function usage(): string {
  const lines = commands.map((command) => `  ${usageOf(command)}\n      ${command.does}`)
  return `usage: messaging-auth-router <command>

${lines.join('\n')}

  --config <path>   instead of ${defaultFile}
  --by <who>        who acts, for the events; default: your account on this machine
  --yes             do not ask before what cannot be undone
  --json            for scripts

Exits with 0: done; 1: not done, or something is missing; 2: it was called wrongly; 3: done, but
onEvent has not taken the event.
`
}

/** Runs a command; resolves with its exit code. */
export async function runCommand(args: readonly string[]): Promise<number> {
  const command = commands.find(({ name }) =>
    name.split(' ').every((word, at) => args[at] === word),
  )
  const isAsked = ['help', '--help'].includes(args[0] ?? '')
  if (command === undefined) {
    const stream = isAsked ? process.stdout : process.stderr
    stream.write(usage())
    return isAsked ? 0 : 2
  }
  try {
    const given = readGiven(command, args.slice(command.name.split(' ').length))
    if (given.isSet('help')) {
      process.stdout.write(`${usageOf(command)}\n    ${command.does}\n`)
      return 0
    }
    await agree(command, given)
    return await carryOut(command, given)
  } catch (error) {
    return report(command, error)
  }
}

/** Somebody who was asked has said no. */
class NotAgreed extends Error {}

async function agree({ warns }: Command, given: Given): Promise<void> {
  if (warns === undefined || given.isSet('yes')) return
  const warning = shown(warns(given))
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new CalledWrongly(`${warning} Nobody can be asked here: add --yes to do it.`)
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await new Promise<string>((answered) => {
    lines.once('close', () => answered(''))
    lines.question(`${warning} Go on? [y/N] `, answered)
  })
  lines.close()
  if (!/^y(es)?$/i.test(answer.trim())) throw new NotAgreed('nothing was changed')
}

interface OpenedFile extends Opened, Pick<AdminFile, 'close'> {
  readonly hasSink: boolean
}

async function carryOut(command: Command, given: Given): Promise<number> {
  let file: OpenedFile | undefined
  const open = async () => {
    file ??= await openFile(given.text('config'), given.text('by') ?? ownName())
    return file
  }
  const closed = async () => {
    const isLost = file !== undefined && (await isEventLost(file))
    await file?.close?.()
    return isLost
  }
  try {
    const exitCode = await print(command, given, open)
    return (await closed()) && exitCode === 0 ? 3 : exitCode
  } catch (error) {
    await closed()
    throw error
  }
}

async function isEventLost({ admin, hasSink }: OpenedFile): Promise<boolean> {
  if ((await admin.close()) === 0) return false
  complain(hasSink ? 'the event is lost: onEvent has not taken it' : 'no onEvent: nobody is told')
  return hasSink
}

async function print(
  command: Command,
  given: Given,
  open: () => Promise<OpenedFile>,
): Promise<number> {
  const { data, columns, said = '', note = '', exitCode = 0 } = await command.run(given, open)
  const { isTTY } = process.stdout
  const hasColours = isTTY === true && (process.env['NO_COLOR'] ?? '') === ''
  const forPeople = () =>
    columns === undefined
      ? `${shownLines(said)}\n`
      : tableOf(data as readonly ShownRow[], columns, hasColours)
  process.stdout.write(given.isSet('json') ? jsonOf(data) : forPeople())
  if (note !== '') complain(note)
  return exitCode
}

async function openFile(given: string | undefined, by: string): Promise<OpenedFile> {
  const path = given ?? defaultFile
  const found = resolve(path)
  const status = statSync(found, { throwIfNoEntry: false })
  if (status === undefined)
    throw new CalledWrongly(`there is no ${path}: init writes one, --config names another`)
  // The file runs as code with the rights of the caller, in any folder.
  if (given === undefined && isOfOthers(status))
    throw new CalledWrongly(
      `${path} belongs to another user, or others may write it: --config names it if you trust it`,
    )
  const file = await load(found).catch((error: unknown) => {
    throw error instanceof AuthConfigError ? error : unreadable(path, error)
  })
  if (typeof file !== 'object' || file === null)
    throw new CalledWrongly(`the default export of ${path} is no object`)
  const { migrations, close, ...options } = file as AdminFile
  const admin = adminOf({ logger: failuresOnly, ...options })
  const hasSink = options.onEvent !== undefined
  return { admin, migrations, by, hasSink, ...(close !== undefined && { close: () => close() }) }
}

function isOfOthers({ uid, mode }: Stats): boolean {
  // Windows has neither.
  if (process.getuid === undefined) return false
  return ![0, process.getuid()].includes(uid) || (mode & 0o002) !== 0
}

async function load(file: string): Promise<unknown> {
  const { default: given }: { readonly default?: unknown } = await import(pathToFileURL(file).href)
  return typeof given === 'function' ? given() : given
}

function unreadable(path: string, error: unknown): CalledWrongly {
  // An error of `JSON.parse` quotes its text, which may be a secret.
  const isOfHost = error instanceof Error && !(error instanceof SyntaxError)
  const why = isOfHost ? `${error.name}: ${error.message}` : factsOf('load', error)
  return new CalledWrongly(`${path} cannot be loaded: ${why}; node ${path} tells more`)
}

// A foreign message may have values of the database in it.
function factsOf(operation: string, failure: unknown): string {
  const { error, code = '', frame = '' } = describeFailure(operation, failure)
  return [error, code, frame].filter((part) => part !== '').join(' ')
}

/** For an account that the machine does not know, as in a container, the number of the account. */
function ownName(): string {
  try {
    return `cli:${userInfo().username}`
  } catch {
    return `cli:${process.getuid?.() ?? 'unknown'}`
  }
}

// Logs failures beside the command itself: a bus that is away, an event that nobody has taken.
const failuresOnly: Logger = {
  debug() {},
  info() {},
  warn() {},
  error(message, fields = {}) {
    const { operation, error, code, hint }: Record<string, unknown> = ownMembers({ ...fields })
    const facts = [operation, error, code, hint].filter((fact) => fact !== undefined)
    complain([message, ...facts].join(' '))
  },
}

function complain(text: string): void {
  process.stderr.write(`messaging-auth-router: ${shownLines(text)}\n`)
}

function report(command: Command, error: unknown): number {
  if (error instanceof CalledWrongly) {
    complain(`${error.message}\nusage: messaging-auth-router ${usageOf(command)}`)
    return 2
  }
  if (error instanceof AuthError || error instanceof NotAgreed) {
    complain(messageOf(error))
    const isWrong =
      error instanceof AuthError && ['configuration', 'invalid-request'].includes(error.code)
    return isWrong ? 2 : 1
  }
  complain(`${command.name} failed: ${factsOf(command.name, error)}`)
  return 1
}

function messageOf(error: Error): string {
  const issues = error instanceof AuthError ? error.details?.['issues'] : undefined
  if (!Array.isArray(issues)) return error.message
  return issues.map(({ path, message }) => `${path} ${message}`.trim()).join('\n')
}

/** A row of a table: an object whose members are shown. */
type ShownRow = Readonly<Record<string, unknown>>

/**
 * A text of somebody else, such as the name of a device, for a terminal: its control and formatting
 * characters could be commands, or make one name look like another.
 */
function shown(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, escaped)
}

/** A text of somebody else with several lines, for a terminal. */
function shownLines(text: string): string {
  return text.split('\n').map(shown).join('\n')
}

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`
}

/** For scripts. It may be shown in a terminal, too. */
function jsonOf(data: unknown): string {
  const json = JSON.stringify(data, null, 2)
  return `${json.replace(/[\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}]/gu, inJson)}\n`
}

function inJson(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}

const mostChars = 120

/** Rows for people. */
function tableOf(
  rows: readonly ShownRow[],
  columns: readonly string[],
  hasColours: boolean,
): string {
  if (rows.length === 0) return 'none\n'
  const cells = rows.map((row) => columns.map((column) => cellOf(row[column])))
  const widths = columns.map((column, at) =>
    Math.max(column.length, ...cells.map((row) => row[at]?.length ?? 0)),
  )
  const lineOf = (line: readonly string[]) =>
    line
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd()
  const head = lineOf(columns)
  const lines = [hasColours ? styleText('bold', head) : head, ...cells.map(lineOf)]
  return `${lines.join('\n')}\n`
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-'
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return cellOf(value.join(' '))
  const text = shown(typeof value === 'object' ? JSON.stringify(value) : String(value))
  return text.length > mostChars ? `${text.slice(0, mostChars - 1)}…` : text
}
