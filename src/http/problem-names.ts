import type { AuthErrorCode } from '../errors.js'

/**
 * `plain`: names as in the catalogue. `oauth`: the message again as `error_description`, and
 * `invalid_request` as RFC 6749 §5.2 spells it. `oauth-endpoint`: every name as OAuth's clients
 * know it, and a description that holds no character which §5.2 does not allow.
 */
export type ProblemStyle = 'plain' | 'oauth' | 'oauth-endpoint'

/** What the styles call a refusal, where that is not its name in the catalogue. */
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

/** What `error` of an answer is. */
export function nameInStyle(code: AuthErrorCode, style: ProblemStyle): string {
  return styledNames[style][code] ?? code
}
