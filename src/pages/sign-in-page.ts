import type { TextAnswer } from '../http/answer.js'
import type { EndpointRequest } from '../http/endpoint.js'
import type { Pages } from '../http/page-origin.js'
import { addressAt } from '../oauth/base-url.js'
import { endUnlessKept, findSessionOfCookie } from '../sessions/browser-session.js'
import type { Sessions } from '../sessions/sessions.js'
import type { OfferPasskey } from './add-passkey-page.js'
import { accountOf } from './consent-page.js'
import type { FormFields, FormPage, Submitted } from './form-page.js'
import { clientOf } from './goal.js'
import type { SafeHtml } from './html.js'
import type { EmailSignInOnPages } from './mailed-login.js'
import { leadsToSignIn } from './next-page.js'
import type { PagePasskeys } from './page-passkeys.js'
import type { PageProviders, ProvidersOnPages } from './page-providers.js'
import { type PageName, pageAddress } from './page-request.js'
import { type PageSite, withRequest } from './page-site.js'
import type { PageVisit } from './page-visit.js'
import { seeOther } from './show-page.js'
import type { FormSignIn, FormVisit, SignInByForm } from './sign-in-by-form.js'
import type { PageTexts } from './texts.js'
import type { SignInView } from './view.js'

export interface SignInPageDeps {
  readonly pages: Pick<Pages, 'cookie'>
  readonly sessions: Pick<Sessions, 'findBySecret' | 'end'>
  /** The address of the router for browsers. */
  readonly baseUrl: URL
  readonly signInByForm: SignInByForm
  /** Undefined without the option `passkeys`. */
  readonly passkeys: PagePasskeys | undefined
  /** Whether there is a page of ours for forgotten passwords. */
  readonly hasForgotPage: boolean
  /** Undefined without the option `accounts.emailSignIn`. */
  readonly emailSignInOnPages: EmailSignInOnPages | undefined
  /** Whether everybody can make an account. */
  readonly isRegistrationOpen: boolean
  /** The host's pages for users who cannot sign in. */
  readonly pageSite: Pick<PageSite, 'links'>
  /** Undefined without the option `passkeys`. */
  readonly offerPasskey: OfferPasskey | undefined
  /** Undefined without the option `providers`. */
  readonly providers: PageProviders | undefined
}

/** `/oauth/sign-in`: name and password, or a passkey. */
export function createSignInPage(deps: SignInPageDeps): FormPage {
  const { signInByForm, passkeys, offerPasskey, baseUrl } = deps
  return {
    page: 'sign-in',

    async view(visit, form, typed, request, unknownPasskey) {
      const { goal, found, decision, flow, asked } = visit
      const client = clientOf(goal)
      const again = form.fault?.kind === 'other-account' ? '' : presentName(visit)
      const username = again || typed.text('username') || hintOf(visit)
      const isOther = form.fault?.kind === 'other-account' && !leadsToSignIn(decision, flow)
      const account = found !== null && isOther ? accountOf(found) : null
      const byProvider = await providersOf(deps, visit, request)
      const isOnly = byProvider.password === 'none'
      return (texts) => ({
        page: 'sign-in',
        client,
        form,
        account,
        username,
        isAgain: again !== '',
        stay: typed.has('stay'),
        ...(isOnly ? noOtherWays : otherWays(deps, asked)),
        ...byProvider,
        mayCancel: true,
        passkey:
          passkeys === undefined || isOnly
            ? null
            : signInPart(passkeys, baseUrl, texts, unknownPasskey ?? null),
      })
    },

    async submit(visit, fields, request) {
      const stay = fields.has('stay')
      const from = formVisit(visit, request)
      const result =
        passkeys !== undefined && fields.has('passkey')
          ? await signInByForm.byPasskey({ passkey: fields.text('passkey'), stay }, from)
          : await signInByForm.byPassword({ ...typedIn(fields), stay }, from)
      // The script sets `capable` on a device with its own authenticator.
      const offer = fields.has('capable') ? offerPasskey : undefined
      return settleSignIn(deps, result, visit, request, offer)
    },
  }
}

type OtherWays = Pick<SignInView, 'forgotten' | 'register' | 'byCode'>

const noOtherWays: OtherWays = { forgotten: null, register: null, byCode: null }

function otherWays(deps: SignInPageDeps, asked: PageVisit['asked']): OtherWays {
  const hasCodes = deps.emailSignInOnPages !== undefined
  return {
    forgotten: forgottenOf(deps, asked),
    register: registerOf(deps, asked),
    byCode: hasCodes ? pageAddress(deps.baseUrl, 'code', asked) : null,
  }
}

function hintOf({ goal }: PageVisit): string {
  return goal.kind === 'client' ? (goal.request.loginHint ?? '') : ''
}

// Whoever signs in again for a page of this origin need not type the name.
function presentName({ goal, found, flow }: PageVisit): string {
  const isAnother = flow?.done.includes('other_account') === true
  if (goal.kind === 'client' || found === null || isAnother) return ''
  return found.approved.user.username
}

