import { noRequest } from '../../audit/events.js'
import type { GroundKit } from '../../kits/ground-kit.js'
import { createHostCall } from '../../lib/host-call.js'
import { faultOf, type HandOver, sendTimeoutMs, textsFor } from '../../mail/mailer.js'
import type { PageTexts } from '../../pages/texts.js'
import { type TextMessage, type TextSettings, writeText } from './text-message.js'

/**
 * Sends a text message of the router. Resolves once it is handed over. A rejection, or no answer in
 * 30 seconds, raises the event `mail.failed` with the channel `phone`.
 */
export type SendText = (message: TextMessage) => Promise<void>

/** The host's sender, and the parts for writing messages. */
export interface TextSenderSettings extends TextSettings {
  readonly send: SendText
  readonly languages: ReadonlyMap<string, PageTexts>
  readonly language: string
}

/** Hands a message to the host. */
export function createHandOverText(kit: GroundKit, settings: TextSenderSettings): HandOver {
  const { audit, watch } = kit
  const call = createHostCall(
    sendTimeoutMs,
    (failure) => audit({ type: 'host.failed', ...failure }, noRequest),
    { watch },
  )
  return async function handOverText({ kind, to, code, locale }, { requestId }) {
    const texts = textsFor(locale, settings)
    const text = writeText({ kind, ...(code !== undefined && { code }) }, texts, settings)
    const message: TextMessage = Object.freeze({
      kind,
      to,
      text,
      locale: texts.tag,
      ...(code === undefined ? {} : { code }),
      requestId,
    })
    return faultOf(() => call('phones.send', () => settings.send(message)))
  }
}
