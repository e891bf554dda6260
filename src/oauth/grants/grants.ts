import type { OAuthGrant } from '../../stores/client-contract.js'
import { deviceGrant, serviceGrant } from '../client-defaults.js'
import { type CodeGrantDeps, codeParameters, createCodeGrant, type Grant } from './code.js'
import { createDeviceGrant, type DeviceGrantDeps, deviceParameters } from './device.js'
import { createRefreshGrant, type RefreshGrantDeps, refreshParameters } from './refresh.js'
import { createServiceGrant, type ServiceGrantDeps, serviceParameters } from './service.js'

/** The dependencies of all grants. */
export type GrantDeps = CodeGrantDeps & RefreshGrantDeps & DeviceGrantDeps & ServiceGrantDeps

/** One `grant_type` of the token endpoint. */
export interface GrantType {
  /** Null if the grant is switched off. */
  create(deps: GrantDeps): Grant | null
  /** The parameters of the grant with their descriptions, for the API description. */
  readonly parameters: Readonly<Record<string, string>>
}

/** Every grant with its parameters. Registration and metadata list them as `grantTypes`. */
export const grants: Readonly<Record<OAuthGrant, GrantType>> = {
  authorization_code: { create: createCodeGrant, parameters: codeParameters },
  refresh_token: { create: createRefreshGrant, parameters: refreshParameters },
  [deviceGrant]: { create: createDeviceGrant, parameters: deviceParameters },
  [serviceGrant]: { create: createServiceGrant, parameters: serviceParameters },
}
