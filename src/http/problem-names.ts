import type { AuthErrorCode } from '../errors.js'

/**
 * `plain`: names of the catalogue. `oauth`: also `error_description`, and `invalid_request` in the
 * spelling of RFC 6749 §5.2. `oauth-endpoint`: all names of OAuth, and a description with only the
 * characters of §5.2.
 */
export type ProblemStyle = 'plain' | 'oauth' | 'oauth-endpoint'

/** Names that differ from the catalogue, by style. */
const styledNames: Readonly<Record<ProblemStyle, Partial<Record<AuthErrorCode, string>>>> = {
  plain: {},
  oauth: { 'invalid-request': 'invalid_request' },
  'oauth-endpoint': {
    'invalid-request': 'invalid_request',
    // RFC 6750 §3.1.
    Unauthorized: 'invalid_token',
    forbidden: 'insufficient_scope',
    'method-not-allowed': 'invalid_request',
    'payload-too-large': 'invalid_request',
    'unsupported-media-type': 'invalid_request',
    'temporarily-unavailable': 'temporarily_unavailable',
    configuration: 'server_error',
  },
}

/** The value of `error` in an answer. */
export function nameInStyle(code: AuthErrorCode, style: ProblemStyle): string {
  return styledNames[style][code] ?? code
}
