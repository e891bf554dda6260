import { newRecoveryCodesFor, switchOffTotp, switchOnTotp, type TotpKit } from '../account/totp.js'
import { isWrongPassword, presentIn, refusalOf } from '../accounts/address-pages.js'
import { type Channel, provenIn } from '../accounts/channel.js'
import { nothingShown } from '../accounts/new-password.js'
import { presentField } from '../accounts/password-page.js'
import { type SentCodesKit, switchSentCodes } from '../accounts/switch-sent-codes.js'
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
  const kits = sentCodesKits(offered)
  const [app = null, ...sent] = await Promise.all([
    totpKit?.enrolment.status(userId),
    ...kits.map((one) => sentCodesOf(one, userId)),
  ] as const)
  return { app, sent }
}

function sentCodesKits(offered: BrowserKit['offered']): readonly SentCodesKit[] {
  return [offered?.emailFactor, offered?.phoneFactor].filter((one) => one !== undefined)
}

async function sentCodesOf(
  { contacts, channel }: SentCodesKit,
  userId: string,
): Promise<SentCodesOnPage> {
  const contact = await contacts.findContact(userId)
  const verified = provenIn(channel, contact) !== null
  return { channel: channel.name, enabled: channel.hasFactor(contact), verified }
}

/** `/account/second-factor`: the authenticator app, and codes by mail or text message. */
export function createFactorPage(kit: BrowserKit): AccountFormPage {
  const { totpKit } = kit
  const sentCodes = sentCodesKits(kit.offered)
  return {
    page: 'account/second-factor',
    needsFresh: true,

    view: async (found, form) => (await contentOf(kit, found, null))(form),

    async submit(asking) {
      const { found, fields } = asking
      const choice = fields.text('choice')
      const [name, isOn] = choice.split('-')
      const ofChannel = sentCodes.find(({ channel }) => channel.name === name)
      if (ofChannel !== undefined && (isOn === 'on' || isOn === 'off'))
        return switchSent(kit, ofChannel, asking, isOn)
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
  const { emails, phones } = kit.offered ?? {}
  const page = (channel: Channel['name'], isThere: boolean) =>
    isThere ? plainAddress(kit, `account/${channel}`) : null
  const shown = {
    account: accountOf(found),
    ...(await factorOf(kit, found.session.userId)),
    asksPassword: await kit.owesPassword(found.approved.user),
    done,
    prove: {
      email: page('email', emails !== undefined),
      phone: page('phone', phones !== undefined),
    },
    back: plainAddress(kit, 'account'),
  }
  return (form) => (shell) => accountFactorPage({ ...shown, form }, shell)
}

async function switchSent(
  kit: BrowserKit,
  sentCodes: SentCodesKit,
  asking: Asking,
  state: 'on' | 'off',
): Promise<Changed> {
  const { found, user } = asking
  const isOn = state === 'on'
  return change(kit, asking, async () => {
    try {
      const given = { enabled: isOn, proof: nothingShown }
      await switchSentCodes(sentCodes, user, given, asking.request)
    } catch (error) {
      if (!(error instanceof AuthError && error.code === 'invalid-request')) throw error
      // The address has lost its proof since the page was shown.
      return asking.show(await contentOf(kit, found, null), staleForm)
    }
    return asking.show(await contentOf(kit, found, `${sentCodes.channel.name}-${state}`))
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
  readonly done: `${Channel['name']}-${'on' | 'off'}` | null
  /** The pages to prove the addresses; null without. */
  readonly prove: Readonly<Record<Channel['name'], string | null>>
}

/** The state of the user's second factor. */
export interface FactorOnPage {
  /** Null if the host has no store of second factors. */
  readonly app: AppFactorOnPage | null
  /** Codes by mail and by text message, as the host offers them. */
  readonly sent: readonly SentCodesOnPage[]
}

/** Codes by mail, or by text message. */
export interface SentCodesOnPage {
  readonly channel: Channel['name']
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
 * The authenticator app: set up, or its codes and its end. Below it, codes that are sent.
 *
 * @internal
 */
export function accountFactorPage(view: AccountFactorView, { texts }: PageShell): PageContent {
  const { account, form, app, sent, done, back } = view
  const isForm = app !== null || sent.some(({ enabled, verified }) => enabled || verified)
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
}${isForm ? forms(view, texts) : sent.map((one) => ofSent(view, one, texts))}
${backTo(back, texts)}`,
  }
}

// A password that is asked for stands in a form of its own: mailed codes go without it.
function forms(view: AccountFactorView, texts: PageTexts): HtmlValue {
  const { account, form, app, sent, asksPassword } = view
  const codes = sent.length === 0 ? null : sent.map((one) => ofSent(view, one, texts))
  if (app === null || app.enabled || !asksPassword)
    return formOf(form, texts, 'fault.stale', [app && ofApp(app, texts), codes])
  const present = presentField(form.fault?.kind === 'wrong', texts)
  const content = [hiddenUsername(account.username), present, ofApp(app, texts)]
  return [
    formOf(form, texts, 'new-password.wrong-present', content, true),
    codes &&
      html`
<form method="post" action="${form.action}">
${form.hidden}${codes}
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

function ofSent(
  { app, sent, prove }: AccountFactorView,
  one: SentCodesOnPage,
  texts: PageTexts,
): HtmlValue {
  const { channel, enabled, verified } = one
  const isAlone = app === null && sent.length === 1
  const title = isAlone
    ? null
    : html`<h2>${texts.html(`account-factor.${channel}`)}</h2>
`
  const state = html`${title}<p>${sentCodesText(one, texts)}</p>
`
  if (enabled) {
    const given = choice(`${channel}-off`, 'danger')
    const off = button(texts.html(`account-factor.${channel}-off`), given)
    return [state, off, hint('account-factor.off-help', texts)]
  }
  if (verified) {
    const on = button(texts.html(`account-factor.${channel}-on`), choice(`${channel}-on`))
    const helps = [`account-factor.${channel}-on-help`, 'account-factor.off-help'] as const
    return [state, on, helps.map((key) => hint(key, texts))]
  }
  const words = texts.html(`account-factor.${channel}-prove`)
  const href = prove[channel]
  const link = href === null ? words : html`<a href="${href}">${words}</a>`
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

/** The state of sent codes in words. */
export function sentCodesText(
  { channel, enabled }: Pick<SentCodesOnPage, 'channel' | 'enabled'>,
  texts: PageTexts,
): SafeHtml {
  return texts.html(`account.${channel}-factor-${enabled ? 'on' : 'off'}`)
}
