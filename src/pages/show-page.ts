import type { IncomingMessage } from 'node:http'
import type { PageRefusal } from '../audit/refusals.js'
import type { AuthError } from '../errors.js'
import type { CookieChange, TextAnswer } from '../http/answer.js'
import { ownHeader } from '../http/cookies.js'
import {
  type Endpoint,
  type EndpointRequest,
  type Endpoints,
  isForClient,
  type Routes,
} from '../http/endpoint.js'
import { ownMembers } from '../lib/check-options.js'
import type { AuthUser } from '../users/contract.js'
import { html, markupOf, type SafeHtml } from './html.js'
import {
  type Content,
  type LanguageLink,
  layout,
  type PageContent,
  type PageShell,
} from './layout.js'
import { type PageName, type PageRequest, pageAddress } from './page-request.js'
import { assetAddress, type PageSite } from './page-site.js'
import type { PagesKit } from './pages-kit.js'
import { chooseLanguage, type PageTexts } from './texts.js'

/** The reader of a page, and its address. */
export interface PageReader {
  readonly incoming: IncomingMessage
  /** `ui_locales` of the request, by preference; empty without. */
  readonly uiLocales: readonly string[]
  /** The signed-in user; null or absent for nobody. */
  readonly user?: Pick<AuthUser, 'locale'> | null
  /** The page, if it has its own address for the links of languages; null otherwise. */
  readonly at: PagePlace | null
}

/** The address of a page. */
export interface PagePlace extends Pick<PageRequest, 'raw' | 'flow' | 'language'> {
  readonly page: PageName
}

/** Status and cookies of a page. */
export interface PageStatus {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly cookies?: readonly CookieChange[]
}

/** The answer with a page, in the reader's language. */
export function showPage(
  { pageSite }: PagesKit,
  content: Content,
  reader: PageReader,
  { status, headers, cookies = [] }: PageStatus,
): TextAnswer {
  const shell = shellFor(pageSite, reader)
  const page = content(shell)
  const scripts = (page.scripts ?? []).filter((one) => one !== null)
  return {
    status,
    text: markupOf(layout(shell, page)),
    headers: { ...pageHeadersFor(shell.texts.tag, scripts, page.formAction), ...headers },
    cookies,
  }
}

/** A 303, which makes the next request a GET. */
export function seeOther(location: string, cookies: readonly CookieChange[] = []): TextAnswer {
  const { 'Content-Language': _none, ...headers } = pageHeadersFor('en')
  return { status: 303, text: '', headers: { ...headers, Location: location }, cookies }
}

function shellFor(site: PageSite, { incoming, uiLocales, user = null, at }: PageReader): PageShell {
  const { languages, language: fallback, brand, stylesheet, logo, icon, home } = site
  const chosen = at?.language ?? null
  const asked = {
    uiLocales: chosen === null ? uiLocales : [chosen, ...uiLocales],
    userLocale: user?.locale,
    acceptLanguage: ownHeader(incoming, 'accept-language'),
  }
  const tag = chooseLanguage(asked, languages.keys(), fallback)
  return {
    texts: languages.get(tag) as PageTexts,
    brand,
    stylesheet: assetAddress(site, stylesheet),
    logo: logo === null ? null : assetAddress(site, logo),
    icon: assetAddress(site, icon),
    passwordScript: assetAddress(site, site.passwordScript),
    passkeyScript: site.script === null ? null : assetAddress(site, site.script),
    languages: at === null ? [] : [...languages].map((one) => linkTo(site, at, one)),
    home,
  }
}

function linkTo(
  { baseUrl }: Pick<PageSite, 'baseUrl'>,
  at: PagePlace,
  [tag, texts]: readonly [string, PageTexts],
): LanguageLink {
  const href = pageAddress(baseUrl, at.page, { ...at, language: tag })
  return { tag, name: texts.plain('language.name'), href }
}

