import type { MailKind } from '../../audit/mail.js'
import type { TextKey } from '../../pages/texts/en.js'
import type { PageTexts } from '../../pages/texts.js'

/** A text message, and what a template of yours needs instead. */
export interface TextMessage {
  readonly kind: MailKind
  /** In the form E.164: `+491701234567`. */
  readonly to: string
  /** One part of an SMS: at most 160 characters of GSM 03.38. It contains no link. */
  readonly text: string
  /** The language of `text`, as in `lang`. */
  readonly locale: string
  /** Eight digits; only in messages with a code. Never log it. */
  readonly code?: string
  /** Of the request that has caused it; null if your own code has. */
  readonly requestId: string | null
}

// GSM 03.38: the basic table, and characters that take the place of two.
const basic =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZ' +
  'ÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'

/** Whether each character takes one place in an SMS. */
export function isGsm7(text: string): boolean {
  return [...text].every((character) => basic.includes(character))
}

const keys: Readonly<Partial<Record<MailKind, TextKey>>> = {
  'address-changed': 'text.changed',
  'address-undone': 'text.undone',
}

/** The settings of messages. */
export interface TextSettings {
  /** The name of the service. */
  readonly service: string
  readonly webOtp: string | undefined
}

/**
 * Writes a message: the code, the service, and the line of
 * [WebOTP](https://wicg.github.io/sms-one-time-codes/#format), by which a browser fills the code in
 * on this host alone.
 */
export function writeText(
  { kind, code }: Pick<TextMessage, 'kind' | 'code'>,
  texts: PageTexts,
  { service, webOtp }: TextSettings,
): string {
  if (code === undefined) return texts.plain(keys[kind] ?? 'text.changed', { service })
  const said = texts.plain('text.code', { service, code })
  return webOtp === undefined ? said : `${said}\n\n@${webOtp} #${code}`
}
