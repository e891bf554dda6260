import type { TextAnswer } from '../http/answer.js'
import { addressAt } from '../oauth/base-url.js'
import type { FormFields, FormPage, Submitted } from '../pages/form-page.js'
import {
  type AccountElsewhere,
  type AccountOnPage,
  accountOf,
  button,
  type ClientOnPage,
  choice,
  faultPart,
  field,
  formOf,
  type PageForm,
  passkeyPart,
  revealPassword,
  stayTick,
  unspelt,
} from '../pages/form-parts.js'
import { attributes, type HtmlValue, html, type SafeHtml } from '../pages/html.js'
import type { PageContent, PageShell } from '../pages/layout.js'
import { leadsToSignIn } from '../pages/next-page.js'
import {
  type PageName,
  type PageRequest,
  pageAddress,
  providerAddress,
} from '../pages/page-request.js'
import { assetAddress, withRequest } from '../pages/page-site.js'
import { clientOf, type PageVisit } from '../pages/page-visit.js'
import { endEarlier } from '../pages/renew-cookie.js'
import { seeOther } from '../pages/show-page.js'
import type { PageTexts } from '../pages/texts.js'
import type { PasskeysKit } from '../passkeys/passkey-kit.js'
import { optionsForAnybody } from '../passkeys/sign-in-by-passkey.js'
import type { ProvidersKit } from '../provider-sign-in/provider-kit.js'
import { labelOfTicket } from '../provider-sign-in/provider-pages.js'
import type { BrowserKit } from './browser-kit.js'
import { offerPasskey } from './passkeys-page.js'
import {
  type FormSignIn,
  type FormVisit,
  signInByPasskey,
  signInByPassword,
} from './sign-in-by-form.js'

/** `/oauth/sign-in`: name and password, or a passkey. */
export function createSignInPage(kit: BrowserKit): FormPage {
  const { passkeysKit } = kit
  return {
    page: 'sign-in',

    async view(visit, form, typed, unknownPasskey) {
      const { goal, found, decision, flow, asked } = visit
      const again = form.fault?.kind === 'other-account' ? '' : presentName(visit)
      const isOther = form.fault?.kind === 'other-account' && !leadsToSignIn(decision, flow)
      const byProvider = await providersOf(kit, visit)
      const isOnly = byProvider.password === 'none'
      const view = {
        client: clientOf(goal),
        form,
        account: found !== null && isOther ? accountOf(found) : null,
        username: again || typed.text('username') || hintOf(visit),
        isAgain: again !== '',
        stay: typed.has('stay'),
        ...(isOnly ? noOtherWays : otherWays(kit, asked)),
        ...byProvider,
        directories: kit.directoryNames,
        mayCancel: true,
      }
      return (shell) => {
        const passkey =
          passkeysKit === undefined || isOnly
            ? null
            : signInPart(kit, passkeysKit, shell, unknownPasskey ?? null)
        return signInPage({ ...view, passkey }, shell)
      }
    },

    async submit(visit, fields) {
      const stay = fields.has('stay')
      const from = formVisit(kit, visit)
      const result =
        passkeysKit !== undefined && fields.has('passkey')
          ? await signInByPasskey(kit, { passkey: fields.text('passkey'), stay }, from)
          : await signInByPassword(kit, { ...typedIn(fields), stay }, from)
      // The script sets `capable` on a device with its own authenticator.
      return settleSignIn(kit, result, visit, fields.has('capable'))
    },
  }
}

type OtherWays = Pick<SignInView, 'forgotten' | 'register' | 'byCode'>

const noOtherWays: OtherWays = { forgotten: null, register: null, byCode: null }

function otherWays(kit: BrowserKit, asked: PageVisit['asked']): OtherWays {
  const { emailSignInKit } = kit
  const isByMail = emailSignInKit?.accountsOptions.phones?.signIn !== true
  const code = { href: pageAddress(kit.baseUrl, 'code', asked), isByMail }
  return {
    forgotten: forgottenOf(kit, asked),
    register: registerOf(kit, asked),
    byCode: emailSignInKit === undefined ? null : code,
  }
}

function hintOf({ goal }: PageVisit): string {
  return goal.kind === 'client' ? (goal.request.loginHint ?? '') : ''
}

// A user who signs in again for a page of this origin need not type the name.
function presentName({ goal, found, flow }: PageVisit): string {
  const isAnother = flow?.done.includes('other_account') === true
  if (goal.kind === 'client' || found === null || isAnother) return ''
  return found.approved.user.username
}

function typedIn(fields: FormFields) {
  return { username: fields.text('username'), password: fields.text('password') }
}

