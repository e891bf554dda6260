import { AuthError } from '../errors.js'
import type { CookieChange, TextAnswer } from '../http/answer.js'
import { readOpenBody } from '../http/body.js'
import type { EndpointRequest, Routes } from '../http/endpoint.js'
import { isOwnPage, returnPathOf } from '../http/page-origin.js'
import { boundedCache } from '../lib/bounded-cache.js'
import { sha256 } from '../lib/secrets.js'
import type { PasswordReason } from '../passwords/password-rules.js'
import {
  type FormEndpoints,
  type FormFields,
  fieldsOf,
  formFor,
  judgeInBrowser,
  retryHeaders,
} from './form-page.js'
import type { FormFault, PageForm } from './form-parts.js'
import type { Content } from './layout.js'
import { type MailPageName, pageAddress, queryIn, readPageRequest } from './page-request.js'
import type { FormsKit } from './pages-kit.js'
import {
  errorAnswer,
  forPeople,
  type Note,
  type NoteView,
  notePage,
  ownPage,
  type PagePlace,
  seeOther,
  showPage,
  withoutAddress,
} from './show-page.js'
import { returnQuery } from './sign-in-url.js'

/** The address of a page, without a flow: nobody is on the way through the steps of a sign-in. */
export type MailPlace = Pick<PagePlace, 'raw' | 'flow' | 'language'>

/** The fields that were typed before, and the reasons of the refusal. */
export interface TypedBefore {
  readonly fields: FormFields
  /** The reasons that the rules for passwords give. */
  readonly reasons: readonly PasswordReason[]
  /** The fields at fault, or `username-taken`. */
  readonly wrong: readonly string[]
}

/** Forms that a process remembers, and for how many seconds. */
const maxRecent = 1000
const recentSeconds = 10

/** A page for a user who is not signed in: the way to a mail, and the landing of its link. */
export interface MailPage {
  readonly page: MailPageName
  /** The content. Changes nothing. Rejects with 400 `proof-refused` for a link without effect. */
  view(
    place: MailPlace,
    form: PageForm,
    before: TypedBefore,
    request: EndpointRequest,
  ): Promise<Content>
  /**
   * Executes the form, which was shown by this page in this browser. Rejects with 400, 429 and 503.
   */
  submit(place: MailPlace, fields: FormFields, request: EndpointRequest): Promise<MailFormDone>
  /** The page that a link without effect leads to; null for none. */
  readonly instead: string | null
  /** Whether the form has a code: a wrong code can be typed again. Default false. */
  readonly takesCode?: true
}

/** The result of a form: a note, or another page. */
export type MailFormDone =
  | { readonly note: Note; readonly onward: string | null }
  | { readonly goTo: string; readonly cookies: readonly CookieChange[] }

/** The endpoints of a page for a user who is not signed in. A GET changes nothing. */
function mailFormEndpoints(kit: FormsKit, page: MailPage): FormEndpoints {
  async function visit(
    request: EndpointRequest,
    answer: (showing: Showing) => Promise<TextAnswer>,
  ): Promise<TextAnswer> {
    const asked = readPageRequest(queryIn(request.incoming.url))
    if (asked.at === 'page') return errorAnswer(kit, asked.problem, 400, request)
    const place = { raw: asked.raw, flow: null, language: asked.language }
    return answer({ kit, page, place, request }).catch((error: unknown) =>
      deadLink(kit, error, page.instead, request),
    )
  }

  async function post(request: EndpointRequest): Promise<TextAnswer> {
    const { incoming } = request
    if (!isOwnPage(incoming, kit.baseUrl.origin)) return errorAnswer(kit, 'refused', 403, request)
    // 400, 413, 415
    const fields = fieldsOf(await readOpenBody(incoming, []))
    return visit(request, (showing) => take(showing, fields))
  }

  return {
    GET: forPeople(kit, (request) => visit(request, (one) => show(one, shownFirst)), hiding),
    POST: forPeople(kit, post, hiding),
  }
}

function hiding(answer: TextAnswer): TextAnswer {
  return answer.status === 303 ? answer : withoutAddress(answer)
}

