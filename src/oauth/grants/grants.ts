import type { OAuthGrant } from '../../stores/client-contract.js'
import { type CodeGrantDeps, codeParameters, createCodeGrant, type Grant } from './code.js'
import { createRefreshGrant, type RefreshGrantDeps, refreshParameters } from './refresh.js'

/** What the grants need, all of them. */
export type GrantDeps = CodeGrantDeps & RefreshGrantDeps

/** One `grant_type` of the token endpoint. */
export interface GrantType {
  create(deps: GrantDeps): Grant
  /** Its own parameters and what they are, for the description of the API. */
  readonly parameters: Readonly<Record<string, string>>
}

/**
 * Every grant, and what it takes. Registration and metadata know it by its name in `grantTypes`.
 */
export const grants: Readonly<Record<OAuthGrant, GrantType>> = {
  authorization_code: { create: createCodeGrant, parameters: codeParameters },
  refresh_token: { create: createRefreshGrant, parameters: refreshParameters },
}