function signInPart(
  { baseUrl }: BrowserKit,
  passkeysKit: PasskeysKit,
  shell: PageShell,
  unknown: string | null,
): SafeHtml {
  const renew = addressAt(baseUrl, '/auth/passkey/options')
  const options = optionsForAnybody(passkeysKit)
  const asked = { ceremony: 'get', options, label: 'passkey.sign-in', isAlone: false } as const
  return passkeyPart({ ...asked, renew, unknown }, shell)
}

async function providersOf(
  kit: BrowserKit,
  visit: PageVisit,
): Promise<Pick<SignInView, 'providers' | 'password' | 'connects'>> {
  const { providersKit } = kit
  if (providersKit === undefined) return { providers: [], password: 'shown', connects: null }
  const { only, passwordFor } = providersKit.providersOptions
  const waiting = await waitingAccount(providersKit, visit)
  // A user who finds the page open need not connect an account that somebody else has left there.
  const other = pageAddress(kit.baseUrl, 'sign-in', { ...visit.asked, flow: null })
  const password = !only ? 'shown' : passwordFor !== undefined ? 'folded' : 'none'
  const providers = providerButtons(kit, providersKit, visit.asked)
  return { providers, password, connects: waiting && { ...waiting, other } }
}

/** The account of a provider that waits for a user; null without. */
export async function waitingAccount(
  kit: ProvidersKit,
  { flow, request }: PageVisit,
): Promise<{ readonly provider: string; readonly account: string } | null> {
  const { vouched } = flow ?? {}
  if (vouched?.connects !== true) return null
  const account = await labelOfTicket(kit, vouched.ticket, request)
  const provider = kit.providerOf(vouched.provider)?.name ?? vouched.provider
  return account === null ? null : { provider, account }
}

// They lead on with the request.
function providerButtons(
  { pageSite, providerLogos, baseUrl }: BrowserKit,
  { list }: ProvidersKit,
  asked: Pick<PageRequest, 'raw' | 'language'>,
): readonly ProviderButton[] {
  return list.map(({ id, name }) => {
    const file = providerLogos.get(id)
    const logo = file === undefined ? null : assetAddress(pageSite, file)
    return { name, logo, href: providerAddress(baseUrl, id, asked) }
  })
}

/** A button that leads to a provider. */
export interface ProviderButton {
  readonly name: string
  readonly href: string
  /** The URL of its picture; null without. */
  readonly logo: string | null
}

// The host's own page wins over ours.
function forgottenOf(kit: BrowserKit, { raw, language }: PageVisit['asked']): string | null {
  const { forgotPassword } = kit.pageSite.links
  if (forgotPassword !== null) return withRequest(forgotPassword, { raw })
  if (kit.offered?.passwords === undefined) return null
  return pageAddress(kit.baseUrl, 'account/forgot', { raw, language, flow: null })
}

function registerOf(kit: BrowserKit, { raw, language }: PageVisit['asked']): string | null {
  const { register } = kit.pageSite.links
  if (register !== null) return withRequest(register, { raw })
  if (!kit.isRegistrationOpen) return null
  return pageAddress(kit.baseUrl, 'account/register', { raw, language, flow: null })
}

/** The visit in the form for the sign-in. */
export function formVisit(
  { rememberedCookie }: BrowserKit,
  { binding, flow, request, goal, found }: PageVisit,
): FormVisit {
  const { incoming, context, aborted, setHeaders } = request
  // An account of a provider is connected after a sign-in with every factor. Who has signed in
  // without the code is here again for what needs it, such as another address.
  const isAgain = found?.signIn.isRemembered === true
  const isAsked = isAgain || asksForMore(goal) || flow?.vouched?.connects === true
  const rememberToken = isAsked ? null : (rememberedCookie?.read(incoming) ?? null)
  return { incoming, binding, flow, context, aborted, setHeaders, rememberToken }
}

// Somebody who asks for a sign-in now, or for two factors, gets them.
function asksForMore(goal: PageVisit['goal']): boolean {
  if (goal.kind === 'page') return goal.maxAge !== null
  const { acrValues, maxAge, prompt } = goal.request
  return (
    maxAge !== null || prompt.includes('login') || acrValues.some((acr) => acr !== 'urn:mar:1fa')
  )
}

/**
 * Turns the result of a sign-in into the result of its page: sets the cookie and leads on, or shows
 * the next page.
 */
export async function settleSignIn(
  kit: BrowserKit,
  result: FormSignIn,
  visit: PageVisit,
  offersPasskey = false,
): Promise<Submitted> {
  switch (result.next) {
    case 'signed-in':
      return { next: 'answer', answer: await signedIn(kit, result, visit, offersPasskey) }
    case 'factor-due':
      return { next: 'answer', answer: goTo(kit, 'second-factor', visit, result.flow) }
    default:
      return result
  }
}

