import { z } from 'zod'
import { invalidRequest } from '../errors.js'
import { type Audit, noRequest } from '../events.js'
import type { DecideSignIn } from '../sign-in.js'
import type { AuthenticationMethod } from '../stores/contract.js'
import type { UserStore } from '../users/contract.js'
import type { AuthorizationCodes, IssuedAuthorizationCode } from './authorization-code.js'
import { codeChallengePattern } from './code-challenge.js'

/** What a host's own sign-in page asks a code for. */
export interface IssueAuthorizationCodeRequest {
  /** The user the host has just signed in. */
  readonly userId: string
  /** From the client: 43 base64url characters, RFC 7636 §4.2, S256. */
  readonly codeChallenge: string
  /** The second-factor code the user typed. Required where the user has a second factor: the host's page is no way around it. */
  readonly code?: string
  /** What the resulting session may do, one word each. Default `['*']`, all that the user may do. */
  readonly scope?: readonly string[]
}

/** Issues a code for a user whom the host's own page has signed in. */
export type IssueAuthorizationCode = (request: IssueAuthorizationCodeRequest) => Promise<IssuedAuthorizationCode>

/** What issuing needs. */
export interface IssueForHostDeps {
  readonly users: UserStore
  readonly decideSignIn: DecideSignIn
  readonly codes: AuthorizationCodes
  readonly clock: () => Date
  readonly audit: Audit
}

const schema = z.strictObject({
  userId: z.string().min(1),
  codeChallenge: z.string().regex(codeChallengePattern),
  code: z.string().min(1).max(64).optional(),
  // RFC 6749 §3.3: scope-token.
  scope: z
    .array(z.string().regex(/^[!#-[\]-~]+$/))
    .min(1)
    .default(['*']),
})

/** Makes `issueAuthorizationCode`. It asks the same decision as every other way in. */
export function createIssueForHost({ users, decideSignIn, codes, clock, audit }: IssueForHostDeps): IssueAuthorizationCode {
  return async (request) => {
    const parsed = schema.safeParse(request)
    if (!parsed.success) {
      throw invalidRequest(parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })))
    }
    const { userId, codeChallenge, code = null, scope } = parsed.data
    const user = await users.findById(userId)
    const methods: readonly AuthenticationMethod[] = ['host']
    const decision = await decideSignIn({ door: 'authorization-code', user, methods, code, context: noRequest })
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
