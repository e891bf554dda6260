// docs/performance.md between its markers, and the chart beside it.
import { readFileSync, writeFileSync } from 'node:fs'
import { chartOf } from './chart.mjs'
import { markdownOf } from './markdown.mjs'

const page = new URL('../../../docs/performance.md', import.meta.url)
const chart = new URL('../../../docs/performance.svg', import.meta.url)
const begin = '<!-- bench: begin. Written by npm run bench; do not edit. -->'
const end = '<!-- bench: end -->'

/** Writes what a whole run has measured. */
export function writeDocs({ machine, suites }) {
  const text = readFileSync(page, 'utf8')
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from < 0 || to < from)
    throw new Error(`docs/performance.md has lost its markers; put them back: ${begin} and ${end}`)
  const { date, cpu, cores, memory, node, system, peers } = machine
  const measured = [
    `Measured on ${date}: ${cpu}, ${cores} cores, ${memory}, ${system}, Node.js ${node}, with ` +
      `${peers.join(', ')}. Command: \`npm run bench\`.`,
    '![The figures below as bars](performance.svg)',
    ...Object.entries(suites).map(([suite, results]) => markdownOf(suite, results)),
  ].join('\n\n')
  writeFileSync(page, `${text.slice(0, from)}${begin}\n\n${measured}\n\n${text.slice(to)}`)
  writeFileSync(chart, chartOf(suites))
}
