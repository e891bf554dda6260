import { AuthError } from '../../errors.js'
import type { CookieChange, TextAnswer } from '../../http/answer.js'
import { readOpenBody } from '../../http/body.js'
import type { EndpointRequest } from '../../http/endpoint.js'
import { isOwnPage } from '../../http/page-origin.js'
import type { PasswordReason } from '../../passwords/password-rules.js'
import { type Csrf, type FormBinding, judgeInBrowser } from '../csrf.js'
import { type FormEndpoints, type FormFields, fieldsOf, retryHeaders } from '../form-page.js'
import { hiddenFields } from '../form-parts.js'
import { type MailPageName, pageAddress, queryIn, readPageRequest } from '../page-request.js'
import type { KnownBrowser } from '../pre-cookie.js'
import { errorAnswer, forPeople, type PagePlace, type ShowPage, seeOther } from '../show-page.js'
import type { PageTexts } from '../texts.js'
import type { FormFault, PageForm, View } from '../view.js'
import type { Note } from '../view-parts.js'

/** The address of a page, without a flow: nobody is on the way through the steps of a sign-in. */
export type MailPlace = Pick<PagePlace, 'raw' | 'flow' | 'language'>

/** What was typed before, and why it was refused. */
export interface TypedBefore {
  readonly fields: FormFields
  /** Of the rules for passwords. */
  readonly reasons: readonly PasswordReason[]
  /** The fields at fault, or `username-taken`. */
  readonly wrong: readonly string[]
}

/** A page of whoever is not signed in: the way to a mail, and the landing of its link. */
export interface MailPage {
  readonly page: MailPageName
  /** The content. Changes nothing. Rejects with 400 `proof-refused` for a link without effect. */
  view(
    place: MailPlace,
    form: PageForm,
    before: TypedBefore,
    request: EndpointRequest,
  ): Promise<(texts: PageTexts) => View>
  /**
   * Executes the form, which was shown by this page in this browser. Rejects with 400, 429 and 503.
   */
  submit(place: MailPlace, fields: FormFields, request: EndpointRequest): Promise<MailFormDone>
  /** Where a link leads that has no effect; null for nowhere. */
  readonly instead: string | null
  /** Whether the form has a code: one that is not right can be typed again. Default false. */
  readonly takesCode?: true
}

/** What a form brought about: a note, or another page. */
export type MailFormDone =
  | { readonly note: Note; readonly onward: string | null }
  | { readonly goTo: string; readonly cookies: readonly CookieChange[] }

export interface MailFormDeps {
  readonly csrf: Csrf
  readonly browsers: Pick<KnownBrowser, 'preOf' | 'allOf' | 'ensure' | 'hasSentAny'>
  readonly showPage: ShowPage
  /** The address of the router for browsers. */
  readonly baseUrl: URL
}

/** The endpoints of a page of whoever is not signed in. A GET changes nothing. */
export function mailFormEndpoints(
  { showPage: shownTo, ...parts }: MailFormDeps,
  page: MailPage,
): FormEndpoints {
  const showPage = hidingAddress(shownTo)
  const deps: MailFormDeps = { ...parts, showPage }
  const { baseUrl } = parts

  async function visit(
    request: EndpointRequest,
    answer: (showing: Showing) => Promise<TextAnswer>,
  ): Promise<TextAnswer> {
    const asked = readPageRequest(queryIn(request.incoming.url))
    if (asked.at === 'page') return errorAnswer(showPage, asked.problem, 400, request)
    const place = { raw: asked.raw, flow: null, language: asked.language }
    const showing = { deps, page, place, request }
    return answer(showing).catch((error: unknown) =>
      deadLink(showPage, error, page.instead, request),
    )
  }

  async function post(request: EndpointRequest): Promise<TextAnswer> {
    const { incoming } = request
    if (!isOwnPage(incoming, baseUrl.origin)) return errorAnswer(showPage, 'refused', 403, request)
    // 400, 413, 415
    const fields = fieldsOf(await readOpenBody(incoming, []))
    return visit(request, (showing) => take(showing, fields))
  }

  return {
    GET: forPeople(showPage, (request) => visit(request, (showing) => show(showing, shownFirst))),
    POST: forPeople(showPage, post),
  }
}

/**
 * Shows pages whose address may have a token, which no request from the page must tell, not even
 * one for a style sheet of this origin. Not by `no-referrer`: browsers would send `Origin: null`
 * with the form.
 */
export function hidingAddress(showPage: ShowPage): ShowPage {
  return async (viewIn, reader, status) => withoutAddress(await showPage(viewIn, reader, status))
}

/** The same for an answer. After a redirect, its policy counts as well. */
export function withoutAddress(answer: TextAnswer): TextAnswer {
  return { ...answer, headers: { ...answer.headers, 'Referrer-Policy': 'strict-origin' } }
}