/** A page, its place and the request. */
interface Showing {
  readonly kit: FormsKit
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
  const { kit, page, place, request } = showing
  const { incoming } = request
  const origin = judgeInBrowser(kit, incoming, fields.text('csrf'), bindingOf(showing))
  if (origin !== 'ours') {
    const kind = kit.browsers.hasSentAny(incoming) ? 'stale' : 'no-cookie'
    const before = { ...nothing, fields }
    return show(showing, { status: 403, fault: { kind }, before })
  }
  try {
    const done = await page.submit(place, fields, request)
    if ('goTo' in done) return seeOther(done.goTo, done.cookies)
    return tell(kit, done, 200, request)
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
 * The page that says why a link has no effect. `onward`: where to go from there. Throws every other
 * error than the refusal of a link.
 */
export function deadLink(
  kit: FormsKit,
  error: unknown,
  onward: string | null,
  request: EndpointRequest,
): TextAnswer {
  if (!(error instanceof AuthError)) throw error
  if (error.code === 'registration-closed')
    return tell(kit, { note: 'registration-closed', onward: null }, error.status, request)
  if (error.code !== 'proof-refused') throw error
  const reason = error.details?.['reason']
  const known = reason === 'used' || reason === 'expired' ? reason : 'unknown'
  return tell(kit, { note: `link-${known}`, onward }, error.status, request)
}

function tell(
  kit: FormsKit,
  { note, onward }: NoteView,
  status: number,
  { incoming }: EndpointRequest,
): TextAnswer {
  const reader = { incoming, uiLocales: [], at: null }
  return showPage(kit, (shell) => notePage({ note, onward }, shell), reader, { status })
}

async function show(showing: Showing, { status, fault, before }: Shown): Promise<TextAnswer> {
  const { kit, page, place, request } = showing
  const { incoming } = request
  const action = pageAddress(kit.baseUrl, page.page, place)
  const { form, cookies } = formFor(kit, incoming, bindingOf(showing), action, fault)
  const content = await page.view(place, form, before, request)
  const reader = { incoming, uiLocales: [], at: { ...place, page: page.page } }
  return showPage(kit, content, reader, { status, headers: retryHeaders(fault), cookies })
}

// A user who is signed in here plays no part: the link is the proof.
function bindingOf({ page, place }: Showing) {
  return { page: page.page, request: place.raw, account: null }
}

/**
 * Repeats the answer to the code of a new user, whose account exists after the first form. Only the
 * answer to an accepted form is repeated: a refused form is checked and counted every time.
 */
export function replayFirstDone(page: MailPage, clock: () => Date): MailPage {
  const recent = boundedCache<Promise<MailFormDone>>(maxRecent, recentSeconds)
  return {
    ...page,
    async submit(place, fields, request) {
      // The token of the form depends on the browser.
      const sent = ['csrf', 'code', 'username'].map((name) => fields.text(name))
      const name = sha256(JSON.stringify([place.raw, ...sent]))
      // No `await` between the lookup and the entry, as above.
      const before = recent.get(name, clock())
      const known = before === undefined ? null : await before.catch(() => null)
      if (known !== null) return known
      const done = page.submit(place, fields, request)
      recent.set(name, done, clock())
      return done
    },
  }
}

/** The token of a link in a mail. */
export function tokenIn({ raw }: MailPlace): string {
  return new URLSearchParams(raw).get('token') ?? ''
}

// The query of a sign-in: the request of an app, or a path of this origin.
export function isRequest(raw: string): boolean {
  return /(?:^|&)(?:client_id|return_to)=/.test(raw)
}

/** The request of an app or of a page; without one, the request of the account page. */
export function requestIn({ accountUrl }: FormsKit, raw: string): string {
  if (isRequest(raw)) return raw
  return returnQuery(
    accountUrl === null ? '/' : (returnPathOf(new URL(accountUrl).pathname) ?? '/'),
  )
}

/** The address of the sign-in page, which does nothing without a request. */
export function signInAt(kit: FormsKit, raw: string, language: string | null): string {
  return pageAddress(kit.baseUrl, 'sign-in', { raw: requestIn(kit, raw), flow: null, language })
}

/** The routes of pages for a user who is not signed in. */
export function mailPages(kit: FormsKit, pages: readonly (MailPage | undefined)[]): Routes {
  return pages.flatMap((page) =>
    page === undefined ? [] : [ownPage(`/${page.page}`, mailFormEndpoints(kit, page))],
  )
}
