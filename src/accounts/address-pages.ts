import { AuthError } from '../errors.js'
import type { EndpointRequest } from '../http/endpoint.js'
import { withReadableDomain } from '../lib/addresses.js'
import { type AccountFormPage, changedBy } from '../pages/account-form.js'
import type { FormFields, Submitted } from '../pages/form-page.js'
import {
  accountCard,
  accountOf,
  backTo,
  button,
  codeField,
  field,
  formOf,
  hiddenUsername,
  type OwnView,
  type PageForm,
  unspelt,
} from '../pages/form-parts.js'
import { html, type SafeHtml } from '../pages/html.js'
import type { Content, PageContent, PageShell } from '../pages/layout.js'
import { plainAddress } from '../pages/page-request.js'
import type { FormsKit } from '../pages/pages-kit.js'
import { refusalOfCode, wrongFields } from '../pages/renew-cookie.js'
import { type NoteView, notePage } from '../pages/show-page.js'
import type { PageTexts } from '../pages/texts.js'
import type { AskingUser } from '../principal/principal.js'
import type { SessionRecord } from '../stores/contract.js'
import type { AuthUser } from '../users/contract.js'
import type { AddressKit } from './accounts-server.js'
import {
  addressOf,
  type CodeSent,
  type ConfirmEmail,
  changeAddress,
  confirmAddress,
  isOfSession,
  verifyAddress,
} from './addresses.js'
import type { Channel } from './channel.js'
import { nothingShown, provePresentOnPage } from './new-password.js'
import { presentField } from './password-page.js'

/** `/account/email` and `/account/phone`: the user's address, proven and changed by a code. */
export function createAddressPage(forms: FormsKit, kit: AddressKit): AccountFormPage {
  const back = plainAddress(forms, 'account')
  const { name } = kit.channel

  async function viewOf(user: AuthUser, typed: string, isPasswordWrong = false) {
    const shown = await addressShown(kit, user, typed, isPasswordWrong)
    return (form: PageForm): Content =>
      (shell) =>
        accountAddressPage({ ...shown, form, back }, shell)
  }

  return {
    page: `account/${name}`,
    needsFresh: true,

    view: async ({ approved }, form) => (await viewOf(approved.user, ''))(form),

    async submit(asking) {
      const { user: asked, fields, request } = asking
      try {
        const { requestId } = await sendCode(kit, asked, fields, request)
        return { next: 'open', page: 'account/confirm', query: `request=${requestId}` }
      } catch (error) {
        const isWrong = isWrongPassword(error)
        const refused = isWrong
          ? wrongFields
          : refusalOf(error, ['invalid-request', 'already-verified'])
        if (refused.next !== 'again') return changedBy(refused, asking)
        const content = await viewOf(asked.user, fields.text(name).trim(), isWrong)
        return { next: 'answer', answer: asking.show(content, refused) }
      }
    },
  }
}

/** What the forms of an address show. Rejects with 503. */
export async function addressShown(
  kit: AddressKit,
  user: AuthUser,
  typed: string,
  isPasswordWrong: boolean,
): Promise<Omit<AddressView, 'form'>> {
  const { address: stored, verified } = await addressOf(kit, user.id)
  const account = { name: user.name, username: user.username }
  const address = stored && withReadableDomain(stored)
  const asksPassword = await kit.owesPassword(user)
  const { name: channel } = kit.channel
  return { channel, account, address, verified, typed, asksPassword, isPasswordWrong }
}

/** Sends a code to the present address or to a new one, as one of these forms asks for. */
export function sendCode(
  kit: AddressKit,
  asked: AskingUser,
  fields: FormFields,
  request: EndpointRequest,
): Promise<CodeSent> {
  if (fields.text('choice') === 'verify') return verifyAddress(kit, asked, request.context)
  const proof = { ...nothingShown, password: presentIn(fields) }
  const given = { address: fields.text(kit.channel.name).trim(), proof }
  return changeAddress(kit, asked, given, request, provePresentOnPage)
}

/**
 * `/account/confirm?request=…`: takes the code that was sent to the address, of any channel. A link
 * in a mail leads here with `code=…` as well.
 */
