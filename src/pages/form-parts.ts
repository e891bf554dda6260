import type { BrowserUser } from '../oauth/browser-sign-in.js'
import { attributes, type HtmlValue, html, type SafeHtml } from './html.js'
import type { PageShell } from './layout.js'
import type { TextKey } from './texts/en.js'
import type { PageTexts } from './texts.js'

/** The target of a form, and its hidden fields. */
export interface PageForm {
  readonly action: string
  /** Made by `hiddenFields`. */
  readonly hidden: SafeHtml
  readonly fault: FormFault | null
}

/** Why a form is shown again. The list is closed. */
export type FormFault =
  | { readonly kind: 'wrong' | 'stale' | 'wrong-passkey' | 'too-soon' }
  /** The browser blocks cookies; or its session ended after the page was shown. */
  | { readonly kind: 'no-cookie' | 'signed-out' }
  /** Another user has signed in to the browser since the page was shown. */
  | { readonly kind: 'other-account'; readonly account: string }
  /** The host has refused, perhaps with its own text. */
  | { readonly kind: 'refused'; readonly message: string | null }
  /** Of a directory. The address is where it is changed; null if the host has not said it. */
  | { readonly kind: 'password-expired'; readonly url: string | null }
  /** Of a number alone, which may be another person's by now. */
  | { readonly kind: 'long-away' }
  | { readonly kind: 'throttled' | 'busy'; readonly retryAfter: number }

/** The app that requests the sign-in. */
export interface ClientOnPage {
  readonly name: string
  /** The host of its redirect URI; null for an app on the device. */
  readonly host: string | null
}

/** An account. */
export interface AccountOnPage {
  /** The display name. */
  readonly name: string
  /** The name for signing in. */
  readonly username: string
}

/** An account at a provider: their names. */
export interface AccountElsewhere {
  readonly provider: string
  readonly account: string
}

/** A page of an account, with a form and a way back. */
export interface OwnView {
  readonly account: AccountOnPage
  readonly form: PageForm
  readonly back: string
}

/** A page that asks for a name. */
export interface NameView {
  readonly form: PageForm
  /** As it was typed; empty at first. */
  readonly username: string
  readonly back: string
}

/** A text field. */
export interface Field {
  readonly id: string
  readonly name: string
  readonly label: TextKey
  /** What stands in the label. Default: nothing. */
  readonly labelParts?: Readonly<Record<string, string>>
  readonly hint?: TextKey
  /** The ids of other texts that describe it, such as rules. */
  readonly describedBy?: readonly string[]
  /** Whether the fault of the form may belong to this field. */
  readonly isFaulty: boolean
  /** Markup after the field. */
  readonly after?: SafeHtml
  readonly attributes: Readonly<Record<string, string | boolean | null>>
}

/** Hidden fields of a form. */
export function hiddenFields(values: Readonly<Record<string, string>>): SafeHtml {
  const fields = Object.entries(values).map(
    ([name, value]) => html`<input${attributes({ type: 'hidden', name, value })}>`,
  )
  return html`${fields}`
}

/**
 * A form with its hidden fields, and at the top the fault, if it is shown again. The fault gets the
 * focus. With `hasField`, a wrong field gets it instead and is described by the fault, so that the
 * user can type at once.
 */
export function formOf(
  { action, hidden, fault }: PageForm,
  texts: PageTexts,
  wrong: TextKey,
  content: HtmlValue,
  hasField = false,
): SafeHtml {
  const given = { autofocus: !(hasField && fault?.kind === 'wrong') }
  return html`${faultPart(fault, texts, wrong, given)}
<form method="post" action="${action}">
${hidden}${content}
</form>`
}

/** Why a form is shown again; null for nothing. */
export function faultPart(
  fault: FormFault | null,
  texts: PageTexts,
  wrong: TextKey,
  given: { readonly autofocus: boolean } = { autofocus: true },
): SafeHtml | null {
  return fault && faultOf(faultText(fault, texts, wrong), given)
}

