import { styleText } from 'node:util'

/** A row of a table: an object whose members are shown. */
export type ShownRow = Readonly<Record<string, unknown>>

/**
 * A text of somebody else, such as the name of a device, for a terminal: its control and formatting
 * characters could be commands, or make one name look like another.
 */
export function shown(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, escaped)
}

/** The same for a text of several lines. */
export function shownLines(text: string): string {
  return text.split('\n').map(shown).join('\n')
}

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`
}

/** For scripts. It may be shown in a terminal, too. */
export function jsonOf(data: unknown): string {
  const json = JSON.stringify(data, null, 2)
  return `${json.replace(/[\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}]/gu, inJson)}\n`
}

function inJson(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}

const mostChars = 120

/** Rows for people. */
export function tableOf(
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
