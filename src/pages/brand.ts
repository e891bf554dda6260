import type { z } from 'zod'
import { isPagesOrigin } from '../http/page-origin.js'
import { checkOptions, fitting, optionsOf, whole } from '../lib/check-options.js'
import { lazily } from '../lib/lazily.js'
import { isWellFormed } from '../lib/well-formed.js'

/** The logo beside the service's name. */
export interface BrandLogo {
  /** A file that the router serves: svg, png, webp, jpg or avif. */
  readonly file: string
  /** Alternative text; empty if the picture adds nothing to the name beside it. */
  readonly alt: string
  /** Width on the page in pixels, up to 320. */
  readonly width: number
  /** Height on the page in pixels, up to 96. */
  readonly height: number
}

/** Pages of the host, as https URLs. */
export interface BrandLinks {
  readonly privacy?: string
  readonly terms?: string
  readonly help?: string
}

/** The host's brand on the pages. */
export interface BrandOptions {
  /** The name of the service, up to 60 characters. */
  readonly name: string
  readonly logo?: BrandLogo
  /** The colour of buttons as `#rrggbb`; text on it is black or white, whichever is legible. */
  readonly accent?: string
  readonly links?: BrandLinks
}

/** Shown instead of a logo: the first letter of a name, as one grapheme. */
export function initialOf(name: string): string {
  const [first] = new Intl.Segmenter().segment(name)
  return first?.segment.toUpperCase() ?? ''
}

/** The prefix of options in errors. */
const factory = 'pages.brand'

const remedies: Readonly<Record<string, string>> = {
  [factory]: "pass an object with the service's name, such as { name: 'Example Chat' }.",
  name: 'write what people call the service, in up to 60 characters.',
  logo: 'leave it out, or pass { file, alt, width, height } of an svg, png, webp, jpg or avif.',
  accent: "leave it out, or write one opaque colour as '#rrggbb', such as '#0b57d0'.",
  links: 'leave it out, or pass { privacy, terms, help } with whole https URLs.',
}

/** Whether a text can be a displayed name: one line, without bidirectional controls. */
function isShownName(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > 60 || value.trim() === '') return false
  return isWellFormed(value) && !/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(value)
}

/** Whether a text can be the URL of a page of the host. */
function isPageUrl(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > 2000 || !URL.canParse(value)) return false
  const url = new URL(value)
  return isPagesOrigin(url.origin) && url.username === '' && url.password === ''
}

const schema = lazily(() => {
  const pageUrl = fitting<string>(isPageUrl, 'is neither https nor http on the machine itself.')
  const logo = optionsOf({
    file: fitting<string>(isPicture, 'is no path of an svg, png, webp, jpg or avif.'),
    alt: fitting<string>((value) => value === '' || isShownName(value), 'is no line of text.'),
    width: whole(1, 320),
    height: whole(1, 96),
  })
  const links = optionsOf({
    privacy: pageUrl.optional(),
    terms: pageUrl.optional(),
    help: pageUrl.optional(),
  })
  return optionsOf({
    name: fitting<string>(isShownName, 'is not 1 to 60 characters in one line.'),
    logo: logo.optional(),
    // Any colour: black or white is legible on every opaque one.
    accent: fitting<string>(isColour, 'is not a colour like #0b57d0.').optional(),
    links: links.optional(),
  }) as z.ZodType<BrandOptions>
})

/**
 * A checked brand: a frozen copy of the own members.
 *
 * @throws AuthConfigError for the first member that is unknown, missing or invalid
 */
export function checkBrand(given: unknown): BrandOptions {
  const brand = checkOptions({ factory, schema: schema(), remedies }, given)
  for (const member of Object.values(brand)) Object.freeze(member)
  return Object.freeze(brand)
}

function isColour(value: unknown): boolean {
  return typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value)
}

function isPicture(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > 1000 || value.includes('\0')) return false
  return /[^/\\]\.(?:svg|png|webp|jpe?g|avif)$/i.test(value)
}
