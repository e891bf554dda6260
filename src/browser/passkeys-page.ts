import type { IncomingMessage } from 'node:http'
import type { z } from 'zod'
import { AuthError } from '../errors.js'
import type { CookieChange, TextAnswer } from '../http/answer.js'
import type { EndpointRequest } from '../http/endpoint.js'
import type { BrowserUser } from '../oauth/browser-sign-in.js'
import {
  type AccountFormPage,
  type Asking,
  type Changed,
  changedBy,
} from '../pages/account-form.js'
import type { FormFields, FormPage, Submitted } from '../pages/form-page.js'
import {
  accountCard,
  accountOf,
  backTo,
  button,
  choice,
  field,
  formOf,
  hiddenFields,
  type OwnView,
  type PageForm,
  passkeyPart,
} from '../pages/form-parts.js'
import { html, type SafeHtml } from '../pages/html.js'
import type { Content, PageContent, PageShell } from '../pages/layout.js'
import { pageAddress, plainAddress } from '../pages/page-request.js'
import type { PageVisit } from '../pages/page-visit.js'
import { refusalOfCode, renewCookie, unlessGone, wrongFields } from '../pages/renew-cookie.js'
import { seeOther, showPage } from '../pages/show-page.js'
import type { PageTexts } from '../pages/texts.js'
import { addPasskey as addOwnPasskey } from '../passkeys/add-passkey.js'
import { creationOptions } from '../passkeys/ceremony-options.js'
import { ownPasskeys } from '../passkeys/own-passkeys.js'
import { hasAnyPasskey } from '../passkeys/passkey-factor.js'
import type { PasskeysKit } from '../passkeys/passkey-kit.js'
import type { IssuedSession } from '../sessions/issuing.js'
import { isFresh } from '../sessions/recent-sign-in.js'
import {
  type AssertionResponse,
  assertionSchema,
  type CreationResponse,
  creationSchema,
} from '../two-factor/passkey-response.js'
import type { BrowserKit } from './browser-kit.js'

/** Parses the response that the script writes into a form; null if it is malformed. */
export function assertionOf(text: string): AssertionResponse | null {
  return read(assertionSchema, text)
}

/** Parses the response for a new passkey that the script writes into a form; null if malformed. */
function creationOf(text: string): CreationResponse | null {
  return read(creationSchema, text)
}