/** Details of an error page besides its fault. */
interface Told extends Partial<Pick<ErrorView, 'clientName' | 'retryAfter' | 'told' | 'again'>> {
  /** The id of an existing client; null without. */
  readonly clientId?: string | null
}

/** An error page with a reference to the log. */
export function errorAnswer(
  kit: PagesKit,
  fault: PageFault,
  status: number,
  { incoming, context }: Pick<EndpointRequest, 'incoming' | 'context'>,
  told?: Told,
): TextAnswer {
  const { clientName = null, clientId = null, retryAfter = 0, ...more } = ownMembers({ ...told })
  const shown = { clientName, retryAfter, told: more.told ?? null, again: more.again ?? null }
  const view = { fault, reference: context.requestId, parameter: null, ...shown }
  kit.audit({ type: 'page.refused', reason: fault, clientId }, context)
  const headers = retryAfter > 0 ? { 'Retry-After': String(retryAfter) } : {}
  const reader: PageReader = { incoming, uiLocales: [], at: null }
  return showPage(kit, (shell) => errorPage(view, shell), reader, { status, headers })
}

/**
 * An endpoint whose errors, outages included, are HTML pages. `change`: of every answer. Default:
 * none.
 */
export function forPeople(
  kit: PagesKit,
  endpoint: (request: EndpointRequest) => TextAnswer | Promise<TextAnswer>,
  change: (answer: TextAnswer) => TextAnswer = (same) => same,
): Endpoint {
  return async function answerPeople(request) {
    try {
      return change(await endpoint(request))
    } catch (error) {
      if (!isForClient(error)) throw error
      const { status, retryAfter } = error
      const told = retryAfter === undefined ? {} : { retryAfter }
      return change(errorAnswer(kit, faultOf(error), status, request, told))
    }
  }
}

function faultOf({ code }: AuthError): PageFault {
  switch (code) {
    case 'too-many-requests':
      return 'throttled'
    case 'temporarily-unavailable':
      return 'busy'
    case 'payload-too-large':
      return 'too-long'
    case 'forbidden':
      return 'refused'
    default:
      return 'malformed'
  }
}

/**
 * For pages whose address may have a token, which no request from the page must tell, not even one
 * for a style sheet of this origin; after a redirect, its policy counts as well. The policy is not
 * `no-referrer`: browsers would send `Origin: null` with the form.
 */
export function withoutAddress(answer: TextAnswer): TextAnswer {
  return { ...answer, headers: { ...answer.headers, 'Referrer-Policy': 'strict-origin' } }
}

/** The faults of error pages. The list is closed. */
export type PageFault = PageRefusal

/** An error page. It has no links from the request, unless that was checked. */
export interface ErrorView {
  readonly fault: PageFault
  /** The name of an existing client, for `redirect-mismatch`, or of a provider; null without. */
  readonly clientName: string | null
  /** The host's own words, for `provider-refused`; null without. */
  readonly told: string | null
  /** The page where the user can start again; null without. */
  readonly again: string | null
  /** The id of the request in the log; null without. */
  readonly reference: string | null
  /** The name of the wrong parameter, from a fixed list; null without. */
  readonly parameter: string | null
  /** Seconds, for `throttled` and `busy`. */
  readonly retryAfter: number
}

/**
 * The fault, for people; a reference and the wrong parameter, for developers.
 *
 * @internal
 */
export function errorPage(view: ErrorView, { texts, home }: PageShell): PageContent {
  const { fault, clientName, retryAfter, told, again } = view
  const sentence = texts.html(`error.${fault}`, {
    client: clientName ?? texts.plain('error.app'),
    wait: texts.wait(retryAfter),
  })
  const links = [
    again && html`<a href="${again}">${texts.html('error.again')}</a>`,
    home !== null && home !== again ? html`<a href="${home}">${texts.html('page.home')}</a>` : null,
  ]
  const way = again || home ? html`<p class="links">${links}</p>` : null
  return {
    title: 'error.title',
    body: html`<p class="lead">${sentence}</p>
${told === null ? advice(fault, texts) : html`<p><bdi>${told}</bdi></p>`}
${forDevelopers(view, texts)}
${way}`,
  }
}

