import { newRecoveryCodesFor, switchOffTotp, switchOnTotp, type TotpKit } from '../account/totp.js'
import { isWrongPassword, presentIn, refusalOf } from '../accounts/email-pages.js'
import { provenAddress } from '../accounts/mails.js'
import { nothingShown } from '../accounts/new-password.js'
import { presentField } from '../accounts/password-page.js'
import { type EmailFactorKit, switchEmailFactor } from '../accounts/switch-email-factor.js'
import { AuthError } from '../errors.js'
import type { TextAnswer } from '../http/answer.js'
import type { BrowserUser } from '../oauth/browser-sign-in.js'
import {
  type AccountFormPage,
  type Asking,
  type Changed,
  changedBy,
} from '../pages/account-form.js'
import type { FormFields } from '../pages/form-page.js'
import {
  accountCard,
  accountOf,
  backTo,
  button,
  choice,
  type FormFault,
  formOf,
  hiddenUsername,
  type OwnView,
  type PageForm,
} from '../pages/form-parts.js'
import { type HtmlValue, html, type SafeHtml } from '../pages/html.js'
import type { Content, PageContent, PageShell } from '../pages/layout.js'
import { plainAddress } from '../pages/page-request.js'
import { renewCookie, staleForm, wrongFields } from '../pages/renew-cookie.js'
import type { TextKey } from '../pages/texts/en.js'
import type { PageTexts } from '../pages/texts.js'
import type { BrowserKit } from './browser-kit.js'
import { drawn, enrolPage, typedCode } from './enrolment-page.js'
import { showCodes } from './passkeys-page.js'

/** Reads the state of a user's second factors. Rejects with 503. */
export async function factorOf(
  { totpKit, offered }: BrowserKit,
  userId: string,
): Promise<FactorOnPage> {
  const [app = null, email = null] = await Promise.all([
    totpKit?.enrolment.status(userId),
    offered?.emailFactor && mailedCodesOf(offered.emailFactor, userId),
  ])
  return { app, email }
}

async function mailedCodesOf(
  { contacts }: EmailFactorKit,
  userId: string,
): Promise<EmailFactorOnPage> {
  const contact = await contacts.findContact(userId)
  return { enabled: contact?.emailFactor === true, verified: provenAddress(contact) !== null }
}

/** `/account/second-factor`: the authenticator app, and codes by mail. */
export function createFactorPage(kit: BrowserKit): AccountFormPage {
  const { totpKit } = kit
  const emailFactor = kit.offered?.emailFactor
  return {
    page: 'account/second-factor',
    needsFresh: true,

    view: async (found, form) => (await contentOf(kit, found, null))(form),

    async submit(asking) {
      const { found, fields } = asking
      const choice = fields.text('choice')
      if ((choice === 'email-on' || choice === 'email-off') && emailFactor !== undefined)
        return switchEmail(kit, emailFactor, asking, choice)
      if (totpKit === undefined) return { next: 'open', page: 'account' }
      if (fields.has('code')) return confirm(kit, totpKit, asking)
      const { context } = asking.request
      switch (choice) {
        case 'begin':
          return begin(kit, totpKit, found, fields, asking)
        case 'codes':
          return change(kit, asking, async () =>
            showCodes(asking, await newRecoveryCodesFor(totpKit, found.session, context)),
          )
        case 'off':
          return change(kit, asking, async () => {
            await switchOffTotp(totpKit, found.session, context)
            return asking.open('account/second-factor')
          })
        default:
          return { next: 'open', page: 'account' }
      }
    },
  }
}

async function contentOf(
  kit: BrowserKit,
  found: BrowserUser,
  done: AccountFactorView['done'],
): Promise<(form: PageForm) => Content> {
  const hasEmailPage = kit.offered?.emails !== undefined
  const shown = {
    account: accountOf(found),
    ...(await factorOf(kit, found.session.userId)),
    asksPassword: await kit.owesPassword(found.approved.user),
    done,
    proveAddress: hasEmailPage ? plainAddress(kit, 'account/email') : null,
    back: plainAddress(kit, 'account'),
  }
  return (form) => (shell) => accountFactorPage({ ...shown, form }, shell)
}

