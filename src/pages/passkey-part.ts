import { attributes, html, type SafeHtml } from './html.js'
import type { TextKey } from './texts/en.js'
import type { PageTexts } from './texts.js'

/** What a page asks a passkey for. */
export interface AskedPasskey {
  /** `create`: a new one. */
  readonly ceremony: 'get' | 'create'
  /** As browsers take them, in JSON. */
  readonly options: object
  readonly label: TextKey
  /** Whether the page has nothing else to sign in by. */
  readonly isAlone: boolean
  /**
   * Where new options come from; a page that has them lets the browser offer a passkey in the
   * field of the name, too. Null for a page without.
   */
  readonly renew: string | null
  /** The id of a passkey that was shown and is not known here: the browser is to drop it. */
  readonly unknown?: string | null
}

/** Makes what stands in a form for passkeys: a button, what to say, and the script for both. */
export type PasskeyPart = (asked: AskedPasskey, texts: PageTexts) => SafeHtml

/** Makes it. `script` is the URL of the script. */
export function createPasskeyPart(script: string): PasskeyPart {
  return function passkeyPart({ ceremony, options, label, isAlone, renew, unknown }, texts) {
    const button = attributes({
      type: 'button',
      class: isAlone ? null : 'plain',
      // The script shows it, where the browser has passkeys.
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
${without}<script src="${script}" defer></script>
`
  }
}
