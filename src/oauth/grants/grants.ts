import type { OAuthGrant } from '../../stores/client-contract.js'
import { type CodeGrantDeps, codeParameters, createCodeGrant, type Grant } from './code.js'
import { createRefreshGrant, type RefreshGrantDeps, refreshParameters } from './refresh.js'

/** The dependencies of all grants. */
export type GrantDeps = CodeGrantDeps & RefreshGrantDeps

/** One `grant_type` of the token endpoint. */
export interface GrantType {
  create(deps: GrantDeps): Grant
  /** The parameters of the grant with their descriptions, for the API description. */
  readonly parameters: Readonly<Record<string, string>>
}

/** Every grant with its parameters. Registration and metadata list them as `grantTypes`. */
export const grants: Readonly<Record<OAuthGrant, GrantType>> = {
  authorization_code: { create: createCodeGrant, parameters: codeParameters },
  refresh_token: { create: createRefreshGrant, parameters: refreshParameters },
}
