import { sha256 } from '../../lib/secrets.js'

// The style sheet of every page as text, since the build ships only the output of TypeScript.

/** Backgrounds of the pages. Links and the accent must be legible on all. */
const surfaces = {
  light: { page: '#f3f4f7', card: '#ffffff', note: '#f1f3f7' },
  dark: { page: '#0f1115', card: '#1a1d23', note: '#23272f' },
} as const
type Surfaces = (typeof surfaces)[keyof typeof surfaces]

const colours = `
:root{
  color-scheme:light dark;
  --page:${surfaces.light.page};--card:${surfaces.light.card};
  --text:#16181d;--muted:#565b66;--line:#dcdfe5;--field:#7f8490;
  --fault:#9b1420;--fault-line:#e3a6ab;--fault-card:#fdf1f1;--note:${surfaces.light.note};
}
@media (prefers-color-scheme:dark){
  :root{
    --page:${surfaces.dark.page};--card:${surfaces.dark.card};
    --text:#eceef2;--muted:#a6adba;--line:#31363f;--field:#737b8a;
    --fault:#ffb4ab;--fault-line:#7d3a3c;--fault-card:#33181a;--note:${surfaces.dark.note};
  }
}`

const frame = `
*,::before,::after{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{
  margin:0;min-height:100vh;min-height:100dvh;padding:2rem 1rem;
  display:flex;flex-direction:column;align-items:center;
  background:var(--page);color:var(--text);
  font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif;
  overflow-wrap:anywhere;hyphens:auto;
}
bdi,b,code{hyphens:none}
header,main,footer{width:100%;max-width:27rem}
header{
  display:flex;align-items:center;justify-content:center;gap:.625rem;
  margin-block:auto 1.25rem;font-size:1.0625rem;font-weight:600;
}
header img{max-width:100%;object-fit:contain}
.mark{
  flex:none;width:2rem;height:2rem;border-radius:.5rem;
  display:grid;place-items:center;background:var(--accent);color:var(--on-accent);
}
main{
  padding:2rem;border:1px solid var(--line);border-radius:1rem;background:var(--card);
  box-shadow:0 1px 2px rgb(0 0 0/.04),0 12px 32px -12px rgb(0 0 0/.12);
}
footer{
  display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 1rem;
  margin-block:.5rem auto;padding-inline:.5rem;font-size:.875rem;
}
nav,footer div{display:flex;flex-wrap:wrap;gap:0 1rem}
footer a{
  display:inline-flex;align-items:center;min-width:2.75rem;min-height:2.75rem;
  color:var(--muted);text-decoration:none;
}
footer a[aria-current]{color:var(--text);font-weight:600}
footer a:hover{text-decoration:underline}`

const words = `
h1{
  margin:0 0 .25rem;font-size:1.5rem;line-height:1.25;font-weight:650;
  letter-spacing:-.011em;text-wrap:balance;
}
p{margin:0 0 1rem}
main>:last-child{margin-bottom:0}
a{color:var(--link);text-underline-offset:.2em}
.lead{margin-bottom:1.5rem;color:var(--muted)}
.lead bdi,.lead b{color:var(--text)}
h1+form,h1+.fault{margin-top:1.25rem}
.hint{margin:.375rem 0 0;font-size:.875rem;color:var(--muted)}
.hint p{margin:0 0 .25rem}
.fault,.note{padding:.75rem 1rem;border:1px solid transparent;border-radius:.625rem}
.fault{
  border-color:var(--fault-line);border-inline-start:4px solid var(--fault);
  background:var(--fault-card);color:var(--fault);font-weight:500;
}
.note{background:var(--note)}
.host{unicode-bidi:isolate}
code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.9375em}`

const forms = `
form{margin:0}
.field{position:relative;margin-bottom:1.125rem}
.field label{display:block;margin-bottom:.375rem;font-weight:500}
.field input{
  width:100%;min-height:3rem;padding:.625rem .875rem;
  border:1px solid var(--field);border-radius:.625rem;
  background:var(--card);color:inherit;font:inherit;
}
.field input[aria-invalid]{border-color:var(--fault)}
#one-time-code,#recovery-code{letter-spacing:.08em;font-variant-numeric:tabular-nums}
.tick{display:flex;align-items:center;gap:.625rem;min-height:2.75rem;margin-bottom:.875rem}
.tick input{flex:none;width:1.25rem;height:1.25rem;margin:0;accent-color:var(--link)}
button,.button{
  display:block;width:100%;margin:.625rem 0 0;padding:.6875rem 1rem;
  border:1px solid var(--edge);border-radius:.625rem;
  background:var(--accent);color:var(--on-accent);
  font:inherit;font-weight:600;text-align:center;text-decoration:none;cursor:pointer;
}
button:hover,.button:hover{box-shadow:inset 0 0 0 4rem var(--shade)}
.plain{border-color:var(--field);background:none;color:var(--text)}
.plain:hover{box-shadow:none;background:var(--note)}
.danger{border-color:var(--fault);background:none;color:var(--fault)}
.danger:hover{box-shadow:none;background:var(--fault-card)}
.link{
  padding-block:.5625rem;border-color:transparent;background:none;color:var(--link);font-weight:500;
}
.link:hover{box-shadow:none;text-decoration:underline;text-underline-offset:.2em}
.reveal{
  position:absolute;inset-block-start:-.875rem;inset-inline-end:0;width:auto;min-height:2.75rem;
  margin:0;padding:0 .5rem;font-size:.875rem;
}
.reveal[aria-pressed=true]{background:var(--note)}
button[hidden]{display:none}
.aside{margin-top:.25rem}
.links{display:flex;flex-wrap:wrap;justify-content:center;gap:0 1.5rem;margin:.75rem 0 0}
.links+form{margin-top:1rem}
.links+.aside{margin-top:0}
.links a{display:inline-block;padding-block:.625rem}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.fault:focus-visible{outline:0}
.unseen{
  position:absolute;width:1px;height:1px;padding:0;border:0;overflow:hidden;
  clip-path:inset(50%);
}`

