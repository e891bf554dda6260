import { isIP } from 'node:net'
import { noRequest, type RequestContext } from '../audit/events.js'
import { type MailFault, type MailKind, tellsOwner } from '../audit/mail.js'
import { AuthError } from '../errors.js'
import type { GroundKit } from '../kits/ground-kit.js'
import { parseMailAddress } from '../lib/addresses.js'
import { limitConcurrency, within } from '../lib/async.js'
import { createHostCall } from '../lib/host-call.js'
import { chooseLanguage, type PageTexts } from '../pages/texts.js'
import type { Mail, MailCause, MailSender } from './contract.js'

/** Counts of mails and text messages since the start. */
export interface MailStats {
  /** The host's `send` has resolved. */
  readonly sent: number
  /** Mails that were not sent; the event `mail.failed` says why. */
  readonly failed: number
  /** Mails under way. */
  readonly waiting: number
}

/** A mail without its cause, which is the request. */
export type MailToSend = Omit<MailRequest, 'because'>

/** A place for a mail that tells an owner something. */
export interface MailPlace {
  /** Sends the mail, and frees the place. Call one of the two, once. */
  send(mail: MailToSend, context: RequestContext): void
  release(): void
}

/** Sends mails, of which no answer waits for any. */
export interface Mailer {
  /** Returns at once and never throws; what becomes of the mail is in the events. */
  send(mail: MailToSend, context: RequestContext): void
  /**
   * A place for a mail without which nothing may be changed. Throws 503 if too many mails that tell
   * an owner something wait already. Call `send` or `release` of it.
   */
  reserve(): MailPlace
  /** Reports a mail that was not even prepared. */
  drop(mail: Pick<MailToSend, 'kind'> & { readonly userId: string }, context: RequestContext): void
  stats(): MailStats
  /** Sends no more, and waits for mails under way, `storeTimeout` at most. */
  close(): Promise<void>
}

/** The sender of mails, and the parts for writing them. */
export interface MailSettings extends MailTexts {
  readonly sender: MailSender
  /** The name of the device for people, by its user agent. */
  readonly nameDevice: (userAgent: string | null) => Promise<string | null>
  /** Milliseconds that `close` waits. */
  readonly storeTimeout: number
}

/** How many mails of a queue are handed over at once. Each queue has its own places. */
const atOnce = 10
/** How many wait: of one kind that anybody may ask for, and of all that tell an owner something. */
const mostAsked = 100
const mostTold = 1000
/** Milliseconds that the host has for one. */
export const sendTimeoutMs = 30_000

/** Sends mails by the host's sender. */
export function createMailer(kit: GroundKit, settings: MailSettings): Mailer {
  return createOutbox(kit, createHandOver(kit, settings), settings.storeTimeout)
}

/** Hands a message to the host. Resolves with the reason if it was not sent. Never rejects. */
export type HandOver = (mail: MailToSend, context: RequestContext) => Promise<MailFault | null>

/**
 * Hands messages over in their turn, and reports the results. `close` waits `storeTimeout`
 * milliseconds.
 */
export function createOutbox(
  kit: Pick<GroundKit, 'audit'>,
  handOver: HandOver,
  storeTimeout: number,
  channel?: 'phone',
): Mailer {
  const { deliver, conclude, counts } = createDelivery(kit, handOver, channel)
  const told = createMailQueue(mostTold)
  const asked = new Map<MailKind, MailQueue>()
  let closed = false

  function queueOf({ kind }: MailToSend): MailQueue {
    if (tellsOwner(kind)) return told
    const queue = asked.get(kind) ?? createMailQueue(mostAsked)
    asked.set(kind, queue)
    return queue
  }

  const queues = () => [told, ...asked.values()]

  function start(mail: MailToSend, context: RequestContext): void {
    if (closed) conclude(aboutOf(mail), 'closed', context)
    else if (!queueOf(mail).run(() => deliver(mail, context)))
      conclude(aboutOf(mail), 'overflow', context)
  }

  return {
    send: start,
    reserve() {
      const release = closed ? null : told.hold()
      if (release === null)
        throw new AuthError('temporarily-unavailable', {
          retryAfter: 2,
          message: 'too many mails wait',
        })
      return {
        release,
        send(mail, context) {
          release()
          start(mail, context)
        },
      }
    },
    drop: ({ kind, userId }, context) => conclude({ kind, userId }, 'overflow', context),
    stats: () => ({ ...counts, waiting: queues().reduce((sum, { work }) => sum + work.size, 0) }),
    async close() {
      closed = true
      await within(storeTimeout, Promise.all(queues().flatMap(({ work }) => [...work])))
    },
  }
}

/** Mails that are handed over or wait, in the order of their arrival. */
interface MailQueue {
  readonly work: ReadonlySet<Promise<void>>
  /** False if too many wait. */
  run(deliver: () => Promise<void>): boolean
  /** Keeps a place, and returns a function that releases it; null if there is no place. */
  hold(): (() => void) | null
}

function createMailQueue(mostWaiting: number): MailQueue {
  const work = new Set<Promise<void>>()
  const inTurn = limitConcurrency(atOnce)
  let held = 0
  const isFull = () => work.size + held >= atOnce + mostWaiting
  return {
    work,
    run(deliver) {
      if (isFull()) return false
      const mine = inTurn(deliver).finally(() => work.delete(mine))
      work.add(mine)
      return true
    },
    hold() {
      if (isFull()) return null
      held += 1
      let isHeld = true
      return () => {
        if (isHeld) held -= 1
        isHeld = false
      }
    },
  }
}

