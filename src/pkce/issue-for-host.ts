import { z } from 'zod'
import { type Audit, noRequest } from '../audit/events.js'
import { invalidRequest } from '../errors.js'
import { requireOptions } from '../http/host-input.js'
import { isHostId } from '../lib/host-id.js'
import { lazily } from '../lib/lazily.js'
import type { DecideSignIn } from '../sign-in.js'
import type { AuthenticationMethod } from '../stores/contract.js'
import type { UserStore } from '../users/contract.js'
import type { AuthorizationCodes, IssuedAuthorizationCode } from './authorization-code.js'
import { codeChallengePattern } from './code-challenge.js'

/** A code for the host's own sign-in page. */
export interface IssueAuthorizationCodeRequest {
  /** The user the host has just signed in. */
  readonly userId: string
  /**
   * From the client: 43 base64url characters, `S256` of
   * [RFC 7636 §4.2](https://www.rfc-editor.org/rfc/rfc7636#section-4.2).
   */
  readonly codeChallenge: string
  /**
   * The second-factor code the user typed. Required if the user has a second factor: the host's
   * page does not bypass it.
   */
  readonly code?: string
  /**
   * The scope of the resulting session: a list of words, up to 1000 characters joined by blanks.
   * Default `['*']`: everything the user may do.
   */
  readonly scope?: readonly string[]
}

/** Issues a code for a user whom the host's own page has signed in. */
export type IssueAuthorizationCode = (
  request: IssueAuthorizationCodeRequest,
) => Promise<IssuedAuthorizationCode>

export interface IssueForHostDeps {
  readonly users: Pick<UserStore, 'findById'>
  readonly decideSignIn: DecideSignIn
  readonly codes: Pick<AuthorizationCodes, 'issue'>
  readonly clock: () => Date
  readonly audit: Audit
}

/** An access token contains the scope and is limited to 4096 characters. */
const maxScopeChars = 1000

const schema = lazily(() =>
  z.strictObject({
    userId: z.string().refine(isHostId),
    codeChallenge: z.string().regex(codeChallengePattern),
    code: z.string().min(1).max(64).optional(),
    // RFC 6749 §3.3: scope-token.
    scope: z
      .array(z.string().regex(/^[!#-[\]-~]+$/))
      .min(1)
      .refine(
        (words) => words.join(' ').length <= maxScopeChars,
        `is longer than ${maxScopeChars} characters`,
      )
      .default(['*']),
  }),
)

/** `issueAuthorizationCode` makes the same decision as every other sign-in. */
export function createIssueForHost({
  users,
  decideSignIn,
  codes,
  clock,
  audit,
}: IssueForHostDeps): IssueAuthorizationCode {
  return async function issueAuthorizationCode(request) {
    const parsed = schema().safeParse(requireOptions(request))
    if (!parsed.success) {
      throw invalidRequest(
        parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })),
      )
    }
    const { userId, codeChallenge, code = null, scope } = parsed.data
    const user = await users.findById(userId)
    const methods: readonly AuthenticationMethod[] = ['host']
    const decision = await decideSignIn({
      door: 'authorization-code',
      user,
      methods,
      code,
      context: noRequest,
    })
    if (!decision.allowed) {
      audit({ type: 'code.refused', reason: decision.reason, userId }, noRequest)
      throw decision.error
    }
    return codes.issue(
      {
        approved: decision.approved,
        codeChallenge,
        scope: scope.join(' '),
        authenticatedAt: clock(),
        issuedBySessionId: null,
      },
      noRequest,
    )
  }
}
