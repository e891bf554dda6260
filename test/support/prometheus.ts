// What Prometheus makes of a text. Its own programs judge too, where they are installed: use
// `promtool` with `skipIf`. With REQUIRE_SERVICES=1 a missing one is a failure instead.
import { spawnSync } from 'node:child_process'

/** The path of Prometheus's checker; null where it is not installed. */
export const promtool: string | null = programOf('promtool')
/** The path of the server. */
export const prometheus: string | null = programOf('prometheus')

function programOf(name: string): string | null {
  const { status } = spawnSync(name, ['--version'], { stdio: 'ignore' })
  if (status === 0) return name
  const message = `${name} is not installed (Debian: apt-get install prometheus)`
  if (process.env['REQUIRE_SERVICES'] === '1') throw new Error(message)
  process.stderr.write(`skipped: ${message}\n`)
  return null
}

/** Runs promtool; what it says, and whether it is content. */
export function askPromtool(asked: readonly string[], input = '') {
  if (promtool === null) throw new Error('promtool is not installed')
  const { status, stdout, stderr } = spawnSync(promtool, asked, { input, encoding: 'utf8' })
  return { isContent: status === 0, said: `${stdout}${stderr}` }
}

const nameAt = '[a-z][a-z0-9_]*'
const sample = new RegExp(
  `^(${nameAt}(?:\\{${nameAt}="[^"\\\\\\n]*"(?:,${nameAt}="[^"\\\\\\n]*")*\\})?) (\\S+)$`,
)

/** A metric: its type, and its values by their series. */
export interface Metric {
  readonly type: string
  readonly series: ReadonlyMap<string, number>
}

/**
 * Reads the text format 0.0.4 as strictly as can be: help, type and samples of a metric stand
 * together, in this order, and no series stands twice.
 */
export function parseMetrics(text: string): ReadonlyMap<string, Metric> {
  if (!text.endsWith('\n')) throw new Error('the last line has no end')
  const metrics = new Map<string, Metric>()
  for (const block of text.split(/^(?=# HELP )/m)) {
    const [help = '', type = '', ...samples] = block.trimEnd().split('\n')
    const [, name = ''] = new RegExp(`^# HELP (${nameAt}) \\S.*$`).exec(help) ?? []
    const [, kind = ''] = new RegExp(`^# TYPE ${name} (counter|gauge|histogram)$`).exec(type) ?? []
    if (name === '' || kind === '') throw new Error(`not the head of a metric: ${help} ${type}`)
    if (metrics.has(name)) throw new Error(`${name} stands twice`)
    metrics.set(name, { type: kind, series: seriesOf(name, kind, samples) })
  }
  return metrics
}

function seriesOf(name: string, kind: string, lines: readonly string[]): Map<string, number> {
  const own = kind === 'histogram' ? new RegExp(`^${name}_(bucket|sum|count)\\{`) : null
  const series = new Map<string, number>()
  for (const line of lines) {
    const [, id = '', value = ''] = sample.exec(line) ?? []
    const isOurs = own === null ? id.split('{')[0] === name : own.test(id)
    if (!isOurs) throw new Error(`not a sample of ${name}: ${line}`)
    if (series.has(id)) throw new Error(`${id} stands twice`)
    if (!Number.isFinite(Number(value))) throw new Error(`not a number: ${line}`)
    series.set(id, Number(value))
  }
  return series
}

/** All series of a text, with their values. */
export function valuesIn(text: string): Readonly<Record<string, number>> {
  return Object.fromEntries([...parseMetrics(text).values()].flatMap(({ series }) => [...series]))
}
