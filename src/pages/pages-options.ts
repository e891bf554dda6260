import type { BrandOptions } from './brand.js'
import type { attributes, html, SafeHtml } from './html.js'
import type { PageShell } from './layout.js'
import type { TextOptions } from './texts.js'
import type { View } from './view.js'

/**
 * The option `pages`: how the pages look on which users sign in to apps. They are there with the
 * option `oauth`, also without this one.
 */
export interface PagesOptions {
  /** Default: the host of `oauth.baseUrl` as the name, and blue. */
  readonly brand?: BrandOptions
  /**
   * CSS that is added to the style sheet, up to 64 KiB. It can use what the router serves, and
   * nothing of other origins. Default: nothing.
   */
  readonly css?: string
  /**
   * Texts by language: those of a shipped one (`en`, `de`) changed, or a language of your own, in
   * which what is missing is English. Default: the shipped ones.
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
  /** The language of a browser that asks for none that there is. Default `en`. */
  readonly language?: string
  /**
   * Draws the QR code on the page where a second factor is set up: its modules row by row, true for
   * dark, without a border. Default: the key is shown as text, and as a link that opens an app.
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
  /** Your own first page, as an https URL: where errors and signing out lead. Default: nowhere. */
  readonly home?: string
  /**
   * Makes the HTML of a page instead of the router; null leaves a page to it. What it throws, or
   * answers that was not made by the given `html`, is reported as `host.failed`, and the router's
   * own page is shown. Check it by `pageContract` of `messaging-auth-router/testing`. Default:
   * none.
   *
   * @example
   * ```ts
   * import type { PagesOptions } from 'messaging-auth-router'
   *
   * const pages: PagesOptions = {
   *   render(view, { html, texts }) {
   *     if (view.page !== 'signed-out') return null
   *     return html`<!doctype html><title>Bye</title><h1>${texts.html('signed-out.title')}</h1>`
   *   },
   * }
   * ```
   */
  readonly render?: RenderPage
}

/** What a host makes its own pages with: all that is around every page, and what escapes. */
export interface PageTools extends PageShell {
  /** A tagged template: escapes every value that is not markup made by it. */
  readonly html: typeof html
  /** Attributes with quotes: `<input${attributes({ type: 'text', required: true })}>`. */
  readonly attributes: typeof attributes
}

/** Makes the whole document of a view; null leaves it to the router. At once: it cannot wait. */
export type RenderPage = (view: View, tools: PageTools) => SafeHtml | null
