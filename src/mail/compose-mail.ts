import { isIP } from 'node:net'
import type { MailKind } from '../audit/mail.js'
import type { PageTexts } from '../pages/texts.js'
import { chooseLanguage } from '../pages/texts.js'
import type { Mail, MailCause } from './contract.js'

/** What a mail is made of. */
export interface MailRequest {
  readonly kind: MailKind
  readonly to: string
  /** The user's language at the host; null for the default of the pages. */
  readonly locale: string | null
  readonly user: { readonly id: string; readonly name: string } | null
  readonly code?: string
  readonly url?: string
  readonly expiresAt?: Date
  readonly because: MailCause
}

/** In which words mails are written, and where they lead to. */
export interface MailTexts {
  /** The texts by language tag. */
  readonly languages: ReadonlyMap<string, PageTexts>
  /** The tag of the default language. */
  readonly language: string
  /** The pages of a forgotten password and of the account; undefined without. */
  readonly forgotUrl: string | undefined
  readonly accountUrl: string | undefined
}

const maxNameChars = 40
const maxDeviceChars = 40

/** What follows if the reader knows nothing of it. */
const otherwise = {
  'reset-password': 'mail.not-asked',
  'verify-address': 'mail.not-asked',
  'change-address': 'mail.not-asked',
  'address-changed': null,
  'address-undone': 'mail.not-you-undone',
  'address-taken': 'mail.not-asked',
  'second-factor-code': 'mail.not-signing-in',
  'sign-in-code': 'mail.not-asked',
  register: 'mail.not-asked',
  invitation: null,
  'confirm-deletion': 'mail.not-you',
  'password-changed': 'mail.not-you',
  'factor-changed': 'mail.not-you',
  'passkey-added': 'mail.not-you',
  'identity-linked': 'mail.not-you',
  'identity-unlinked': 'mail.not-you',
  'passkey-removed': 'mail.not-you',
  'device-approved': 'mail.not-you',
  'device-linked': 'mail.not-you-device',
  'new-network': 'mail.not-you',
  'clone-suspected': null,
} as const satisfies Record<MailKind, string | null>

/**
 * Writes a mail in the user's language: paragraphs of plain text. Only texts of the catalogue stand
 * in the subject.
 */
export function composeMail(request: MailRequest, written: MailTexts): Mail {
  const { kind, to, user, code, url, expiresAt } = request
  const texts = textsFor(request.locale, written)
  const because = sayableCause(request.because)
  const last = otherwise[kind]
  const paragraphs = [
    greeting(user, texts),
    texts.plain(`mail.${kind}.text`),
    ...proof(request, texts),
    expiresAt && texts.plain('mail.until', { time: timeIn(texts, expiresAt) }),
    cause(because, texts),
    last === null ? undefined : texts.plain(last),
    ...(last === 'mail.not-you' || last === 'mail.not-you-device' ? ways(written, texts) : []),
  ]
  return Object.freeze({
    kind,
    to,
    locale: texts.tag,
    subject: texts.plain(`mail.${kind}.subject`),
    text: `${paragraphs.filter((one) => one !== undefined).join('\n\n')}\n`,
    user,
    ...(code === undefined ? {} : { code }),
    ...(url === undefined ? {} : { url }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    because,
  })
}

// The same for everybody: no link of a notice signs anybody in.
function ways({ forgotUrl, accountUrl }: MailTexts, texts: PageTexts): string[] {
  const forgot = forgotUrl && `${texts.plain('new-password.title')}: ${forgotUrl}`
  const account = accountUrl && `${texts.plain('account.title')}: ${accountUrl}`
  return [[forgot, account].filter((one) => one !== undefined).join('\n')].filter(Boolean)
}

function textsFor(locale: string | null, { languages, language }: MailTexts): PageTexts {
  const asked = { uiLocales: [], userLocale: locale, acceptLanguage: undefined }
  return languages.get(chooseLanguage(asked, languages.keys(), language)) as PageTexts
}

function greeting(user: MailRequest['user'], texts: PageTexts): string {
  const name = sayable(user?.name ?? null, maxNameChars)
  return name === null
    ? texts.plain('mail.greeting-nameless')
    : texts.plain('mail.greeting', { name })
}

// A code is typed, so it is shown in parts that a person can remember.
function proof({ code, url }: MailRequest, texts: PageTexts): (string | undefined)[] {
  const shown = code?.replaceAll(/(\d{4})(?=\d)/g, '$1 ')
  const orLink = code !== undefined && url !== undefined ? texts.plain('mail.or-link') : undefined
  return [shown, orLink, url]
}

function sayableCause({ ip, device, at }: MailCause): MailCause {
  return Object.freeze({
    ip: ip !== null && isIP(ip) !== 0 ? ip : null,
    device: sayable(device, maxDeviceChars),
    at,
  })
}

function cause({ ip, device, at }: MailCause, texts: PageTexts): string {
  const lines = [texts.plain('mail.time', { time: timeIn(texts, at) })]
  if (device !== null) lines.push(texts.plain('mail.device', { device }))
  if (ip !== null) lines.push(texts.plain('mail.network', { network: ip }))
  return lines.join('\n')
}

// With the zone: a reader's own is not known. Versions of Node differ in the kind of blanks.
function timeIn({ tag }: PageTexts, date: Date): string {
  const format = { dateStyle: 'long', timeStyle: 'long', timeZone: 'UTC' } as const
  return new Intl.DateTimeFormat(tag, format).format(date).replaceAll(/\p{Zs}/gu, ' ')
}

/**
 * A name or device as a mail may say it: one line, without what a mail program makes a link of. A
 * stranger can choose both, and the mail bears the service's name. Null if nothing is left.
 */
function sayable(text: string | null, maxChars: number): string | null {
  // A bound before anything is read; characters have one or two units.
  const begin = (text ?? '').slice(0, 4 * maxChars)
  const words = begin
    .replaceAll(/[^\p{L}\p{M}\p{N}.'’()_-]/gu, ' ')
    // A dot ends a word, or it would join two to a domain.
    .replaceAll(/\.(?! |$)/g, '. ')
    .replaceAll(/ +/g, ' ')
  const said = [...words.trim()].slice(0, maxChars).join('').trim()
  return said === '' ? null : said
}
