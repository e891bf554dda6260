import { JOSEError } from 'jose/errors'
import { type JWTVerifyOptions, jwtVerify } from 'jose/jwt/verify'
import { ownMembers } from '../lib/check-options.js'
import type { CheckedOpenIdOptions } from './open-id-options.js'
import { outageOf } from './open-id-outage.js'
import type { OpenIdServer, OpenIdServers } from './open-id-server.js'

/** The content of a token that has passed every check. */
export interface VerifiedToken {
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
}

/** A token with a right signature and of this issuer and audience; null for anything else. */
export type VerifyToken = (
  token: string,
  server: OpenIdServer,
  checks?: Pick<JWTVerifyOptions, 'maxTokenAge' | 'requiredClaims'>,
) => Promise<VerifiedToken | null>

/** Whose tokens, for whom, and how far the clocks of the two servers may be apart. */
export type TokenSettings = Pick<
  CheckedOpenIdOptions,
  'issuer' | 'clientId' | 'clockToleranceSeconds'
>

/** What is wrong is the token. Everything else is the provider, or the way to it. */
const faults = new Set([
  'ERR_JOSE_ALG_NOT_ALLOWED',
  'ERR_JOSE_NOT_SUPPORTED',
  'ERR_JWKS_MULTIPLE_MATCHING_KEYS',
  'ERR_JWKS_NO_MATCHING_KEY',
  'ERR_JWS_INVALID',
  'ERR_JWS_SIGNATURE_VERIFICATION_FAILED',
  'ERR_JWT_CLAIM_VALIDATION_FAILED',
  'ERR_JWT_EXPIRED',
  'ERR_JWT_INVALID',
])

/** Verifies the tokens of a provider, with keys that are read anew for an unknown one. */
export function createVerifyToken(
  { issuer, clientId, clockToleranceSeconds }: TokenSettings,
  servers: OpenIdServers,
): VerifyToken {
  async function verify(
    token: string,
    server: OpenIdServer,
    checks: Parameters<VerifyToken>[2],
  ): Promise<VerifiedToken> {
    const { payload, protectedHeader } = await jwtVerify(
      token,
      server.keys,
      // Without a prototype, from which jose would read what is missing.
      ownMembers({
        ...checks,
        algorithms: server.algorithms,
        issuer,
        audience: clientId,
        clockTolerance: clockToleranceSeconds,
      }),
    )
    return { header: ownMembers(protectedHeader), claims: ownMembers(payload) }
  }

  return async function verifyToken(token, server, checks) {
    try {
      return await verify(token, server, checks)
    } catch (error) {
      if (!isFault(error)) throw outageOf(error)
      if (codeOf(error) !== 'ERR_JWKS_NO_MATCHING_KEY') return null
    }
    const newer = await servers.newer(server)
    if (newer === server) return null
    return verify(token, newer, checks).catch((error: unknown) => {
      if (isFault(error)) return null
      throw outageOf(error)
    })
  }
}

function isFault(error: unknown): boolean {
  return faults.has(codeOf(error))
}

function codeOf(error: unknown): string {
  return error instanceof JOSEError ? error.code : ''
}

/** Whether a time in a token is not in the future. */
export function isPast(seconds: unknown, toleranceSeconds: number): boolean {
  return typeof seconds === 'number' && seconds <= Date.now() / 1000 + toleranceSeconds
}
