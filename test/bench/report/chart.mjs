// Bars as SVG: readable on light and on dark ground, with no font but the reader's own.
const ours = 'messaging-auth-router'
const width = 760
const labelWidth = 210
const valueWidth = 90
const barHeight = 18
const step = 25

/** The chart of a whole run. */
export function chartOf({ storm, guard, tokens }) {
  const hardest = storm.storms.at(-1)
  const panels = [
    panel(
      `Guarded GET during a login storm at cost ${hardest.cost}: p99, ms (less is better)`,
      hardest.rows,
      'guardedP99',
    ),
    panel(`Logins per second at cost ${hardest.cost}`, hardest.rows, 'perSecond'),
    panel('Guarded GETs per second', guard.rows, 'perSecond'),
    panel('Code exchanges per second', tokens.exchange, 'perSecond'),
    panel('Refreshes per second', tokens.refresh, 'perSecond'),
  ]
  const height = panels.reduce((sum, { rows }) => sum + 44 + rows.length * step, 10)
  let top = 10
  const drawn = panels.map((one) => {
    const text = draw(one, top)
    top += 44 + one.rows.length * step
    return text
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}"
  width="${width}" height="${height}" role="img">
<title>messaging-auth-router beside its peers</title>
<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.head { font-weight: 600 }
.bar { fill: #8c959f }
.own { fill: #0969da }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .bar { fill: #6e7681 } .own { fill: #4493f8 }
}
</style>
${drawn.join('\n')}
</svg>
`
}

function panel(title, rows, name) {
  return { title, rows: rows.map((row) => ({ label: row.label, value: row[name] })) }
}

function draw({ title, rows }, top) {
  const most = Math.max(...rows.map(({ value }) => value))
  const room = width - labelWidth - valueWidth
  const lines = rows.map(({ label, value }, i) => {
    const y = top + 30 + i * step
    const length = Math.max(2, (value / most) * room)
    const own = label === ours
    const text = y + barHeight - 4
    return [
      `<text x="${labelWidth - 8}" y="${text}" ` +
        `text-anchor="end"${own ? ' class="head"' : ''}>${escaped(label)}</text>`,
      `<rect class="${own ? 'own' : 'bar'}" x="${labelWidth}" y="${y}" ` +
        `width="${length.toFixed(1)}" height="${barHeight}" rx="2"/>`,
      `<text x="${(labelWidth + length + 8).toFixed(1)}" y="${text}">${shown(value)}</text>`,
    ].join('\n')
  })
  return [`<text class="head" x="0" y="${top + 18}">${escaped(title)}</text>`, ...lines].join('\n')
}

const shown = (value) => (value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en'))
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