function advice(fault: ErrorView['fault'], texts: PageTexts): SafeHtml | null {
  return isPlain(fault) ? null : html`<p>${texts.html('error.go-back')}</p>`
}

// A passing fault, or one without an app, needs no advice for developers.
function isPlain(fault: ErrorView['fault']): boolean {
  return ['throttled', 'busy', 'no-app', 'not-connected', 'identity-in-use'].includes(fault)
}

function forDevelopers({ reference, parameter }: ErrorView, texts: PageTexts): SafeHtml {
  const named =
    parameter === null
      ? null
      : html`<p>${texts.html('error.parameter', { parameter: shown(parameter) })}</p>`
  const id =
    reference === null ? null : html`<p>${texts.html('error.reference')} ${shown(reference)}</p>`
  return html`<div class="hint">${named}${id}</div>`
}

function shown(word: string): SafeHtml {
  return html`<code dir="ltr">${word}</code>`
}

/** The messages of pages besides errors. The list is closed. */
export type Note =
  /** Said whether or not the name has an account. */
  | 'mail-sent'
  | 'password-set'
  | 'address-confirmed'
  | 'phone-confirmed'
  | 'address-undone'
  | 'account-deleted'
  | 'link-used'
  | 'link-expired'
  | 'link-unknown'
  | 'registration-closed'
  | 'device-approved'
  | 'device-denied'

/** A form has done its work, or a link does not work. Nothing can be done here any more. */
export interface NoteView {
  readonly note: Note
  /** The address that the page links to; null for none. */
  readonly onward: string | null
}

/** The page that tells the result, with a link onward. */
export function notePage({ note, onward }: NoteView, { texts }: PageShell): PageContent {
  const link =
    onward &&
    html`
<p class="links"><a href="${onward}">${texts.html(`note.${note}-onward`)}</a></p>`
  return {
    title: `note.${note}-title`,
    body: html`<p>${texts.html(`note.${note}`)}</p>${link}`,
  }
}

/**
 * Headers of every page, besides `Content-Language`. No Cross-Origin-Opener-Policy, which would cut
 * off a popup from the page that waits for it, and no HSTS, which the host decides.
 *
 * @internal
 */
export const pageHeaders: Readonly<Record<string, string>> = Object.freeze({
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': policyWith("'none'"),
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  // With `no-referrer`, browsers would send `Origin: null` with our forms.
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy':
    'publickey-credentials-get=(self), publickey-credentials-create=(self), ' +
    'camera=(), microphone=(), geolocation=()',
  Vary: 'Cookie, Accept-Language',
})

/**
 * The headers of a page in a language, with the addresses of its scripts. The policy allows only
 * those files, and no others of this origin, which is also the host's.
 *
 * @internal
 */
export function pageHeadersFor(
  language: string,
  scripts: readonly string[] = [],
  formAction?: string,
): Readonly<Record<string, string>> {
  const headers = { ...pageHeaders, 'Content-Language': language }
  if (scripts.length === 0) return headers
  const policy = policyWith(scripts.map(asSource).join(' '), formAction)
  return { ...headers, 'Content-Security-Policy': policy }
}

// These two characters would end the source: https://www.w3.org/TR/CSP3/#grammardef-path-part
function asSource(address: string): string {
  return address.replaceAll(';', '%3B').replaceAll(',', '%2C')
}

// A page without scripts may run none, even after an injection.
function policyWith(scripts: string, formAction = "'self'"): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    `script-src ${scripts}`,
    "img-src 'self'",
    "connect-src 'self'",
    `form-action ${formAction}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ')
}

/** The route of a page. Pages of other origins cannot read it, regardless of `cors`. */
export function ownPage(path: string, endpoints: Endpoints): Routes[number] {
  return [path, endpoints, 'plain', 'own-origin']
}
