import {
  button,
  type Field,
  field,
  formOf,
  hiddenUsername,
  waysOut,
  waysOutButtons,
} from '../form-parts.js'
import { type HtmlValue, html, type SafeHtml } from '../html.js'
import type { PageContent } from '../layout.js'
import type { TextKey } from '../texts/en.js'
import type { PageTexts } from '../texts.js'
import type { SecondFactorView } from '../view.js'
import type { SendableFactor } from '../view-parts.js'

/** The differences between a code of the authenticator app, a sent one and a recovery code. */
interface Method {
  readonly label: TextKey
  readonly hint: TextKey
  readonly wrong: TextKey
  readonly attributes: Field['attributes']
}

/** The text of the link to a method. */
const links: Readonly<Record<SecondFactorView['method'], TextKey>> = {
  code: 'second-factor.use-code',
  recovery: 'second-factor.use-recovery',
  passkey: 'second-factor.use-passkey',
}

// One field: six small ones break pasting, and screen readers read six labels.
const digits = { autocomplete: 'one-time-code', inputmode: 'numeric', pattern: '[0-9 ]*' }

const typed: Readonly<Record<'code' | 'recovery' | 'sent', Method>> = {
  code: {
    label: 'second-factor.code',
    hint: 'second-factor.code-help',
    wrong: 'second-factor.wrong-code',
    attributes: digits,
  },
  sent: {
    label: 'second-factor.sent-code',
    hint: 'second-factor.sent-code-help',
    wrong: 'second-factor.wrong-code',
    attributes: digits,
  },
  recovery: {
    label: 'second-factor.recovery',
    hint: 'second-factor.recovery-help',
    wrong: 'second-factor.wrong-recovery',
    attributes: { autocomplete: 'off', autocapitalize: 'characters', autocorrect: 'off' },
  },
}

/** Texts for common factors of hosts. */
const ways: ReadonlyMap<string, TextKey> = new Map([
  ['email', 'second-factor.way-email'],
  ['sms', 'second-factor.way-sms'],
])

/** The page for the code of the second factor. */
export function secondFactorPage(view: SecondFactorView, texts: PageTexts): PageContent {
  const { form, account } = view
  const lead = texts.html('second-factor.account', { account: account.username })
  const isTyped = view.method !== 'passkey'
  const wrong = view.method === 'passkey' ? 'fault.wrong-passkey' : typed[view.method].wrong
  return {
    title: 'second-factor.title',
    isFaulty: form.fault !== null,
    body: html`<p class="lead">${lead}</p>
${sent(view, texts)}${formOf(form, texts, wrong, contentOf(view, texts), isTyped)}
${other(view, texts)}${view.method === 'passkey' ? null : waysOut(form, texts)}`,
  }
}

function contentOf(view: SecondFactorView, texts: PageTexts): HtmlValue {
  const { account, method, passkey, sendable } = view
  if (method === 'passkey') {
    return [
      html`<p>${texts.html('second-factor.passkey')}</p>
`,
      passkey,
      waysOutButtons(texts),
    ]
  }
  return [
    hiddenUsername(account.username),
    code(view, method, texts),
    button(texts.html('second-factor.submit')),
    passkey,
    sendable.map((one) => send(one, texts)),
  ]
}

function code(
  { form, sendable }: SecondFactorView,
  method: 'code' | 'recovery',
  texts: PageTexts,
): SafeHtml {
  const isSent = method === 'code' && sendable.length > 0
  const { label, hint, attributes: ofMethod } = typed[isSent ? 'sent' : method]
  const isFaulty = form.fault?.kind === 'wrong'
  const given = {
    type: 'text',
    spellcheck: 'false',
    required: true,
    autofocus: isFaulty || form.fault === null,
  }
  return field(
    {
      id: method === 'code' ? 'one-time-code' : 'recovery-code',
      name: 'code',
      label,
      hint,
      isFaulty,
      attributes: { ...given, ...ofMethod },
    },
    texts,
  )
}

function send({ name, label }: SendableFactor, texts: PageTexts): SafeHtml {
  const key = ways.get(name)
  const way = label ?? (key === undefined ? name : texts.html(key))
  const given = { name: 'send', value: name, formnovalidate: true, class: 'plain' }
  return button(texts.html('second-factor.send', { way }), given)
}

function sent({ sent: isSent }: SecondFactorView, texts: PageTexts): SafeHtml | null {
  return isSent ? html`<p class="note" role="status">${texts.html('second-factor.sent')}</p>` : null
}

function other({ otherMethod, otherKind }: SecondFactorView, texts: PageTexts): SafeHtml | null {
  if (otherMethod === null) return null
  return html`<p class="links"><a href="${otherMethod}">${texts.html(links[otherKind])}</a></p>`
}
