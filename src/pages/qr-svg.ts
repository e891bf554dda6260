import { html, type SafeHtml } from './html.js'

/** The blank border that cameras need around a code, in modules. */
const quietZone = 4

/**
 * A QR code as an element of the page: what it holds is a secret, so no other request asks for it.
 *
 * @param modules - row by row, true for dark
 */
export function qrSvg(modules: readonly (readonly boolean[])[], label: string): SafeHtml {
  const size = modules.length + 2 * quietZone
  const dark = modules.flatMap((row, y) => runsOf(row).map((run) => drawn(run, y))).join('')
  const box = `0 0 ${size} ${size}`
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="${box}">
<path d="${dark}"/></svg>
`
}

/** Dark modules beside each other. */
interface Run {
  readonly start: number
  readonly length: number
}

function runsOf(row: readonly boolean[]): Run[] {
  const starts = row.flatMap((isDark, x) => (isDark && row[x - 1] !== true ? [x] : []))
  return starts.map((start) => {
    const end = row.indexOf(false, start)
    return { start, length: (end === -1 ? row.length : end) - start }
  })
}

function drawn({ start, length }: Run, y: number): string {
  return `M${start + quietZone} ${y + quietZone}h${length}v1h-${length}z`
}
