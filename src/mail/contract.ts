import type { MailKind } from '../audit/mail.js'

/** The cause of a mail, for its reader. */
export interface MailCause {
  /** The client's address; null if the host's own code caused the mail. */
  readonly ip: string | null
  /** The kind of device, such as "Firefox on Linux"; null if unknown. The client chose it. */
  readonly device: string | null
  readonly at: Date
}

/** A mail, as text in the user's language, and what a template of yours needs instead. */
export interface Mail {
  readonly kind: MailKind
  /** One address, without a name. */
  readonly to: string
  /** The language of `subject` and `text`: one of the pages' languages, as in `lang`. */
  readonly locale: string
  /** One line. It contains no name, code or address. */
  readonly subject: string
  /** Plain text, in lines that end with `\n`. */
  readonly text: string
  /** The account; null if it is nobody's. Escape the name in HTML: its owner chose it. */
  readonly user: { readonly id: string; readonly name: string } | null
  /** Eight digits; only in mails with a code. Never log it. */
  readonly code?: string
  /** Only in mails with a link. Never log it, and have no service count its clicks. */
  readonly url?: string
  /** Until when `code` or `url` works. */
  readonly expiresAt?: Date
  /** Why somebody acts for the user, in your words; only in `acted-for`. */
  readonly reason?: string
  readonly because: MailCause
}

/**
 * Sends mails of the router.
 *
 * @example
 * ```ts
 * import type { MailSender } from 'messaging-auth-router'
 *
 * declare const transport: { sendMail(mail: object): Promise<unknown> } // of nodemailer
 * const mail: MailSender = {
 *   async send({ to, subject, text }) {
 *     const recipient = { name: '', address: to } // as text it would be parsed again
 *     await transport.sendMail({ from: 'chat@mail.example', to: recipient, subject, text })
 *   },
 * }
 * ```
 */
export interface MailSender {
  /**
   * Resolves once the mail is in a queue of yours, or sent. No answer of the router waits for it;
   * it may take 30 seconds. A rejection, or no answer in that time, raises the event `mail.failed`;
   * the router does not try again. Ten are under way at once of each kind that anybody may ask
   * for, and ten of all that tell an owner something.
   */
  send(mail: Mail): Promise<void>
}
