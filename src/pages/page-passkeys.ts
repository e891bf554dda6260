import type { PasskeysOnPages } from '../passkeys/passkeys-on-pages.js'
import type { PasskeyPart } from './passkey-part.js'

/** Passkeys on a page: what asks for one, and what judges it. */
export interface PagePasskeys {
  readonly part: PasskeyPart
  readonly server: PasskeysOnPages
}