async function switchEmail(
  kit: BrowserKit,
  emailFactor: EmailFactorKit,
  asking: Asking,
  choice: 'email-on' | 'email-off',
): Promise<Changed> {
  const { found, user } = asking
  const isOn = choice === 'email-on'
  return change(kit, asking, async () => {
    try {
      const given = { enabled: isOn, proof: nothingShown }
      await switchEmailFactor(emailFactor, user, given, asking.request)
    } catch (error) {
      if (!(error instanceof AuthError && error.code === 'invalid-request')) throw error
      // The address has lost its proof since the page was shown.
      return asking.show(await contentOf(kit, found, null), staleForm)
    }
    return asking.show(await contentOf(kit, found, choice))
  })
}

// A thief of a session who sets up a factor of his own would keep the owner out for good, whatever
// the mailbox says.
async function begin(
  kit: BrowserKit,
  totpKit: TotpKit,
  found: BrowserUser,
  fields: FormFields,
  asking: Asking,
): Promise<Changed> {
  const { user } = found.approved
  try {
    if (await kit.owesPassword(user))
      await kit.provePassword(user.id, presentIn(fields) ?? '', asking.request)
  } catch (error) {
    return changedBy(isWrongPassword(error) ? wrongFields : refusalOf(error, []), asking)
  }
  return { next: 'answer', answer: await showKey(kit, totpKit, asking) }
}

// The key of a session stays the same until it is used, so that a form that comes back fits it.
async function showKey(
  kit: BrowserKit,
  totpKit: TotpKit,
  asking: Asking,
  shown?: { readonly status: number; readonly fault: FormFault },
): Promise<TextAnswer> {
  const { session, user } = asking.user
  const { context } = asking.request
  const { secret, otpauthUri } = await totpKit.enrolment.resume(user, session.id, context)
  const qr = await drawn(kit, otpauthUri)
  const key = { secret, otpauthUri, qr, passkey: null }
  return asking.show((form) => (shell) => enrolPage({ ...key, form }, shell), shown)
}

async function confirm(kit: BrowserKit, totpKit: TotpKit, asking: Asking): Promise<Changed> {
  const { found, fields, request } = asking
  const code = typedCode(fields)
  const submitted = await renewCookie(kit, found, request.incoming, async (beforehand) => {
    const codes = await switchOnTotp(totpKit, found.session, { code, beforehand }, request)
    return { next: 'answer', answer: showCodes(asking, codes) }
  })
  if (submitted.next !== 'again' || submitted.fault.kind !== 'wrong')
    return changedBy(submitted, asking)
  return { next: 'answer', answer: await showKey(kit, totpKit, asking, submitted) }
}

// Every copy of the cookie from before the change dies within seconds.
async function change(
  kit: BrowserKit,
  asking: Asking,
  make: () => Promise<TextAnswer>,
): Promise<Changed> {
  const { found, request } = asking
  const submitted = await renewCookie(kit, found, request.incoming, async (beforehand) => {
    await beforehand()
    return { next: 'answer', answer: await make() }
  })
  return changedBy(submitted, asking)
}

interface AccountFactorView extends FactorOnPage, OwnView {
  /** Whether an authenticator app is set up by the password alone. */
  readonly asksPassword: boolean
  /** The change that the last form has made; null for none. */
  readonly done: 'email-on' | 'email-off' | null
  /** The page to prove the address; null without. */
  readonly proveAddress: string | null
}

/** The state of the user's second factor. */
export interface FactorOnPage {
  /** Null if the host has no store of second factors. */
  readonly app: AppFactorOnPage | null
  /** Null if the host offers no codes by mail. */
  readonly email: EmailFactorOnPage | null
}