function typedIn(fields: FormFields) {
  return { username: fields.text('username'), password: fields.text('password') }
}

function signInPart(
  { part, server }: PagePasskeys,
  baseUrl: URL,
  texts: PageTexts,
  unknown: string | null,
): SafeHtml {
  const renew = addressAt(baseUrl, '/auth/passkey/options')
  const options = server.signInOptions()
  const asked = { ceremony: 'get', options, label: 'passkey.sign-in', isAlone: false } as const
  return part({ ...asked, renew, unknown }, texts)
}

async function providersOf(
  { providers, baseUrl }: SignInPageDeps,
  { asked, flow }: PageVisit,
  request: EndpointRequest,
): Promise<Pick<SignInView, 'providers' | 'password' | 'connects'>> {
  if (providers === undefined) return { providers: [], password: 'shown', connects: null }
  const { server, buttonsFor } = providers
  const { only, somePasswords } = server
  const waiting = await waitingAccount(server, flow, request)
  // Whoever finds the page open need not connect what somebody else has left there.
  const other = pageAddress(baseUrl, 'sign-in', { ...asked, flow: null })
  const password = !only ? 'shown' : somePasswords ? 'folded' : 'none'
  return { providers: buttonsFor(asked), password, connects: waiting && { ...waiting, other } }
}

/** The account of a provider that waits for a user; null without. */
export async function waitingAccount(
  { list, labelOf }: Pick<ProvidersOnPages, 'list' | 'labelOf'>,
  flow: PageVisit['flow'],
  request: EndpointRequest,
): Promise<{ readonly provider: string; readonly account: string } | null> {
  const { vouched } = flow ?? {}
  if (vouched?.connects !== true) return null
  const account = await labelOf(vouched.ticket, request)
  const provider = list.find(({ id }) => id === vouched.provider)?.name ?? vouched.provider
  return account === null ? null : { provider, account }
}

// The host's own page wins over ours.
function forgottenOf(
  { pageSite, hasForgotPage, baseUrl }: SignInPageDeps,
  { raw, language }: PageVisit['asked'],
): string | null {
  const { forgotPassword } = pageSite.links
  if (forgotPassword !== null) return withRequest(forgotPassword, { raw })
  return hasForgotPage
    ? pageAddress(baseUrl, 'account/forgot', { raw, language, flow: null })
    : null
}

function registerOf(
  { pageSite, isRegistrationOpen, baseUrl }: SignInPageDeps,
  { raw, language }: PageVisit['asked'],
): string | null {
  const { register } = pageSite.links
  if (register !== null) return withRequest(register, { raw })
  return isRegistrationOpen
    ? pageAddress(baseUrl, 'account/register', { raw, language, flow: null })
    : null
}

/** The visit in the form for the sign-in. */
export function formVisit(
  { binding, flow }: PageVisit,
  { incoming, context, aborted, setHeaders }: EndpointRequest,
): FormVisit {
  return { incoming, binding, flow, context, aborted, setHeaders }
}

/**
 * Turns the result of a sign-in into the result of its page: sets the cookie and leads on, or shows
 * the next page.
 */
export async function settleSignIn(
  deps: SignInPageDeps,
  result: FormSignIn,
  visit: PageVisit,
  request: EndpointRequest,
  offer?: OfferPasskey,
): Promise<Submitted> {
  switch (result.next) {
    case 'signed-in':
      return { next: 'answer', answer: await signedIn(deps, result, visit, request, offer) }
    case 'factor-due':
      return { next: 'answer', answer: goTo(deps, 'second-factor', visit, result.flow) }
    default:
      return result
  }
}

async function signedIn(
  { pages, sessions, baseUrl }: SignInPageDeps,
  { loggedIn, stay, flow }: Extract<FormSignIn, { next: 'signed-in' }>,
  { asked }: PageVisit,
  { incoming, context }: EndpointRequest,
  offer: OfferPasskey | undefined,
): Promise<TextAnswer> {
  const { session, token: value, expiresIn, mustEnrol } = loggedIn
  await endUnlessKept(sessions, session, context, async () => {
    const earlier = await findSessionOfCookie(pages, sessions, incoming)
    if (earlier !== null) await sessions.end(earlier, 'logout', context)
  })
  const kept = { of: pages.cookie, value, maxAge: stay ? expiresIn : null }
  const offered = offer === undefined || mustEnrol ? null : await offer(incoming, session)
  if (offered !== null)
    return seeOther(pageAddress(baseUrl, 'passkey', { ...asked, flow }), [kept, offered])
  return seeOther(pageAddress(baseUrl, 'authorize', { ...asked, flow }), [kept])
}

/** Leads to a page with a flow. */
export function goTo(
  { baseUrl }: Pick<SignInPageDeps, 'baseUrl'>,
  page: PageName,
  { asked }: PageVisit,
  flow: string,
): TextAnswer {
  return seeOther(pageAddress(baseUrl, page, { ...asked, flow }))
}
