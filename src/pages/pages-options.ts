import type { z } from 'zod'
import { isPagesOrigin, isPageUrl, returnPathOf } from '../http/page-origin.js'
import { lazily } from '../lib/async.js'
import {
  anObject,
  callable,
  checkOptions,
  fitting,
  flag,
  optional,
  optionsFor,
  optionsOf,
  type Shape,
  text,
  whole,
} from '../lib/check-options.js'
import { isWellFormed } from '../lib/texts.js'
import type { TextOptions } from './texts.js'

/**
 * The option `pages`: the look of the pages on which users sign in to apps. The pages exist with
 * the option `oauth`, even without this one.
 */
export interface PagesOptions {
  /** Default: the host of `oauth.baseUrl` as the name, and blue. */
  readonly brand?: BrandOptions
  /**
   * CSS to append to the style sheet, up to 64 KiB. It can load files of the router, but nothing
   * from other origins. Default: none.
   */
  readonly css?: string
  /**
   * Texts by language: changes of a shipped one (`en`, `de`), or your own language, whose missing
   * texts are English. Default: the shipped ones.
   *
   * @example
   * ```ts
   * import type { PagesOptions } from 'messaging-auth-router'
   *
   * const pages: PagesOptions = {
   *   texts: {
   *     en: { 'sign-in.title': 'Welcome back' },
   *     fr: { 'language.name': 'Français', 'sign-in.title': 'Se connecter' },
   *   },
   * }
   * ```
   */
  readonly texts?: TextOptions
  /** The language if the browser requests none of the available ones. Default `en`. */
  readonly language?: string
  /**
   * Draws the QR code for the enrolment of a second factor: its modules row by row, true for dark,
   * without a border. Default: the page shows the key as text, and as a link that opens an app.
   *
   * @example
   * ```ts
   * import type { PagesOptions } from 'messaging-auth-router'
   * import { encode } from 'uqr'
   *
   * const pages: PagesOptions = { qrCode: (text) => encode(text, { border: 0 }).data }
   * ```
   */
  readonly qrCode?: (text: string) => readonly (readonly boolean[])[]
  /** Your home page as an https URL, linked after errors and signing out. Default: no link. */
  readonly home?: string
  /**
   * Whether there is a page on which users manage their account, at `/account` below
   * `oauth.baseUrl`. Default true.
   */
  readonly account?: boolean
  /**
   * Your pages for users who cannot sign in, linked on the sign-in page. Default: no such links.
   */
  readonly links?: SignInLinkOptions
}

/**
 * URLs over https, or paths of the origin of `oauth.baseUrl`. The query of the sign-in page is
 * added to each: your page leads back with it to `/oauth/sign-in` below `baseUrl`.
 */
export interface SignInLinkOptions {
  /** For "Forgot your password?". Default: no link. */
  readonly forgotPassword?: string
  /** For "Create an account". Default: no link. */
  readonly register?: string
}

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
  return checkOptions({ factory, schema, remedies }, given)
}

function isColour(value: unknown): boolean {
  return typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value)
}

function isPicture(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > 1000 || value.includes('\0')) return false
  return /[^/\\]\.(?:svg|png|webp|jpe?g|avif)$/i.test(value)
}

/** Maximum characters of the host's own CSS. */
const maxCssChars = 64 * 1024

const isCss = (value: unknown) =>
  typeof value === 'string' && value.length <= maxCssChars && isWellFormed(value)

const link = () =>
  fitting<string>(
    isLink,
    'is neither an https URL without a fragment nor a path of your own origin.',
  ).optional()
const linksShape = (): Shape<SignInLinkOptions> => ({ forgotPassword: link(), register: link() })

const pagesShape = (): Shape<PagesOptions> => ({
  brand: optional(anObject('is not an object with a name.')),
  texts: optional(anObject('is not a table of languages.')),
  css: optional(fitting(isCss, `is not a text of at most ${maxCssChars} characters.`)),
  language: optional(text()),
  qrCode: optional(callable()),
  home: optional(fitting(isHome, 'is neither https nor http on the machine itself.')),
  account: optional(flag()),
  links: optional(optionsFor(linksShape())),
})

/**
 * Checks the option, but for `brand` and `texts`, whose members are checked where they are read.
 *
 * @throws AuthConfigError with every member that is unknown or unsafe
 */
export function checkPagesOptions(given: unknown): PagesOptions {
  return checkOptions({ factory: 'pages', schema: optionsFor(pagesShape()) }, given)
}

// A fragment would swallow the query that is added, and a name before an @ hides the host.
function isLink(value: unknown): boolean {
  if (typeof value !== 'string' || value.includes('#')) return false
  if (value.startsWith('/')) return returnPathOf(value) === value
  return isPageUrl(value)
}

function isHome(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > 2000 || !URL.canParse(value)) return false
  return isPagesOrigin(new URL(value).origin)
}
