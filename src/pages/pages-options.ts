import type { BrandOptions } from './brand.js'
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
