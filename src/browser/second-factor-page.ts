import type { RequestContext } from '../audit/events.js'
import { methodOfCode } from '../email-sign-in/email-sign-in.js'
import type { MailedSignIn } from '../pages/flow.js'
import type { FormPage } from '../pages/form-page.js'
import {
  button,
  digits,
  type Field,
  field,
  formOf,
  hiddenUsername,
  type OwnView,
  passkeyPart,
  tick,
  waysOut,
  waysOutButtons,
} from '../pages/form-parts.js'
import { type HtmlValue, html, type SafeHtml } from '../pages/html.js'
import type { PageContent, PageShell } from '../pages/layout.js'
import { type PageName, pageAddress } from '../pages/page-request.js'
import type { TextKey } from '../pages/texts/en.js'
import type { PageTexts } from '../pages/texts.js'
import { offerPasskey } from '../passkeys/passkey-factor.js'
import type { PasskeysKit } from '../passkeys/passkey-kit.js'
import type { StoredMethod } from '../stores/contract.js'
import type { AuthUser } from '../users/contract.js'
import type { BrowserKit } from './browser-kit.js'
import { replayFirstAnswer } from './replay-first-answer.js'
import { signInByCode, signInBySecondPasskey } from './sign-in-by-form.js'
import { formVisit, settleSignIn } from './sign-in-page.js'

/** `/oauth/second-factor` and `/oauth/recovery-code`: after a right password. */
export function createSecondFactorPages(kit: BrowserKit): readonly FormPage[] {
  const byCode = replayFirstAnswer(kit.clock, signInByCode)
  return [secondFactorPageOf(kit, 'code', byCode), secondFactorPageOf(kit, 'recovery', byCode)]
}

function secondFactorPageOf(
  kit: BrowserKit,
  kind: 'code' | 'recovery',
  byCode: typeof signInByCode,
): FormPage {
  const { passkeysKit, baseUrl } = kit
  return {
    page: kind === 'code' ? 'second-factor' : 'recovery-code',

    async view({ asked, flow, request }, form) {
      const shown = await shownBefore(kit, flow?.mailed, request.context)
      const owed = await owedBy(kit, flow?.pending?.userId ?? '', shown)
      if (owed === null) return null
      const { user, first, passkey, sendable, hasRecovery } = owed
      const { name, username } = user
      const shared = { form, account: { name, username } }
      const otherMethod = (page: PageName) =>
        hasRecovery ? pageAddress(baseUrl, page, asked) : null
      if (kind === 'recovery') {
        const view: SecondFactorView = {
          ...shared,
          rememberDays: null,
          method: 'recovery',
          otherMethod: otherMethod('second-factor'),
          otherKind: first,
          sendable: [],
          sent: false,
          passkey: null,
        }
        return (shell) => secondFactorPage(view, shell)
      }
      const { rememberedBrowsers } = kit
      const mayRemember = rememberedBrowsers !== undefined && !(await kit.isAskedEveryTime(user))
      const view = {
        ...shared,
        rememberDays: mayRemember ? rememberedBrowsers.days : null,
        method: first,
        otherMethod: otherMethod('recovery-code'),
        otherKind: 'recovery',
        sendable,
        // By the first page or by the button; if no more mails may go, a few minutes before.
        sent: sendable.length > 0 && form.fault === null,
      } as const
      return (shell) => secondFactorPage({ ...view, passkey: passkey?.(shell) ?? null }, shell)
    },

    async submit(visit, fields) {
      const from = formVisit(kit, visit)
      const remember = fields.has('remember')
      const code = fields.has('send') ? null : fields.text('code')
      const result =
        passkeysKit !== undefined && fields.has('passkey')
          ? await signInBySecondPasskey(kit, fields.text('passkey'), from, remember)
          : await byCode(kit, code, from, remember)
      return settleSignIn(kit, result, visit)
    },
  }
}