export function createConfirmPage(
  forms: FormsKit,
  kits: readonly [AddressKit, ...AddressKit[]],
): AccountFormPage {
  const [{ throttle }] = kits
  const { limitRefusals } = throttle
  const back = plainAddress(forms, 'account/email')
  return {
    page: 'account/confirm',
    needsFresh: false,
    landing: { elsewhere: codeElsewhere, instead: back },

    async view(found, form, { query, request }) {
      const sent = await limitRefusals('email-confirm', request, () =>
        codeSentFor(kits, found.session, requestIn(query), request),
      )
      if (sent === null) return codeElsewhere(query)
      // A wrong code is not filled in again.
      const code = form.fault === null ? shownCode(query) : ''
      const ofChannel = plainAddress(forms, `account/${sent.channel}`)
      const shown = { ...sent, account: accountOf(found), code, back: ofChannel }
      return (shell) => confirmAddressPage({ ...shown, form }, shell)
    },

    async submit(asking) {
      const { user: asked, fields } = asking
      const given = { requestId: requestIn(asking.query), code: fields.text('code') }
      try {
        // The page uses the counters of the endpoints: it is no second set of guesses.
        const channel = await limitRefusals('email-confirm', asking.request, () =>
          confirmIn(kits, asked, given, asking.request),
        )
        const note = channel === 'email' ? 'address-confirmed' : 'phone-confirmed'
        const done: NoteView = { note, onward: plainAddress(forms, 'account') }
        return { next: 'answer', answer: asking.show(() => (shell) => notePage(done, shell)) }
      } catch (error) {
        if (error instanceof AuthError && error.code === 'superseded')
          return { next: 'open', page: `account/${kits[0].channel.name}` }
        if (error instanceof AuthError && error.code === 'phone-in-use') {
          const inUse = { account: accountOf(asking.found), back, until: untilIn(error) }
          return {
            next: 'answer',
            answer: asking.show(() => (shell) => phoneInUsePage(inUse, shell)),
          }
        }
        return changedBy(refusalOf(error, ['invalid-request', 'proof-refused']), asking)
      }
    },
  }
}

// The code names its channel.
async function confirmIn(
  kits: readonly [AddressKit, ...AddressKit[]],
  asked: AskingUser,
  given: ConfirmEmail,
  { context }: EndpointRequest,
): Promise<Channel['name']> {
  const [first, ...others] = kits
  const { sealed } = await first.proofs.findCode(addressPurposes, given.requestId, context)
  const kit = others.find(({ channel }) => channel.name === sealed['channel']) ?? first
  await confirmAddress(kit, asked, given, context)
  return kit.channel.name
}

/** Where the code of a request went; null unless this session has asked for it. */
async function codeSentFor(
  [{ proofs }]: readonly [AddressKit, ...AddressKit[]],
  session: SessionRecord,
  requestId: string,
  { context }: EndpointRequest,
): Promise<Pick<ConfirmAddressView, 'channel' | 'sentTo'> | null> {
  const proof = await proofs.findCode(addressPurposes, requestId, context)
  // No other session is told whether the code is over.
  if (!isOfSession(proofs, proof, session)) return null
  const reason = proofs.whyVoid(proof)
  if (reason !== null) throw new AuthError('proof-refused', { details: { reason } })
  const channel = proof.sealed['channel'] === 'phone' ? 'phone' : 'email'
  return { channel, sentTo: withReadableDomain(proof.sealed['to'] ?? '') }
}

/** Shows the page again, or a new sign-in. `typed`: the errors that are due to the typed text. */
export function refusalOf(error: unknown, typed: readonly AuthError['code'][]): Submitted {
  if (error instanceof AuthError && error.status === 401) throw error
  if (error instanceof AuthError && typed.includes(error.code)) return wrongFields
  return refusalOfCode(error)
}

/** Whether the error is due to a wrong or missing password, and not to the session. */
export function isWrongPassword(error: unknown): boolean {
  if (!(error instanceof AuthError)) return false
  return error.details?.['wrong'] === 'password' || error.code === 'reauthentication-required'
}

/** The present password. */
export function presentIn(fields: FormFields): string | undefined {
  return fields.has('present') ? fields.text('present') : undefined
}

// The page of the code in any other browser, and in any other session of this browser.
function codeElsewhere(query: string): Content {
  const code = shownCode(query)
  if (code === '') throw new AuthError('proof-refused')
  return (shell) => codeElsewherePage({ code }, shell)
}

const addressPurposes = ['verify-address', 'change-address'] as const

function requestIn(query: string): string {
  return new URLSearchParams(query).get('request') ?? ''
}

// Only digits are shown: text that others write into a link must not stand on a page of the host.
function shownCode(query: string): string {
  const [, first, second] =
    /^(\d{4})(\d{4})$/.exec(new URLSearchParams(query).get('code') ?? '') ?? []
  return first === undefined ? '' : `${first} ${second}`
}

/** The address of a signed-in user: prove it, or change it. */
export interface AddressView extends Omit<OwnView, 'back'> {
  readonly channel: Channel['name']
  /** Null without. */
  readonly address: string | null
  readonly verified: boolean
  /** As it was typed; empty at first. */
  readonly typed: string
  /** Whether a change takes the present password, in the field `present`. */
  readonly asksPassword: boolean
  /** Whether the fault is that password. */
  readonly isPasswordWrong: boolean
}