async function signedIn(
  kit: BrowserKit,
  { loggedIn, stay, flow }: Extract<FormSignIn, { next: 'signed-in' }>,
  { asked, request }: PageVisit,
  offersPasskey: boolean,
): Promise<TextAnswer> {
  const { session, token: value, expiresIn, required } = loggedIn
  await endEarlier(kit, session, request)
  const kept = { of: kit.pages.cookie, value, maxAge: stay ? expiresIn : null }
  const isOffered = offersPasskey && required.length === 0
  const offered = isOffered ? await offerPasskey(kit, request.incoming, session) : null
  const page = offered === null ? 'authorize' : 'passkey'
  const { rememberToken: token } = loggedIn
  const remembered = token === null ? null : keptToken(kit, token)
  const cookies = [kept, offered, remembered].filter((cookie) => cookie !== null)
  return seeOther(pageAddress(kit.baseUrl, page, { ...asked, flow }), cookies)
}

function keptToken({ rememberedCookie: of, rememberedBrowsers }: BrowserKit, value: string) {
  if (of === null || rememberedBrowsers === undefined) return null
  return { of, value, maxAge: rememberedBrowsers.days * 24 * 60 * 60 }
}

/** Leads to a page with a flow. */
export function goTo(
  { baseUrl }: BrowserKit,
  page: PageName,
  { asked }: PageVisit,
  flow: string,
): TextAnswer {
  return seeOther(pageAddress(baseUrl, page, { ...asked, flow }))
}

/** Name and password on one page, since password managers fill in one form. */
export interface SignInView {
  /** Null without an app. */
  readonly client: ClientOnPage | null
  readonly form: PageForm
  /** The typed name, or the client's hint; empty without. */
  readonly username: string
  /** Whether the user who is signed in here does it anew, or takes the choice `other`. */
  readonly isAgain: boolean
  /** Whether the checkbox is set, by the user's earlier choice. */
  readonly stay: boolean
  /**
   * The account that has signed in since the page was shown, if it may continue, with a button
   * `name="choice" value="continue"`. Null without.
   */
  readonly account: AccountOnPage | null
  /** The pages for a forgotten password, a new account and a mailed code; null without. */
  readonly forgotten: string | null
  readonly register: string | null
  readonly byCode: { readonly href: string; readonly isByMail: boolean } | null
  /** The names of the directories that have passwords; empty without. */
  readonly directories: readonly string[]
  /** In the order of their buttons; empty without. They are links. */
  readonly providers: readonly ProviderButton[]
  /**
   * `none`: providers are the only way in, so there is no form. `folded`: for some users there is
   * another way.
   */
  readonly password: 'shown' | 'folded' | 'none'
  /**
   * The account of a provider that the user is asked to connect after signing in, and the address
   * of the page without that account; null without one.
   */
  readonly connects: (AccountElsewhere & { readonly other: string }) | null
  /** Whether the form offers a way back to the client. */
  readonly mayCancel: boolean
  /**
   * Markup for the form, below the button; null without passkeys. Its own button is hidden until
   * its script finds that the browser supports passkeys.
   */
  readonly passkey: SafeHtml | null
}

/**
 * One form with both fields: password managers do not fill forms on two pages.
 *
 * @internal
 */
export function signInPage(
  view: SignInView,
  { texts, brand, passwordScript, passkeyScript }: PageShell,
): PageContent {
  const { form } = view
  const content = [
    username(view, texts),
    password(view, texts, passwordScript),
    stayTick(view.stay, texts),
    button(texts.html('sign-in.submit')),
    view.passkey,
  ]
  return {
    title: 'sign-in.title',
    isFaulty: form.fault !== null,
    body: html`${lead(view, brand.name, texts)}
${connecting(view, texts)}${ways(view, content, texts)}${other(view, texts)}${cancel(view, texts)}`,
    scripts: [view.password === 'none' ? null : passwordScript, view.passkey && passkeyScript],
  }
}

// The way that most users take comes first.
function ways(view: SignInView, content: HtmlValue, texts: PageTexts): SafeHtml {
  const { form, password: fields } = view
  const byProvider = view.providers.map((one) => providerButton(one, texts))
  const signedIn = goOn(view, texts)
  if (fields === 'none')
    return html`${faultPart(form.fault, texts, 'sign-in.wrong')}${byProvider}${signedIn}`
  const typed = html`${formOf(form, texts, 'sign-in.wrong', content, true)}
`
  const links = elsewhere(view, texts)
  if (fields === 'shown') return html`${typed}${signedIn}${links}${byProvider}`
  const open = attributes({ open: form.fault !== null })
  return html`${byProvider}<details${open}><summary>${texts.html('sign-in.by-password')}</summary>
${typed}${links}</details>
${signedIn}`
}

