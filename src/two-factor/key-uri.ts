import { encodeBase32 } from '../lib/typed-codes.js'

/** The content of a key URI. */
export interface KeyUri {
  /** The service, without a colon: apps read the text before the first colon as the issuer. */
  readonly issuer: string
  /** The user's name at the service. */
  readonly account: string
  readonly seed: Buffer
}

/**
 * The URI that authenticator apps read from a QR code, in the Key URI format. Every part is
 * percent-encoded, blanks as `%20`: apps show a `+` unchanged.
 */
export function otpauthUri({ issuer, account, seed }: KeyUri): string {
  const label = `${percentEncoded(issuer)}:${percentEncoded(account)}`
  const parameters = {
    secret: encodeBase32(seed),
    issuer: percentEncoded(issuer),
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  }
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${value}`)
  return `otpauth://totp/${label}?${query.join('&')}`
}

function percentEncoded(text: string): string {
  // The host chooses the name, and encodeURIComponent throws on a lone surrogate.
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD')).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
