import { UnexpectedAnswer } from '../lib/host-call.js'

/** A word for the log from an error code of RFC 6749 §4.1.2.1, which a stranger can write. */
export function errorReason(error: unknown): string {
  if (error === 'access_denied') return 'access-denied'
  return codeOf(error) ?? 'unknown-error'
}

function codeOf(error: unknown): string | undefined {
  return typeof error === 'string' && /^[a-z_]{1,40}$/.test(error) ? error : undefined
}

/**
 * What an outage is logged as. The libraries wrap what they do not know, and quote what they have
 * received.
 */
export function outageOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { code, error: answered, cause } = error as Error & { code?: string; error?: string }
  if (code === 'OAUTH_RESPONSE_BODY_ERROR')
    return new UnexpectedAnswer(
      `the token endpoint answers ${codeOf(answered) ?? 'an error'}: are clientId, clientSecret ` +
        'and clientAuth right, and the address of the callback registered?',
    )
  if (!/^(OAUTH|ERR_JOSE|ERR_JWKS)_/.test(code ?? '') && error.name !== 'ClientError') return error
  // Of a request that has failed: our own, or the system's.
  if ((code === undefined || code === 'ERR_JWKS_TIMEOUT') && cause instanceof Error) return cause
  return new UnexpectedAnswer(`the provider answers what cannot be read: ${code ?? 'unknown'}.`)
}