function providerButton({ name, href, logo }: ProviderButton, texts: PageTexts): SafeHtml {
  const picture = logo && html`<img${attributes({ src: logo, alt: '', width: 20, height: 20 })}> `
  const label = texts.html('sign-in.provider', { provider: name })
  return html`<p><a class="button plain" href="${href}">${picture}${label}</a></p>
`
}

function connecting({ connects }: SignInView, texts: PageTexts): SafeHtml | null {
  if (connects === null) return null
  const { provider, account, other } = connects
  return html`<p class="note" role="status">${texts.html('sign-in.connects', { provider, account })}
<a href="${other}">${texts.html('sign-in.not-mine')}</a></p>
`
}

// Null for the service's own app, whose name is above the heading.
function lead({ client, isAgain }: SignInView, service: string, texts: PageTexts) {
  if (client?.name === service) return null
  const text =
    client === null
      ? texts.html(isAgain ? 'sign-in.lead-again' : 'sign-in.lead')
      : texts.html('sign-in.lead-client', { client: client.name })
  return html`<p class="lead">${text}</p>
`
}

function isWrong({ form }: SignInView): boolean {
  return form.fault?.kind === 'wrong'
}

function username(view: SignInView, texts: PageTexts): SafeHtml {
  const given = {
    type: 'text',
    value: view.username,
    // `webauthn` must be last: https://www.w3.org/TR/webauthn-3/#sctn-autofill
    autocomplete: 'username webauthn',
    ...unspelt,
    required: true,
    readonly: view.isAgain,
    autofocus: view.form.fault === null && view.username === '',
  }
  return field(
    {
      id: 'username',
      name: 'username',
      label: view.directories.length > 0 ? 'sign-in.directory-username' : 'sign-in.username',
      labelParts: { directories: view.directories.join(', ') },
      isFaulty: isWrong(view),
      attributes: given,
    },
    texts,
  )
}

// No `maxlength`, which would silently truncate a pasted password.
function password(view: SignInView, texts: PageTexts, script: string): SafeHtml {
  const given = {
    type: 'password',
    autocomplete: 'current-password',
    // While it is revealed, some browsers would send its text to a spelling checker.
    ...unspelt,
    required: true,
    autofocus: isWrong(view) || (view.form.fault === null && view.username !== ''),
  }
  return field(
    {
      id: 'current-password',
      name: 'password',
      label: 'sign-in.password',
      isFaulty: isWrong(view),
      attributes: given,
      after: revealPassword('current-password', texts, script),
    },
    texts,
  )
}

function elsewhere({ byCode, forgotten, register }: SignInView, texts: PageTexts): SafeHtml | null {
  if (byCode === null && forgotten === null && register === null) return null
  const links = [
    byCode &&
      html`<a href="${byCode.href}">${texts.html(
        byCode.isByMail ? 'sign-in.by-code' : 'code-any.title',
      )}</a>`,
    forgotten && html`<a href="${forgotten}">${texts.html('sign-in.forgotten')}</a>`,
    register && html`<a href="${register}">${texts.html('sign-in.register')}</a>`,
  ]
  return html`<p class="links">${links}</p>
`
}

// A user who has signed in in another tab need not type anything.
function goOn({ account, form }: SignInView, texts: PageTexts): SafeHtml | null {
  if (account === null) return null
  const label = texts.html('sign-in.continue', { account: html`<bdi>${account.name}</bdi>` })
  return html`<form method="post" action="${form.action}" class="aside">
${form.hidden}${button(label, choice('continue', 'plain'))}
</form>
`
}

function cancel({ client, form, mayCancel }: SignInView, texts: PageTexts): SafeHtml | null {
  if (client === null || !mayCancel) return null
  return leave(form, 'cancel', texts.html('sign-in.cancel', { client: client.name }))
}

function other({ isAgain, form }: SignInView, texts: PageTexts): SafeHtml | null {
  return isAgain ? leave(form, 'other', texts.html('continue.other')) : null
}

// Its own form, so that the typed fields are not sent.
function leave(form: SignInView['form'], value: string, label: SafeHtml): SafeHtml {
  return html`<form method="post" action="${form.action}" class="aside">
${form.hidden}${button(label, choice(value, 'link'))}
</form>`
}
