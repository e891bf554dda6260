/** Red, green and blue, each from 0 to 255. */
type Rgb = readonly [number, number, number]

/** What WCAG 2.2 asks of text, 1.4.3. */
const legible = 4.5

/**
 * The contrast of two colours, from 1 to 21, as WCAG 2.2 has it.
 *
 * @param one - as `#rrggbb`
 * @param other - as `#rrggbb`
 */
export function contrastOf(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [one, other].map(luminanceOf).sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

/**
 * Black or white, whichever is read more easily on a colour. One of them always has 4.5:1, since
 * the two contrasts multiply to 21.
 */
export function textOn(background: string): '#000000' | '#ffffff' {
  const [white, black] = ['#ffffff', '#000000'] as const
  return contrastOf(white, background) >= contrastOf(black, background) ? white : black
}

/** A colour as it is, or with as much black or white in it as makes it legible on another. */
export function legibleOn(background: string, colour: string): string {
  const [from, to] = [rgbOf(colour), rgbOf(textOn(background))]
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = hexOf(from.map((part, at) => part + ((to[at] ?? 0) - part) * share))
    if (contrastOf(mixed, background) >= legible) return mixed
  }
  return hexOf(to)
}

function rgbOf(hex: string): Rgb {
  const part = (at: number) => Number.parseInt(hex.slice(at, at + 2), 16)
  return [part(1), part(3), part(5)]
}

function hexOf(parts: readonly number[]): string {
  return `#${parts.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`
}

function luminanceOf(hex: string): number {
  const [red, green, blue] = rgbOf(hex)
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

function linear(part: number): number {
  const share = part / 255
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
}
