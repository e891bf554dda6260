import type { IncomingMessage } from 'node:http'
import type { Audit, RequestContext } from '../audit/events.js'
import type { AuthError } from '../errors.js'
import type { CookieChange, TextAnswer } from '../http/answer.js'
import { ownHeader } from '../http/cookies.js'
import { type Endpoint, type EndpointRequest, isForClient } from '../http/endpoint.js'
import { ownMembers } from '../lib/check-options.js'
import type { AuthUser } from '../users/contract.js'
import { postOverScript } from './assets/scripts.js'
import { type ServedFile, scriptFile } from './assets.endpoint.js'
import { markupOf } from './html.js'
import { chooseLanguage } from './language.js'
import { type LanguageLink, layout, type PageShell } from './layout.js'
import { hasPassword, hasScript, pageHeadersFor } from './page-headers.js'
import { type PageName, type PageRequest, pageAddress } from './page-request.js'
import { assetAddress, type PageSite } from './page-site.js'
import { renderPage } from './render.js'
import type { PageTexts } from './texts.js'
import type { View } from './view.js'
import type { ErrorView, PageFault } from './view-parts.js'
import { type PostedAnswer, postOverPage } from './views/post-over.js'

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
  /** For an error page: the refusal for the event with its reference. */
  readonly refused?: RefusedVisit
}

/** The refused request of an error page. */
export interface RefusedVisit {
  readonly context: RequestContext
  /** The id of an existing client; null without. */
  readonly clientId: string | null
}

/** Makes the answer with a page, in the reader's language. */
export type ShowPage = (
  viewIn: (texts: PageTexts) => View,
  reader: PageReader,
  status: PageStatus,
) => Promise<TextAnswer>

export function createShowPage(site: PageSite, audit: Audit): ShowPage {
  return async function showPage(viewIn, reader, { status, headers, cookies = [], refused }) {
    const shell = shellFor(site, reader)
    const view = viewIn(shell.texts)
    if (refused !== undefined && view.page === 'error') {
      const { context, clientId } = refused
      audit({ type: 'page.refused', reason: view.fault, clientId }, context)
    }
    const scripts = [
      ...(hasPassword(view) ? [shell.passwordScript] : []),
      ...('linkScript' in view ? [view.linkScript] : []),
      ...(hasScript(view) && site.script !== null ? [assetAddress(site, site.script)] : []),
    ]
    return {
      status,
      text: markupOf(renderPage(view, shell)),
      headers: { ...pageHeadersFor(shell.texts.tag, scripts), ...headers },
      cookies,
    }
  }
}

/** The script that posts an answer. */
export const postOverFile: ServedFile = scriptFile('post-over', postOverScript)

/** Makes the page that posts an answer to a client. */
export type PostOver = (answer: PostedAnswer, reader: PageReader) => TextAnswer

export function createPostOver(site: PageSite): PostOver {
  return function postOver(answer, reader) {
    const shell = shellFor(site, reader)
    const script = assetAddress(site, postOverFile)
    const page = layout(shell, postOverPage(answer, script, shell.texts))
    // Browsers ask the policy about redirects after a form as well: the client may lead on to
    // another of its origins.
    const target = `${new URL(answer.redirectUri).origin} https:`
    const headers = pageHeadersFor(shell.texts.tag, [script], target)
    return { status: 200, text: markupOf(page), headers, cookies: [] }
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
type Told = Partial<
  Pick<ErrorView, 'clientName' | 'retryAfter' | 'told' | 'again'> & Pick<RefusedVisit, 'clientId'>
>

/** An error page with a reference to the log. */
export function errorAnswer(
  showPage: ShowPage,
  fault: PageFault,
  status: number,
  { incoming, context }: Pick<EndpointRequest, 'incoming' | 'context'>,
  told?: Told,
): Promise<TextAnswer> {
  const { clientName = null, clientId = null, retryAfter = 0, ...more } = ownMembers({ ...told })
  const shown = { clientName, retryAfter, told: more.told ?? null, again: more.again ?? null }
  const reader: PageReader = { incoming, uiLocales: [], at: null }
  const reference = context.requestId
  const view = { page: 'error', fault, reference, parameter: null, ...shown } as const
  const headers = retryAfter > 0 ? { 'Retry-After': String(retryAfter) } : {}
  return showPage(() => view, reader, { status, headers, refused: { context, clientId } })
}

/** An endpoint whose errors, outages included, are HTML pages. */
export function forPeople(
  showPage: ShowPage,
  endpoint: (request: EndpointRequest) => Promise<TextAnswer>,
): Endpoint {
  return async function answerPeople(request) {
    try {
      return await endpoint(request)
    } catch (error) {
      if (!isForClient(error)) throw error
      const { status, retryAfter } = error
      const told = retryAfter === undefined ? {} : { retryAfter }
      return errorAnswer(showPage, faultOf(error), status, request, told)
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