/** A label, its field, and the hint below; screen readers read them with the fault. */
export function field(given: Field, texts: PageTexts): SafeHtml {
  const { id, name, hint, describedBy = [], isFaulty, after = null } = given
  const described = [
    ...(isFaulty ? ['fault'] : []),
    ...describedBy,
    ...(hint === undefined ? [] : [`${id}-hint`]),
  ]
  const shown = attributes({
    id,
    name,
    ...given.attributes,
    'aria-invalid': isFaulty ? 'true' : null,
    'aria-describedby': described.length > 0 ? described.join(' ') : null,
  })
  const below =
    hint === undefined ? null : html`<p class="hint" id="${id}-hint">${texts.html(hint)}</p>`
  return html`<div class="field">
<label for="${id}">${texts.html(given.label, given.labelParts)}</label>
<input${shown}>
${below}${after}</div>`
}

/** Attributes of a field whose text browsers must neither change nor check. */
export const unspelt = { autocapitalize: 'none', autocorrect: 'off', spellcheck: 'false' } as const

/**
 * Attributes of the field of a code. The code has one field: six small fields break pasting, and
 * screen readers read six labels.
 */
export const digits = {
  autocomplete: 'one-time-code',
  inputmode: 'numeric',
  pattern: '[0-9 ]*',
} as const

/** The field of a mailed code. */
export function codeField(
  value: string,
  { fault }: PageForm,
  hint: TextKey,
  texts: PageTexts,
  mayBeFaulty = true,
): SafeHtml {
  const isFaulty = mayBeFaulty && fault?.kind === 'wrong'
  const attributes = {
    type: 'text',
    value,
    ...digits,
    required: true,
    autofocus: fault === null || isFaulty,
  }
  const label = 'confirm-email.code'
  return field({ id: 'one-time-code', name: 'code', label, hint, isFaulty, attributes }, texts)
}

/** The field of a name, for a user who is not signed in. */
export function typedName(value: string, { fault }: PageForm): Omit<Field, 'isFaulty'> {
  const attributes = {
    type: 'text',
    value,
    autocomplete: 'username',
    ...unspelt,
    required: true,
    autofocus: fault === null || fault.kind === 'wrong',
  }
  return { id: 'username', name: 'username', label: 'sign-in.username', attributes }
}

/** The checkbox to stay signed in. */
export function stayTick(checked: boolean, texts: PageTexts): SafeHtml {
  return tick('stay', texts.html('sign-in.stay'), checked)
}

/** A checkbox with its label. */
export function tick(name: string, label: SafeHtml, checked: boolean): SafeHtml {
  const given = attributes({ type: 'checkbox', name, value: 'yes', checked })
  return html`<label class="tick"><input${given}> <span>${label}</span></label>
`
}

/** A button that posts the form, with the user's choice if there are several. */
export function button(
  label: SafeHtml,
  given: Readonly<Record<string, string | boolean>> = {},
): SafeHtml {
  return html`<button type="submit"${attributes(given)}>${label}</button>`
}

/** The value that a button sends, and its style. */
export function choice(value: string, style?: string): Readonly<Record<string, string>> {
  return { name: 'choice', value, ...(style === undefined ? {} : { class: style }) }
}

/**
 * The buttons to leave a page: for another account, and back to the app. The buttons have their own
 * form, so that they neither send nor require the fields.
 */
export function waysOut({ action, hidden }: PageForm, texts: PageTexts): SafeHtml {
  return html`<form method="post" action="${action}" class="aside">
${hidden}${waysOutButtons(texts)}
</form>`
}

/** The buttons to leave a page, for a form without fields. */
export function waysOutButtons(texts: PageTexts): SafeHtml {
  return html`${button(texts.html('continue.other'), choice('other', 'link'))}
${button(texts.html('page.cancel'), choice('cancel', 'link'))}`
}

/** The account, visible at a glance. */
export function accountCard({ name, username }: AccountOnPage): SafeHtml {
  return html`<p class="account"><bdi><b>${name}</b></bdi> <bdi>${username}</bdi></p>`
}

/**
 * The button that shows a typed password: after the field, so that Tab goes from the name to the
 * password. Its script, at the address `script`, shows the button.
 */