function read<Read>(schema: z.ZodType<Read>, text: string): Read | null {
  try {
    return schema.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}

/** A signed-in user who adds a passkey on a page. */
export interface AddingVisit {
  readonly found: BrowserUser
  /** The address that the browser goes to afterwards. */
  readonly onward: string
  /** Shows the recovery codes of a first passkey, in this answer only. */
  showCodes(codes: readonly string[]): TextAnswer
}

/**
 * The part of the form that creates one; null if the sign-in is older than `POST /auth/passkeys`
 * requires, since a passkey alone can sign in. Rejects with 503.
 */
export async function newPasskeyPart(
  passkeysKit: PasskeysKit,
  { session, approved }: BrowserUser,
  isAlone: boolean,
): Promise<((shell: PageShell) => SafeHtml) | null> {
  if (!isFresh(session, passkeysKit.clock())) return null
  const options = await creationOptions(passkeysKit, approved.user, session.id)
  const asked = { ceremony: 'create', options, label: 'passkey.create', isAlone } as const
  return (shell) => passkeyPart({ ...asked, renew: null }, shell)
}

/** Adds the new passkey, then shows its recovery codes or leads on. */
export function addPasskey(
  kit: BrowserKit,
  passkeysKit: PasskeysKit,
  { found, onward, showCodes }: AddingVisit,
  fields: FormFields,
  { incoming, context }: EndpointRequest,
): Promise<Submitted> {
  const add = async (beforehand: () => Promise<void>): Promise<Submitted> => {
    const { session, approved } = found
    const response = creationOf(fields.text('passkey'))
    if (response === null) return wrongPasskey
    if (!isFresh(session, kit.clock())) return startOver
    const asking = { session, user: approved.user }
    const made = { response, name: 'Passkey', beforehand }
    const { recoveryCodes } = await addOwnPasskey(passkeysKit, asking, made, context)
    const answer = recoveryCodes === null ? seeOther(onward) : showCodes(recoveryCodes)
    return { next: 'answer', answer }
  }
  return renewCookie(kit, found, incoming, add, refusalOf)
}

/** A visit of a signed-in user on the way to an app or a page, who adds a passkey. */
export function addingOn(kit: BrowserKit, visit: PageVisit, found: BrowserUser): AddingVisit {
  return {
    found,
    onward: pageAddress(kit.baseUrl, 'authorize', visit.asked),
    showCodes: (codes) => showRecoveryCodes(kit, visit, codes),
  }
}

/**
 * Shows recovery codes, only in this answer. Its form leads on to the next step.
 */
export function showRecoveryCodes(
  kit: BrowserKit,
  { asked, reader }: PageVisit,
  codes: readonly string[],
): TextAnswer {
  const action = pageAddress(kit.baseUrl, 'enrolment', asked)
  const form = { action, hidden: hiddenFields({}), fault: null }
  const content: Content = (shell) => recoveryCodesPage({ form, codes }, shell)
  return showPage(kit, content, reader, { status: 200 })
}

const startOver: Submitted = { next: 'start-over' }

const wrongPasskey: Submitted = { next: 'again', status: 422, fault: { kind: 'wrong-passkey' } }

function refusalOf(error: unknown): Submitted {
  if (!(error instanceof AuthError)) throw error
  const { retryAfter = 5 } = error
  switch (error.code) {
    // The passkey is not verified, or cannot be added.
    case 'invalid-request':
    case 'passkey-exists':
    case 'too-many-passkeys':
      return wrongPasskey
    case 'temporarily-unavailable':
      return { next: 'again', status: 503, fault: { kind: 'busy', retryAfter } }
    default:
      return startOver
  }
}

/** Shown once, after the activation of the second factor. */
export interface RecoveryCodesView {
  readonly form: PageForm
  readonly codes: readonly string[]
}

/**
 * The recovery codes, shown once.
 *
 * @internal
 */
export function recoveryCodesPage(
  { form, codes }: RecoveryCodesView,
  { texts }: PageShell,
): PageContent {
  const items = codes.map((code) => html`<li><code>${code}</code></li>`)
  const label = texts.plain('recovery-codes.list')
  return {
    title: 'recovery-codes.title',
    isFaulty: form.fault !== null,
    body: html`<p>${texts.html('recovery-codes.lead')}</p>
<p>${texts.html('recovery-codes.keep')}</p>
<ol class="codes" dir="ltr" aria-label="${label}">${items}</ol>
${formOf(form, texts, 'fault.stale', button(texts.html('recovery-codes.submit')))}`,
  }
}

/** Seconds until the next offer in the same browser. */
const offerEvery = 30 * 24 * 60 * 60

/**
 * The cookie of an offer after a sign-in by password; null for no offer. The offer comes once in 30
 * days, to users without a passkey. A failure, already reported by the call, does not block the
 * sign-in.
 */
export async function offerPasskey(
  { passkeysKit, offeredCookie }: BrowserKit,
  incoming: IncomingMessage,
  { userId, methods }: IssuedSession['session'],
): Promise<CookieChange | null> {
  if (passkeysKit === undefined) return null
  if (methods.includes('passkey') || offeredCookie.read(incoming) !== null) return null
  const hasAny = await hasAnyPasskey(passkeysKit, userId).catch(() => true)
  return hasAny ? null : { of: offeredCookie, value: 'yes', maxAge: offerEvery }
}

/** `/oauth/passkey`: offers a passkey after a sign-in by password. */
export function createAddPasskeyPage(kit: BrowserKit, passkeysKit: PasskeysKit): FormPage {
  return {
    page: 'passkey',

    async view({ found }, form) {
      if (found === null) return null
      const passkey = await newPasskeyPart(passkeysKit, found, true)
      return addPasskeyContent(found, form, passkey)
    },

    async submit(visit, fields) {
      const { found, request } = visit
      if (found === null) return { next: 'start-over' }
      if (fields.has('passkey'))
        return addPasskey(kit, passkeysKit, addingOn(kit, visit, found), fields, request)
      return {
        next: 'answer',
        answer: seeOther(pageAddress(kit.baseUrl, 'authorize', visit.asked)),
      }
    },
  }
}

function addPasskeyContent(
  found: BrowserUser,
  form: PageForm,
  passkey: Awaited<ReturnType<typeof newPasskeyPart>>,
): Content {
  const shown = { account: accountOf(found), form }
  return (shell) => addPasskeyPage({ ...shown, passkey: passkey?.(shell) ?? null }, shell)
}

/** The offer of a passkey after a sign-in by password. */
interface AddPasskeyView extends Omit<OwnView, 'back'> {
  /** Null if the sign-in is too old: then the page only leads on. */
  readonly passkey: SafeHtml | null
}

/**
 * The offer of a passkey for the next sign-in.
 *
 * @internal
 */
export function addPasskeyPage(
  { account, form, passkey }: AddPasskeyView,
  { texts, passkeyScript }: PageShell,
): PageContent {
  const content = [passkey, button(texts.html('add-passkey.later'), choice('later', 'link'))]
  return {
    title: 'add-passkey.title',
    isFaulty: form.fault !== null,
    body: html`<p>${texts.html('add-passkey.lead')}</p>
${accountCard(account)}
${formOf(form, texts, 'fault.wrong-passkey', content)}`,
    scripts: [passkey && passkeyScript],
  }
}

/** `/account/passkeys`: adds, renames and removes passkeys. */
export function createPasskeysPage(kit: BrowserKit, passkeysKit: PasskeysKit): AccountFormPage {
  const own = ownPasskeys(passkeysKit)
  const back = plainAddress(kit, 'account')
  return {
    page: 'account/passkeys',
    needsFresh: true,

    async view(found, form) {
      const listed = await own.list(found.session.userId)
      const shown = listed.map(({ id, name, createdAt, lastUsedAt }) => ({
        id,
        name,
        createdAt: new Date(createdAt),
        lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt),
      }))
      const view = { account: accountOf(found), form, passkeys: shown, back }
      return (shell) => accountPasskeysPage(view, shell)
    },

    async submit(asking) {
      const { found, fields, user } = asking
      const { context } = asking.request
      if (fields.has('passkey')) {
        const onward = plainAddress(kit, 'account/passkeys')
        const codesOf = (codes: readonly string[]) => showCodes(asking, codes)
        const adding = { found, onward, showCodes: codesOf }
        const added = await addPasskey(kit, passkeysKit, adding, fields, asking.request)
        return changedBy(added, asking)
      }
      const [choice = '', id = ''] = fields.text('choice').split(' ', 2)
      if (choice === 'add') {
        // Null only for a sign-in that has become too old in this moment.
        const part = await newPasskeyPart(passkeysKit, found, true)
        const answer = asking.show((form) => addPasskeyContent(found, form, part))
        return { next: 'answer', answer }
      }
      if (choice === 'remove') return remove(kit, asking, () => own.remove(user, id, context))
      if (!fields.has('id')) return { next: 'open', page: 'account/passkeys' }
      const named = { name: fields.text('name') }
      return rename(() => own.rename(user.session.userId, fields.text('id'), named))
    },
  }
}

