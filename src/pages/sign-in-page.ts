import type { TextAnswer } from '../http/answer.js'
import type { EndpointRequest } from '../http/endpoint.js'
import type { Pages } from '../http/pages.js'
import { endUnlessKept } from '../sessions/end-unless-kept.js'
import { findSessionOfCookie } from '../sessions/session-of-cookie.js'
import type { Sessions } from '../sessions/sessions.js'
import type { OfferPasskey } from './add-passkey-page.js'
import { clientOnPage } from './answer-client.js'
import type { FormFields, FormPage, Submitted } from './form-page.js'
import type { SafeHtml } from './html.js'
import type { PagePasskeys } from './page-passkeys.js'
import { type PageName, pageAddress } from './page-request.js'
import type { PageVisit } from './page-visit.js'
import type { KnownBrowser } from './pre-cookie.js'
import { seeOther } from './show-page.js'
import type { FormSignIn, FormVisit, SignInByForm } from './sign-in-by-form.js'
import type { PageTexts } from './texts.js'
import type { FormFault } from './view.js'

/** What becomes of a sign-in needs. */
export interface SettleDeps {
  readonly pages: Pick<Pages, 'cookie'>
  readonly sessions: Pick<Sessions, 'findLive' | 'end'>
  readonly browsers: Pick<KnownBrowser, 'forgotten'>
  /** Where browsers reach the router. */
  readonly base: URL
  /** Null, or left out: what follows is what the app has asked for. */
  readonly offer?: OfferPasskey | null
}

/** What pages that sign in need. */
export interface SignInPageDeps extends SettleDeps {
  readonly signInByForm: SignInByForm
  /** Null: the host takes none. */
  readonly passkeys: PagePasskeys | null
}

/** What the first page needs. */
export interface FirstPageDeps extends SignInPageDeps {
  /** Null: the host takes no passkeys. */
  readonly offerPasskey: OfferPasskey | null
}

/** `/oauth/sign-in`: name and password, or a passkey. */
export function createSignInPage(deps: FirstPageDeps): FormPage {
  const { signInByForm, passkeys, offerPasskey, pages, sessions, browsers, base } = deps
  return {
    page: 'sign-in',

    async view({ request }, form, typed, _request, unknownPasskey) {
      const client = clientOnPage(request.client, request.redirectUri)
      const username = typed.text('username') || (request.loginHint ?? '')
      return (texts) => ({
        page: 'sign-in',
        client,
        form,
        username,
        stay: typed.has('stay'),
        forgotten: null,
        register: null,
        mayCancel: true,
        passkey:
          passkeys === null ? null : signInPart(passkeys, base, texts, unknownPasskey ?? null),
      })
    },

    async submit(visit, fields, request) {
      const stay = fields.has('stay')
      const from = formVisit(visit, request)
      const outcome =
        passkeys !== null && fields.has('passkey')
          ? await signInByForm.byPasskey({ passkey: fields.text('passkey'), stay }, from)
          : await signInByForm.byPassword({ ...typedIn(fields), stay }, from)
      // The script says so of a device that has passkeys of its own.
      const offer = fields.has('capable') ? offerPasskey : null
      return settleSignIn({ pages, sessions, browsers, base, offer }, outcome, visit, request)
    },
  }
}

function typedIn(fields: FormFields) {
  return { username: fields.text('username'), password: fields.text('password') }
}

function signInPart(
  { part, server }: PagePasskeys,
  { href }: URL,
  texts: PageTexts,
  unknown: string | null,
): SafeHtml {
  const renew = `${href.replace(/\/$/, '')}/auth/passkey/options`
  const options = server.signInOptions()
  const asked = { ceremony: 'get', options, label: 'passkey.sign-in', isAlone: false } as const
  return part({ ...asked, renew, unknown }, texts)
}

/** A visit as the sign-in sees it. */
export function formVisit(
  { binding, flow }: PageVisit,
  { context, hungUp, setHeaders }: EndpointRequest,
): FormVisit {
  return { binding, flow, context, hungUp, setHeaders }
}

/** What a page does with what became of its sign-in: keeps the session, or says what is next. */
export async function settleSignIn(
  deps: SettleDeps,
  outcome: FormSignIn,
  visit: PageVisit,
  request: EndpointRequest,
): Promise<Submitted> {
  switch (outcome.outcome) {
    case 'signed-in':
      return { next: 'answer', answer: await signedIn(deps, outcome, visit, request) }
    case 'factor-due':
      return { next: 'answer', answer: goTo(deps, 'second-factor', visit, outcome.flow) }
    case 'start-over':
      return { next: 'start-over' }
    case 'wrong': {
      const { status, unknownPasskey } = outcome
      const unknown = unknownPasskey === undefined ? {} : { unknownPasskey }
      return { next: 'again', status, fault: faultOf(outcome), ...unknown }
    }
    default:
      return { next: 'again', status: outcome.status, fault: faultOf(outcome) }
  }
}

async function signedIn(
  { pages, sessions, browsers, base, offer = null }: SettleDeps,
  { loggedIn, stay, flow }: Extract<FormSignIn, { outcome: 'signed-in' }>,
  { asked }: PageVisit,
  { incoming, context }: EndpointRequest,
): Promise<TextAnswer> {
  const { session, token: value, expiresIn, mustEnrol } = loggedIn
  await endUnlessKept(sessions, session, context, async () => {
    const earlier = await findSessionOfCookie(pages, sessions, incoming)
    if (earlier !== null) await sessions.end(earlier, 'logout', context)
  })
  const kept = { of: pages.cookie, value, maxAge: stay ? expiresIn : null }
  const cookies = [kept, browsers.forgotten]
  const offered = offer === null || mustEnrol ? null : await offer(incoming, session)
  if (offered !== null)
    return seeOther(pageAddress(base, 'passkey', { ...asked, flow }), [...cookies, offered])
  return seeOther(pageAddress(base, 'authorize', { ...asked, flow }), cookies)
}

function goTo(
  { base }: Pick<SettleDeps, 'base'>,
  page: PageName,
  { asked }: PageVisit,
  flow: string,
): TextAnswer {
  return seeOther(pageAddress(base, page, { ...asked, flow }))
}

function faultOf(outcome: Extract<FormSignIn, { status: unknown }>): FormFault {
  switch (outcome.outcome) {
    case 'later': {
      const { status, retryAfter } = outcome
      return { kind: status === 429 ? 'throttled' : 'busy', retryAfter }
    }
    case 'refused':
      return { kind: 'refused', message: outcome.message }
    case 'wrong':
      return { kind: outcome.text === 'fault.wrong-passkey' ? 'wrong-passkey' : 'wrong' }
    default:
      return { kind: 'wrong' }
  }
}
