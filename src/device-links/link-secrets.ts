import { deriveKey, equalInConstantTime, hmacSha256, randomSecret, sha256 } from '../lib/secrets.js'
import { newUserCode, readUserCode, shownUserCode } from '../lib/typed-codes.js'
import type { DeviceCodeRecord } from '../stores/device-code-contract.js'

/** What a device shows, and the id under which it is stored. */
export interface NewLink {
  readonly link: string
  readonly linkId: string
}

/** Whose link it is, since when. */
export type OpenedLink = Pick<DeviceCodeRecord, 'userCodeHash' | 'userId' | 'claimedAt'>

/** The secrets of links. None is stored: each is random, or computed from what is. */
export interface LinkSecrets {
  newLink(): NewLink
  /**
   * The id of the link in what was scanned or typed; null if there is none in it. Whoever knows
   * only the id cannot open the link: it is a digest.
   */
  linkIdOf(given: string): string | null
  /** Four digits for the new device to show, and for its user to type into the other one. */
  checkCodeOf(link: OpenedLink): string
  /** Compares in constant time. */
  isCheckCode(link: OpenedLink, typed: string): boolean
  /**
   * The secret part of the first refresh token, computed so that a device whose answer was lost
   * gets the same token again.
   */
  refreshSecretOf(linkId: string, codeVerifier: string): string
}

const prefix = 'mar_dl_'
const pattern = /^mar_dl_[A-Za-z0-9_-]{43}$/

/** With `shortCode`, a link is eight letters, which a plain digest would give away. */
export function createLinkSecrets(
  encryptionKeys: readonly Buffer[],
  shortCode: boolean,
): LinkSecrets {
  const [encryptionKey] = encryptionKeys
  const keyFor = (purpose: string, key = encryptionKey) => deriveKey(`device-links ${purpose}`, key)
  const codeKey = keyFor('short code')
  const checkKey = keyFor('check code')
  const otherCheckKeys = encryptionKeys.slice(1).map((key) => keyFor('check code', key))
  const refreshKey = keyFor('refresh token')
  const idOfCode = (code: string) => hmacSha256(codeKey, code)

  // As JSON, so that no two lists of parts are the same text.
  function checkCodeOf({ userCodeHash, userId, claimedAt }: OpenedLink, key = checkKey): string {
    const digest = hmacSha256(key, JSON.stringify([userCodeHash, userId, claimedAt]))
    const number = Buffer.from(digest, 'base64url').readUIntBE(0, 6) % 10_000
    return String(number).padStart(4, '0')
  }

  return {
    newLink() {
      if (shortCode) {
        const code = newUserCode()
        return { link: shownUserCode(code), linkId: idOfCode(code) }
      }
      const link = `${prefix}${randomSecret()}`
      return { link, linkId: sha256(link) }
    },
    linkIdOf(given) {
      if (!shortCode) return pattern.test(given) ? sha256(given) : null
      const code = readUserCode(given)
      return code === null ? null : idOfCode(code)
    },
    checkCodeOf: (link) => checkCodeOf(link),
    // While a new key comes first in one process and not yet in another, either may have shown it.
    isCheckCode: (link, typed) =>
      [checkKey, ...otherCheckKeys].some((key) =>
        equalInConstantTime(checkCodeOf(link, key), typed),
      ),
    refreshSecretOf: (linkId, codeVerifier) =>
      hmacSha256(refreshKey, JSON.stringify([linkId, codeVerifier])),
  }
}