/** Shows recovery codes, only in this answer, on a page of the account. */
export function showCodes(asking: Asking, codes: readonly string[]): TextAnswer {
  return asking.show((form) => (shell) => recoveryCodesPage({ form, codes }, shell))
}

// Every copy of the cookie from before the change dies within seconds.
async function remove(
  kit: BrowserKit,
  asking: Asking,
  change: () => Promise<void>,
): Promise<Changed> {
  const { found, request } = asking
  const remove = async (beforehand: () => Promise<void>) => {
    await beforehand()
    await change().catch(unlessGone)
    return { next: 'answer', answer: asking.open('account/passkeys') } as const
  }
  const refusal = (error: unknown) =>
    hasCode(error, 'last-sign-in-method') ? wrongFields : refusalOfCode(error)
  return changedBy(await renewCookie(kit, found, request.incoming, remove, refusal), asking)
}

async function rename(change: () => Promise<unknown>): Promise<Changed> {
  try {
    await change().catch(unlessGone)
    return { next: 'open' }
  } catch (error) {
    if (hasCode(error, 'invalid-request')) return wrongFields
    throw error
  }
}

function hasCode(error: unknown, code: AuthError['code']): boolean {
  return error instanceof AuthError && error.code === code
}

interface AccountPasskeysView extends OwnView {
  readonly passkeys: readonly PasskeyOnPage[]
}

/** A passkey of the user. */
export interface PasskeyOnPage {
  readonly id: string
  readonly name: string
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
}

/**
 * The passkeys, each with a form of its own.
 *
 * @internal
 */
export function accountPasskeysPage(view: AccountPasskeysView, { texts }: PageShell): PageContent {
  const { account, form, passkeys, back } = view
  const add = button(texts.html('account-passkeys.add'), { name: 'choice', value: 'add' })
  return {
    title: 'account.passkeys',
    isFaulty: form.fault !== null,
    body: html`${accountCard(account)}
${passkeys.length === 0 ? html`<p>${texts.html('account-passkeys.none')}</p>` : null}
${formOf(form, texts, 'account-passkeys.wrong', add)}
${passkeys.map((one, index) => passkey(one, index, view, texts))}
${backTo(back, texts)}`,
    listed: passkeys,
  }
}

function passkey(
  { id, name, createdAt, lastUsedAt }: PasskeyOnPage,
  index: number,
  { form }: AccountPasskeysView,
  texts: PageTexts,
): SafeHtml {
  const rename = field(
    {
      id: `name-${index}`,
      name: 'name',
      label: 'account-passkeys.name',
      isFaulty: false,
      attributes: { type: 'text', value: name, autocomplete: 'off', required: true },
    },
    texts,
  )
  const used =
    lastUsedAt &&
    html`<p class="hint">${texts.html('account.last-seen', { time: texts.moment(lastUsedAt) })}</p>
`
  const label = texts.plain('account-passkeys.remove-named', { passkey: name })
  const remove = { name: 'choice', value: `remove ${id}`, class: 'danger', 'aria-label': label }
  return html`<form method="post" action="${form.action}" class="item">
${form.hidden}${hiddenFields({ id })}${rename}<p class="hint">${texts.html(
    'account-passkeys.made',
    {
      time: texts.moment(createdAt),
    },
  )}</p>
${used}${button(texts.html('account-passkeys.rename'), { class: 'plain' })}
${button(texts.html('account-passkeys.remove'), { ...remove, formnovalidate: true })}
</form>
`
}
