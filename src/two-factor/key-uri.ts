import { encodeBase32 } from '../lib/base32.js'

/** What an authenticator app shows and keeps. */
export interface KeyUri {
  /** The service, without a colon: apps take what stands before the first colon for the issuer. */
  readonly issuer: string
  /** The user's name there. */
  readonly account: string
  readonly seed: Buffer
}

/**
 * The URI that authenticator apps read from a QR code, in the Key URI format. Every part is
 * percent-encoded, blanks as `%20`: apps show a `+` as it stands.
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
  // The host chooses the name, and a lone surrogate makes encodeURIComponent throw.
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD')).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
