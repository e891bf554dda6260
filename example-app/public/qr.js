import { encode } from './uqr.mjs'

/** The blank border that cameras need around a code, in modules. */
const quietZone = 4

/**
 * Draws a QR code into an empty `svg`. Nobody else is asked to draw it: what it holds is a secret.
 */
export function drawQr(svg, text) {
  const { size, data } = encode(text, { ecc: 'M', border: quietZone })
  const dark = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  )
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path')
  path.setAttribute('d', dark.join(''))
  svg.setAttribute('viewBox', `0 0 ${size} ${size}`)
  svg.replaceChildren(path)
}