/** A page, its place and the request. */
interface Showing {
  readonly deps: MailFormDeps
  readonly page: MailPage
  readonly place: MailPlace
  readonly request: EndpointRequest
}

/** How a page is shown. */
interface Shown {
  readonly status: number
  readonly fault: FormFault | null
  readonly before: TypedBefore
}

const nothing: TypedBefore = { fields: fieldsOf({}), reasons: [], wrong: [] }
const shownFirst: Shown = { status: 200, fault: null, before: nothing }

async function take(showing: Showing, fields: FormFields): Promise<TextAnswer> {
  const { deps, page, place, request } = showing
  const { incoming } = request
  const browsers = deps.browsers.allOf(incoming)
  const origin = judgeInBrowser(
    deps.csrf,
    incoming,
    fields.text('csrf'),
    bindingOf(showing),
    browsers,
  )
  if (origin !== 'ours') {
    const kind = deps.browsers.hasSentAny(incoming) ? 'stale' : 'no-cookie'
    const before = { ...nothing, fields }
    return show(showing, { status: 403, fault: { kind }, before })
  }
  try {
    const done = await page.submit(place, fields, request)
    if ('goTo' in done) return seeOther(done.goTo, done.cookies)
    return await tell(deps.showPage, done, 200, request)
  } catch (error) {
    const again = againAfter(error, fields, page)
    if (again === null) throw error
    return show(showing, again)
  }
}

function againAfter(error: unknown, fields: FormFields, page: MailPage): Shown | null {
  if (!(error instanceof AuthError)) return null
  const { status, retryAfter = 5, clientMessage: message } = error
  const before = { fields, reasons: reasonsIn(error), wrong: wrongIn(error) }
  switch (error.code) {
    case 'proof-refused':
      return page.takesCode ? { status: 422, fault: { kind: 'wrong' }, before } : null
    case 'invalid-request':
    case 'password-refused':
    case 'username-taken':
      return { status: 422, fault: { kind: 'wrong' }, before }
    case 'forbidden':
      return { status, fault: { kind: 'refused', message }, before }
    case 'too-many-requests':
      return { status, fault: { kind: 'throttled', retryAfter }, before }
    case 'temporarily-unavailable':
      return { status, fault: { kind: 'busy', retryAfter }, before }
    default:
      return null
  }
}

/** Why the rules refuse a new password; empty for any other error. */
export function reasonsIn({ code, details }: AuthError): readonly PasswordReason[] {
  if (code !== 'password-refused') return []
  return (details?.['reasons'] ?? []) as readonly PasswordReason[]
}

function wrongIn({ code, details }: AuthError): readonly string[] {
  if (code !== 'invalid-request') return code === 'username-taken' ? [code] : []
  return ((details?.['issues'] ?? []) as readonly { path: string }[]).map(({ path }) => path)
}

/**
 * The page that says why a link has no effect. `onward`: where to go from there. Throws what is no
 * refusal of a link.
 */
export async function deadLink(
  showPage: ShowPage,
  error: unknown,
  onward: string | null,
  request: EndpointRequest,
): Promise<TextAnswer> {
  if (!(error instanceof AuthError)) throw error
  if (error.code === 'registration-closed')
    return tell(showPage, { note: 'registration-closed', onward: null }, error.status, request)
  if (error.code !== 'proof-refused') throw error
  const reason = error.details?.['reason']
  const known = reason === 'used' || reason === 'expired' ? reason : 'unknown'
  return tell(showPage, { note: `link-${known}`, onward }, error.status, request)
}

function tell(
  showPage: ShowPage,
  { note, onward }: { readonly note: Note; readonly onward: string | null },
  status: number,
  { incoming }: EndpointRequest,
): Promise<TextAnswer> {
  const reader = { incoming, uiLocales: [], at: null }
  return showPage(() => ({ page: 'note', note, onward }), reader, { status })
}

async function show(showing: Showing, { status, fault, before }: Shown): Promise<TextAnswer> {
  const { deps, page, place, request } = showing
  const { incoming } = request
  const { browser, cookies } = deps.browsers.ensure(incoming)
  const csrf = deps.csrf.tokenFor({ ...bindingOf(showing), browser }) ?? ''
  const action = pageAddress(deps.baseUrl, page.page, place)
  const form = { action, hidden: hiddenFields({ csrf }), fault }
  const viewIn = await page.view(place, form, before, request)
  const reader = { incoming, uiLocales: [], at: { ...place, page: page.page } }
  return deps.showPage(viewIn, reader, { status, headers: retryHeaders(fault), cookies })
}

// Whoever is signed in here plays no part: the link is the proof.
function bindingOf({ deps, page, place, request }: Showing): FormBinding {
  const browser = deps.browsers.preOf(request.incoming)
  return { page: page.page, request: place.raw, browser, account: null }
}