/** The user and the kind of a mail, in events. */
interface AboutMail {
  readonly kind: MailKind
  readonly userId: string | null
}

const aboutOf = ({ kind, user }: MailToSend): AboutMail => ({ kind, userId: user?.id ?? null })

// Hands a message over, and reports the result.
function createDelivery(
  { audit }: Pick<GroundKit, 'audit'>,
  handOver: HandOver,
  channel: 'phone' | undefined,
) {
  const counts = { sent: 0, failed: 0 }
  const ofChannel = channel === undefined ? {} : { channel }

  function conclude(of: AboutMail, reason: MailFault | null, context: RequestContext): void {
    const about = { ...of, ...ofChannel }
    if (reason === null) {
      counts.sent += 1
      audit({ type: 'mail.queued', ...about }, context)
    } else {
      counts.failed += 1
      audit({ type: 'mail.failed', reason, ...about }, context)
    }
  }

  async function deliver(mail: MailToSend, context: RequestContext): Promise<void> {
    // It is handed over after the answer, even if the host works before its first `await`.
    await new Promise(setImmediate)
    conclude(aboutOf(mail), await handOver(mail, context), context)
  }

  return { counts, conclude, deliver }
}

function createHandOver({ clock, audit, watch }: GroundKit, settings: MailSettings): HandOver {
  const { sender, nameDevice } = settings
  const call = createHostCall(
    sendTimeoutMs,
    (failure) => audit({ type: 'host.failed', ...failure }, noRequest),
    { watch },
  )
  return async function handOver(mail, { ip, userAgent }) {
    const to = parseMailAddress(mail.to)
    if (to === null) return 'address'
    return faultOf(async () => {
      const because = { ip, device: await nameDevice(userAgent), at: clock() }
      await call('mail.send', () => sender.send(composeMail({ ...mail, to, because }, settings)))
    })
  }
}

/** The reason why a call of the host's sender has failed; null if it has not. */
export async function faultOf(send: () => Promise<unknown>): Promise<MailFault | null> {
  try {
    await send()
    return null
  } catch (error) {
    return isTimeout(error) ? 'timeout' : 'rejected'
  }
}

// A call that failed is a 503 with the failure as its cause.
function isTimeout(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && cause.name === 'TimeoutError'
}

/** The parts that a mail is made of. */
export interface MailRequest {
  readonly kind: MailKind
  readonly to: string
  /** The user's language at the host; null for the default of the pages. */
  readonly locale: string | null
  readonly user: { readonly id: string; readonly name: string } | null
  readonly code?: string
  readonly url?: string
  readonly expiresAt?: Date
  readonly reason?: string
  readonly because: MailCause
}

/** The texts of mails, and the addresses of their links. */
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
const maxReasonChars = 120

/** The advice for a reader who knows nothing of it. */
const otherwise = {
  'reset-password': 'mail.not-asked',
  'password-elsewhere': 'mail.not-asked',
  'verify-address': 'mail.not-asked',
  'change-address': 'mail.not-asked',
  'address-changed': null,
  'address-undone': 'mail.not-you-undone',
  'address-taken': 'mail.not-asked',
  'phone-changed': null,
  'phone-claimed': null,
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
  'acted-for': null,
} as const satisfies Record<MailKind, string | null>

/**
 * Writes a mail in the user's language: paragraphs of plain text. Only texts of the catalogue stand
 * in the subject.
 */
function composeMail(request: MailRequest, written: MailTexts): Mail {
  const { kind, to, user, code, url, expiresAt, reason } = request
  const texts = textsFor(request.locale, written)
  const because = sayableCause(request.because)
  const last = otherwise[kind]
  const paragraphs = [
    greeting(user, texts),
    texts.plain(`mail.${kind}.text`),
    ...proof(request, texts),
    sayable(reason ?? null, maxReasonChars) ?? undefined,
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
    ...(reason === undefined ? {} : { reason }),
    because,
  })
}

// Every reader gets these links: no link of a notice signs anybody in.
function ways({ forgotUrl, accountUrl }: MailTexts, texts: PageTexts): string[] {
  const forgot = forgotUrl && `${texts.plain('new-password.title')}: ${forgotUrl}`
  const account = accountUrl && `${texts.plain('account.title')}: ${accountUrl}`
  return [[forgot, account].filter((one) => one !== undefined).join('\n')].filter(Boolean)
}

/** The texts in the user's language, or in the default one. */
export function textsFor(
  locale: string | null,
  { languages, language }: Pick<MailTexts, 'languages' | 'language'>,
): PageTexts {
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

// The time has its zone: the reader's own zone is not known. Versions of Node differ in the kind of
// blanks.
function timeIn({ tag }: PageTexts, date: Date): string {
  const format = { dateStyle: 'long', timeStyle: 'long', timeZone: 'UTC' } as const
  return new Intl.DateTimeFormat(tag, format).format(date).replaceAll(/\p{Zs}/gu, ' ')
}

/**
 * A name or device as a mail may show it: one line, without text that a mail program makes a link
 * of. A stranger can choose both, and the mail bears the service's name. Null if nothing is left.
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