/** Codes by mail. */
export interface EmailFactorOnPage {
  readonly enabled: boolean
  /** Whether the user has a proven address, without which it cannot be switched on. */
  readonly verified: boolean
}

/** The authenticator app. */
export interface AppFactorOnPage {
  readonly enabled: boolean
  readonly recoveryCodesLeft: number
}

/**
 * The authenticator app: set up, or its codes and its end. Below it, codes by mail.
 *
 * @internal
 */
export function accountFactorPage(view: AccountFactorView, { texts }: PageShell): PageContent {
  const { account, form, app, email, done, back } = view
  const isForm = app !== null || email?.enabled === true || email?.verified === true
  return {
    title: 'account.factor',
    isFaulty: isForm && form.fault !== null,
    body: html`${accountCard(account)}
${
  done &&
  html`<p class="note" role="status">${texts.html(`account-factor.${done}-done`)}</p>
`
}${
  app &&
  html`<p>${appText(app, texts)}</p>
`
}${isForm ? forms(view, texts) : email && ofEmail(view, email, texts)}
${backTo(back, texts)}`,
  }
}

// A password that is asked for stands in a form of its own: mailed codes go without it.
function forms(view: AccountFactorView, texts: PageTexts): HtmlValue {
  const { account, form, app, email, asksPassword } = view
  const mailed = email && ofEmail(view, email, texts)
  if (app === null || app.enabled || !asksPassword)
    return formOf(form, texts, 'fault.stale', [app && ofApp(app, texts), mailed])
  const present = presentField(form.fault?.kind === 'wrong', texts)
  const content = [hiddenUsername(account.username), present, ofApp(app, texts)]
  return [
    formOf(form, texts, 'new-password.wrong-present', content, true),
    mailed &&
      html`
<form method="post" action="${form.action}">
${form.hidden}${mailed}
</form>`,
  ]
}

function ofApp({ enabled }: AppFactorOnPage, texts: PageTexts): HtmlValue {
  if (!enabled) return button(texts.html('account-factor.begin'), choice('begin'))
  return [
    button(texts.html('account-factor.codes'), choice('codes')),
    hint('account-factor.codes-help', texts),
    button(texts.html('account-factor.off'), choice('off', 'danger')),
    hint('account-factor.off-help', texts),
  ]
}

function ofEmail(
  { app, proveAddress }: AccountFactorView,
  email: EmailFactorOnPage,
  texts: PageTexts,
): HtmlValue {
  const state = html`${
    app &&
    html`<h2>${texts.html('account-factor.email')}</h2>
`
  }<p>${emailFactorText(email, texts)}</p>
`
  if (email.enabled) {
    const off = button(texts.html('account-factor.email-off'), choice('email-off', 'danger'))
    return [state, off, hint('account-factor.off-help', texts)]
  }
  if (email.verified) {
    const on = button(texts.html('account-factor.email-on'), choice('email-on'))
    const helps = ['account-factor.email-on-help', 'account-factor.off-help'] as const
    return [state, on, helps.map((key) => hint(key, texts))]
  }
  const prove = texts.html('account-factor.email-prove')
  const link = proveAddress === null ? prove : html`<a href="${proveAddress}">${prove}</a>`
  return [
    state,
    html`<p>${texts.html('account-factor.email-unproven', { link })}</p>
`,
  ]
}

function hint(key: TextKey, texts: PageTexts): SafeHtml {
  return html`<p class="hint">${texts.html(key)}</p>
`
}

/** The state of the authenticator app in words. */
export function appText(
  { enabled, recoveryCodesLeft }: AppFactorOnPage,
  texts: PageTexts,
): SafeHtml {
  if (!enabled) return texts.html('account.factor-off')
  return texts.html('account.factor-on', { count: String(recoveryCodesLeft) })
}

/** The state of codes by mail in words. */
export function emailFactorText({ enabled }: EmailFactorOnPage, texts: PageTexts): SafeHtml {
  return texts.html(enabled ? 'account.email-factor-on' : 'account.email-factor-off')
}