export function revealPassword(field: string, texts: PageTexts, script: string): SafeHtml {
  const given = attributes({
    type: 'button',
    class: 'link reveal',
    hidden: true,
    'aria-pressed': 'false',
    'aria-controls': field,
    'data-reveals': field,
  })
  return html`<button${given}>${texts.html('sign-in.show-password')}</button>
<script src="${script}" defer></script>
`
}

function faultOf(text: SafeHtml, given: { readonly autofocus: boolean }): SafeHtml {
  const all = attributes({ id: 'fault', class: 'fault', role: 'alert', tabindex: '-1', ...given })
  return html`<p${all}>${text}</p>`
}

/** A link to where a directory changes passwords; null without an address. */
export function changeLink(url: string | null, texts: PageTexts): SafeHtml | null {
  return url === null
    ? null
    : html` <a href="${url}">${texts.html('new-password.elsewhere-link')}</a>`
}

function faultText(fault: FormFault, texts: PageTexts, wrong: TextKey): SafeHtml {
  switch (fault.kind) {
    case 'wrong':
      return texts.html(wrong)
    case 'stale':
    case 'no-cookie':
    case 'signed-out':
    case 'wrong-passkey':
    case 'too-soon':
      return texts.html(`fault.${fault.kind}`)
    case 'other-account':
      return texts.html('fault.other-account', { account: html`<bdi>${fault.account}</bdi>` })
    case 'refused':
      return fault.message === null
        ? texts.html('fault.refused')
        : html`<bdi>${fault.message}</bdi>`
    case 'long-away':
      return texts.html('fault.long-away')
    case 'password-expired':
      return html`${texts.html('fault.password-expired')}${changeLink(fault.url, texts)}`
    case 'throttled':
    case 'busy':
      return texts.html(`fault.${fault.kind}`, { wait: texts.wait(fault.retryAfter) })
  }
}

/** The request of a page for a passkey. */
export interface AskedPasskey {
  /** `create`: a new passkey. */
  readonly ceremony: 'get' | 'create'
  /** Options for the browser, in JSON. */
  readonly options: object
  readonly label: TextKey
  /** Whether the page offers no other way to sign in. */
  readonly isAlone: boolean
  /**
   * The address of new options; with it, the browser may also offer a passkey in the name field.
   * Null without.
   */
  readonly renew: string | null
  /** The id of a used passkey that does not exist here, for the browser to forget. */
  readonly unknown?: string | null
}

/** The part of a form for passkeys: a button, its texts, and the script. */
export function passkeyPart(
  { ceremony, options, label, isAlone, renew, unknown }: AskedPasskey,
  { texts, passkeyScript }: Pick<PageShell, 'texts' | 'passkeyScript'>,
): SafeHtml {
  const button = attributes({
    type: 'button',
    class: isAlone ? null : 'plain',
    // The script shows it if the browser supports passkeys.
    hidden: true,
    'data-passkey': JSON.stringify(options),
    'data-ceremony': ceremony,
    'data-renew': renew,
    'data-unknown': unknown ?? null,
  })
  const said = attributes({
    class: 'hint',
    role: 'status',
    'data-nothing': texts.plain('passkey.nothing'),
    'data-known': texts.plain('passkey.known'),
    'data-failed': texts.plain('passkey.failed'),
  })
  const without = isAlone
    ? html`<p class="hint" data-without-passkeys="">${texts.html('passkey.without')}</p>
`
    : null
  return html`<button${button}>${texts.html(label)}</button>
<p${said}></p>
${without}<script src="${passkeyScript}" defer></script>
`
}

/**
 * For password managers, which need the name to find or keep the code or password; people read it
 * elsewhere on the page.
 */
export function hiddenUsername(value: string): SafeHtml {
  const given = {
    type: 'text',
    name: 'username',
    value,
    autocomplete: 'username',
    readonly: true,
    tabindex: '-1',
    'aria-hidden': 'true',
    class: 'unseen',
  }
  return html`<input${attributes(given)}>
`
}

/** The link back to the account page. */
export function backTo(href: string, texts: PageTexts): SafeHtml {
  return html`<p class="links"><a href="${href}">${texts.html('account.back')}</a></p>`
}

/** The account as shown on the page. */
export function accountOf({ approved: { user } }: BrowserUser): AccountOnPage {
  return { name: user.name, username: user.username }
}