// Buttons that grant something appear after a delay: another site may open the page under the
// second click of a double click. Hidden, not transparent, which would still take the click. Also
// with reduced motion, since nothing moves.
const grants = `
@keyframes ready{from{visibility:hidden}}
.grants{animation:ready .6s steps(1,end)}`

const cards = `
.account,.scopes,.codes,.secret,.items{border:1px solid var(--line);border-radius:.625rem}
.account{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 1rem;padding:.75rem 1rem}
h1+.account{margin-top:1rem}
.account>bdi+bdi{color:var(--muted)}
.scopes{margin:0 0 1rem;padding:0;list-style:none}
.scopes li{padding:.625rem 1rem}
.scopes li+li{border-top:1px solid var(--line)}
#scopes,#apis{margin-bottom:.5rem}
h2{margin:1.75rem 0 .5rem;font-size:1.125rem;line-height:1.3}
form.item{margin-top:1.5rem;padding-top:1.5rem;border-top:1px solid var(--line)}
.items{margin:0 0 .5rem;padding:0;list-style:none}
.items li{
  display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:.5rem 1rem;
  padding:.75rem 1rem;
}
.items li+li{border-top:1px solid var(--line)}
.items li>div{flex:1 1 10rem;min-width:0}
.items li>.below{flex-basis:100%}
.below ul{margin:0;padding:0;list-style:none}
.below li{padding-inline-end:0}
.items button{width:auto;margin:0;min-height:2.75rem;padding-block:.5rem}
.qr{
  display:block;width:100%;max-width:14rem;margin:0 auto 1rem;border-radius:.625rem;
  background:#fff;fill:#000;forced-color-adjust:none;
}
.secret{display:block;padding:.75rem 1rem;text-align:center;text-wrap:balance}
.codes{margin:0 0 1.25rem;padding:.75rem .875rem;list-style:none;font-size:.9375rem}
.codes li{padding:.125rem 0}
.codes code{font-size:.875rem}
form+.hint{margin-top:1rem}`

// Forced colours remove backgrounds, so buttons need a border.
const readers = `
@media (max-width:30rem){
  body{padding:1.25rem;background:var(--card)}
  header{margin-top:0}
  main{padding:0;border:0;box-shadow:none;background:none}
  footer{padding:0;margin-top:1.5rem}
}
@media (prefers-reduced-motion:no-preference){
  button,.button{transition:box-shadow .15s}
}
@media (forced-colors:active){
  .mark,button,.button,.fault,.note{border:1px solid ButtonText}
  .link{border-color:transparent}
  .fault{border-inline-start-width:6px}
}`

/** The part for passkeys. */
export const passkeyCss: string = `
[role=status]:empty{margin:0}
.other{margin:1.25rem 0 0}
`

/** The whole style sheet, minified. */
const pageCss = [colours, frame, words, forms, grants, cards, readers]
  .join('')
  .replaceAll(/\n\s*/g, '\n')

/** The style sheet of all pages, and its version for the URL. */
export interface Stylesheet {
  readonly css: string
  readonly version: string
}

/** The default accent. */
export const defaultAccent = '#0b57d0'

/** Contrast of borders of controls, WCAG 2.2, 1.4.11. */
const visible = 3

/**
 * The style sheet with the host's accent, and the host's CSS at the end. Text in the accent is
 * mixed with black or white until it is legible; text on the accent is black or white.
 */
export function createStylesheet(accent: string = defaultAccent, added = ''): Stylesheet {
  const onAccent = textOn(accent)
  // White text reads better on a darker colour, black text on a lighter one.
  const shade = onAccent === '#ffffff' ? 'rgb(0 0 0/.14)' : 'rgb(255 255 255/.22)'
  const chosen =
    `:root{--accent:${accent};--on-accent:${onAccent};--shade:${shade};` +
    `${edgeAndLink(accent, surfaces.light)}}\n` +
    `@media (prefers-color-scheme:dark){:root{` +
    `${edgeAndLink(accent, surfaces.dark)}}}`
  const css = `${chosen}${pageCss}\n${added}`
  return { css, version: sha256(css).slice(0, 16) }
}

// An accent close to the card's colour would make a button invisible.
function edgeAndLink(accent: string, { note, card }: Surfaces): string {
  // Of all surfaces, text is hardest to read on a note.
  const link = legibleOn(note, accent)
  const edge = contrastOf(accent, card) < visible ? link : accent
  return `--link:${link};--edge:${edge}`
}

/** Red, green and blue, each from 0 to 255. */
type Rgb = readonly [number, number, number]

/** Contrast of text, WCAG 2.2, 1.4.3. */
const legible = 4.5

/**
 * The contrast of two colours by WCAG 2.2, from 1 to 21.
 *
 * @param one - as `#rrggbb`
 * @param other - as `#rrggbb`
 * @internal
 */
export function contrastOf(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [one, other].map(luminanceOf).sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

/**
 * Black or white, whichever is more legible on a colour. One of them always has 4.5:1, since the
 * two contrasts multiply to 21.
 */
export function textOn(background: string): '#000000' | '#ffffff' {
  const [white, black] = ['#ffffff', '#000000'] as const
  return contrastOf(white, background) >= contrastOf(black, background) ? white : black
}

/**
 * A colour, if necessary mixed with black or white until it is legible on another.
 *
 * @internal
 */
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