interface ConfirmAddressView extends OwnView {
  readonly channel: Channel['name']
  readonly sentTo: string
  /** From the link in the mail; empty without. */
  readonly code: string
}

/**
 * The address: prove it, or change it.
 *
 * @internal
 */
export function accountAddressPage(
  view: AddressView & Pick<OwnView, 'back'>,
  { texts }: PageShell,
): PageContent {
  const { channel, account, form, back } = view
  return {
    title: `account.${channel}`,
    isFaulty: form.fault !== null,
    body: html`${accountCard(account)}
${addressForms(view, texts)}
${backTo(back, texts)}`,
  }
}

/** The address in words, a button that proves it, and a form that changes it. */
export function addressForms(view: AddressView, texts: PageTexts): SafeHtml {
  const { channel, form, address, verified, isPasswordWrong } = view
  const wrong = isPasswordWrong
    ? 'new-password.wrong-present'
    : (`account-${channel}.wrong` as const)
  const verify = { name: 'choice', value: 'verify' }
  const proving =
    address === null || verified
      ? null
      : html`<form method="post" action="${form.action}">
${form.hidden}${button(texts.html(`account-${channel}.verify`), verify)}
</form>
`
  return html`<p>${addressText(view, texts)}</p>
${proving}${formOf(form, texts, wrong, changing(view, texts), true)}`
}

function changing(view: AddressView, texts: PageTexts) {
  const { channel, account, form, address, typed, asksPassword, isPasswordWrong } = view
  const isFaulty = form.fault?.kind === 'wrong' && !isPasswordWrong
  const kind = channel === 'email' ? 'email' : 'tel'
  const attributes = {
    type: kind,
    value: typed,
    autocomplete: kind,
    ...unspelt,
    required: true,
    autofocus: isFaulty,
  }
  const label = `account-${channel}.${address === null ? 'first' : 'new'}` as const
  const hint = `account-${channel}.help` as const
  return [
    field({ id: channel, name: channel, label, hint, isFaulty, attributes }, texts),
    ...(asksPassword
      ? [hiddenUsername(account.username), presentField(isPasswordWrong, texts)]
      : []),
    button(texts.html(`account-${channel}.change`)),
  ]
}

/**
 * The code that was sent to the address.
 *
 * @internal
 */
export function confirmAddressPage(view: ConfirmAddressView, { texts }: PageShell): PageContent {
  const { channel, account, form, sentTo, code, back } = view
  const content = [
    codeField(code, form, 'confirm-email.help', texts),
    button(texts.html(`confirm-${channel}.submit`)),
  ]
  return {
    title: 'confirm-email.title',
    isFaulty: form.fault !== null,
    body: html`${accountCard(account)}
<p>${texts.html(`confirm-${channel}.lead`, { address: html`<bdi>${sentTo}</bdi>` })}</p>
${formOf(form, texts, 'confirm-email.wrong', content, true)}
<p class="links"><a href="${back}">${texts.html(`confirm-${channel}.back`)}</a></p>`,
  }
}

/** When a number can be taken over; null if nobody knows. */
function untilIn({ details }: AuthError): Date | null {
  const until = details?.['until']
  return typeof until === 'string' ? new Date(until) : null
}

/**
 * Another user has the number.
 *
 * @internal
 */
export function phoneInUsePage(
  { account, back, until }: Omit<OwnView, 'form'> & { readonly until: Date | null },
  { texts }: PageShell,
): PageContent {
  return {
    title: 'account.phone',
    body: html`${accountCard(account)}
<p>${
      until === null
        ? texts.html('confirm-phone.in-use')
        : texts.html('confirm-phone.in-use-until', { time: texts.moment(until) })
    }</p>
${backTo(back, texts)}`,
  }
}

/**
 * The code for the window that has asked for it.
 *
 * @internal
 */
export function codeElsewherePage(
  { code }: { readonly code: string },
  { texts }: PageShell,
): PageContent {
  return {
    title: 'code-elsewhere.title',
    body: html`<p>${texts.html('code-elsewhere.lead', { code: html`<b>${code}</b>` })}</p>
<p class="hint">${texts.html('code-elsewhere.help')}</p>`,
  }
}

/** The address and its state in words. */
export function addressText(
  { channel, address, verified }: Pick<AddressView, 'channel' | 'address' | 'verified'>,
  texts: PageTexts,
): SafeHtml {
  if (address === null) return texts.html(`account-${channel}.none`)
  const shown = html`<bdi>${address}</bdi>`
  return texts.html(verified ? 'account-email.proven' : 'account-email.unproven', {
    address: shown,
  })
}
