import type { IncomingMessage } from 'node:http'
import type { CookieChange, TextAnswer } from '../http/answer.js'
import { ownHeader } from '../http/cookies.js'
import { markupOf } from './html.js'
import { chooseLanguage } from './language.js'
import type { LanguageLink, PageShell } from './layout.js'
import { hasScript, pageHeadersFor } from './page-headers.js'
import { type PageName, type PageRequest, pageAddress } from './page-request.js'
import { assetAddress, type PageSite } from './page-site.js'
import { renderPage } from './render.js'
import type { PageTexts } from './texts.js'
import type { View } from './view.js'

/** Whom a page is for, and where it stands. */
export interface PageReader {
  readonly incoming: IncomingMessage
  /** `ui_locales` of the request, the best liked first; empty without. */
  readonly uiLocales: readonly string[]
  /** The page that has an address of its own to come back to; null for one that has none. */
  readonly at: PagePlace | null
}

/** The address of a page. */
export interface PagePlace extends Pick<PageRequest, 'raw' | 'flow' | 'language'> {
  readonly page: PageName
}

/** What goes with a page besides its text. */
export interface PageStatus {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly cookies?: readonly CookieChange[]
}

/** The answer with a page: in the reader's language, as the host or the router draws it. */
export type ShowPage = (
  viewIn: (texts: PageTexts) => View,
  reader: PageReader,
  status: PageStatus,
) => Promise<TextAnswer>

/** Makes it. */
export function createShowPage(site: PageSite): ShowPage {
  return async function showPage(viewIn, reader, { status, headers, cookies = [] }) {
    const shell = shellFor(site, reader)
    const view = viewIn(shell.texts)
    const page = (await site.renderByHost(view, shell)) ?? renderPage(view, shell)
    return {
      status,
      text: markupOf(page),
      headers: { ...pageHeadersFor(shell.texts.tag, hasScript(view)), ...headers },
      cookies,
    }
  }
}

/** A 303: whatever the request was, the next one is a GET. */
export function seeOther(location: string, cookies: readonly CookieChange[] = []): TextAnswer {
  const { 'Content-Language': _none, ...headers } = pageHeadersFor('en', false)
  return { status: 303, text: '', headers: { ...headers, Location: location }, cookies }
}

function shellFor(site: PageSite, { incoming, uiLocales, at }: PageReader): PageShell {
  const { languages, language: fallback, brand, stylesheet, logo, home } = site
  const chosen = at?.language ?? null
  const asked = {
    uiLocales: chosen === null ? uiLocales : [chosen, ...uiLocales],
    acceptLanguage: ownHeader(incoming, 'accept-language'),
  }
  const tag = chooseLanguage(asked, languages.keys(), fallback)
  return {
    texts: languages.get(tag) as PageTexts,
    brand,
    stylesheet: assetAddress(site, stylesheet),
    logo: logo === null ? null : assetAddress(site, logo),
    languages: at === null ? [] : [...languages].map((one) => linkTo(site, at, one)),
    home,
  }
}

function linkTo(
  { base }: Pick<PageSite, 'base'>,
  at: PagePlace,
  [tag, texts]: readonly [string, PageTexts],
): LanguageLink {
  const href = pageAddress(base, at.page, { ...at, language: tag })
  return { tag, name: texts.plain('language.name'), href }
}