async function shownBefore(
  { emailSignInKit }: BrowserKit,
  mailed: MailedSignIn | undefined,
  context: RequestContext,
): Promise<readonly StoredMethod[]> {
  if (mailed === undefined || emailSignInKit === undefined) return []
  const method = methodOfCode(emailSignInKit, mailed.requestId, context)
  // Of a code that is gone by now: the form says so when it is sent.
  return [await method.catch(() => 'email' as const)]
}

/** The factors that the user can use. */
interface Owed {
  readonly user: AuthUser
  readonly first: 'code' | 'passkey'
  readonly passkey: ((shell: PageShell) => SafeHtml) | null
  readonly sendable: readonly SendableFactor[]
  readonly hasRecovery: boolean
}

async function owedBy(
  { users, secondFactors, passkeysKit }: BrowserKit,
  userId: string,
  shown: readonly StoredMethod[],
): Promise<Owed | null> {
  const user = await users.findById(userId)
  if (user === null) return null
  const found = await secondFactors.of(user, shown)
  // None of them counts after a mailed code.
  const factors = found?.methods.length === 0 ? null : found
  const passkey = await partFor(passkeysKit, user, factors === null)
  if (factors === null) {
    // The first passkey came with recovery codes.
    const alone = { user, first: 'passkey', sendable: [], hasRecovery: true } as const
    return passkey === null ? null : { ...alone, passkey }
  }
  const { methods } = factors
  const sendable = secondFactors.sendsCodes(factors)
    ? [{ name: methods[0] ?? '', label: null }]
    : []
  return { user, first: 'code', passkey, sendable, hasRecovery: methods.includes('recovery') }
}

async function partFor(
  passkeysKit: PasskeysKit | undefined,
  user: AuthUser,
  isAlone: boolean,
): Promise<Owed['passkey']> {
  if (passkeysKit === undefined) return null
  const options = await offerPasskey(passkeysKit, user)
  if (options === null) return null
  const asked = { ceremony: 'get', options, label: 'passkey.confirm', isAlone } as const
  return (shell) => passkeyPart({ ...asked, renew: null }, shell)
}

/** The second step, after a right password. */
interface SecondFactorView extends Omit<OwnView, 'back'> {
  /** `passkey`: the user has no other factor, so there is no field. */
  readonly method: 'code' | 'recovery' | 'passkey'
  /** The page with the other method; null if the user has none. */
  readonly otherMethod: string | null
  /** The other method. */
  readonly otherKind: SecondFactorView['method']
  readonly sendable: readonly SendableFactor[]
  /** For how many days the browser can be remembered; null if it cannot. */
  readonly rememberDays: number | null
  /** Whether a code was sent that still counts. */
  readonly sent: boolean
  /** As on the sign-in page; never null if `method` is `passkey`. */
  readonly passkey: SafeHtml | null
}

/** A factor of the host that sends codes. */
interface SendableFactor {
  /** Its name: lower-case letters, digits and `-`. */
  readonly name: string
  /** Its name for people; null if the pages have a text for it. */
  readonly label: string | null
}

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

/**
 * The page for the code of the second factor.
 *
 * @internal
 */
export function secondFactorPage(
  view: SecondFactorView,
  { texts, passkeyScript }: PageShell,
): PageContent {
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
    scripts: [view.passkey && passkeyScript],
  }
}

function contentOf(view: SecondFactorView, texts: PageTexts): HtmlValue {
  const { account, method, passkey, sendable } = view
  if (method === 'passkey') {
    return [
      html`<p>${texts.html('second-factor.passkey')}</p>
`,
      rememberTick(view, texts),
      passkey,
      waysOutButtons(texts),
    ]
  }
  return [
    hiddenUsername(account.username),
    code(view, method, texts),
    rememberTick(view, texts),
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

function rememberTick({ rememberDays }: SecondFactorView, texts: PageTexts): SafeHtml | null {
  if (rememberDays === null) return null
  const label = texts.html('second-factor.remember', { days: String(rememberDays) })
  return tick('remember', label, false)
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
