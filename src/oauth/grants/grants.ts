import type { OAuthGrant } from '../../stores/client-contract.js'
import type { AppsKit } from '../apps-kit.js'
import { deviceGrant, serviceGrant } from '../client-defaults.js'
import { codeParameters, exchangeCode, type Grant } from './code.js'
import { deviceParameters, exchangeDeviceCode } from './device.js'
import { refreshByToken, refreshParameters } from './refresh.js'
import { serve, serviceParameters } from './service.js'

/** One `grant_type` of the token endpoint. */
export interface GrantType {
  readonly grant: Grant
  readonly isOn: (kit: AppsKit) => boolean
  /** The parameters of the grant with their descriptions, for the API description. */
  readonly parameters: Readonly<Record<string, string>>
}

const isOn = () => true

/** Every grant with its parameters. Registration and metadata list them as `grantTypes`. */
export const grants: Readonly<Record<OAuthGrant, GrantType>> = {
  authorization_code: { grant: exchangeCode, isOn, parameters: codeParameters },
  refresh_token: { grant: refreshByToken, isOn, parameters: refreshParameters },
  [deviceGrant]: {
    grant: exchangeDeviceCode,
    isOn: ({ deviceFlow }) => deviceFlow !== undefined,
    parameters: deviceParameters,
  },
  [serviceGrant]: {
    grant: serve,
    isOn: ({ hasServices }) => hasServices,
    parameters: serviceParameters,
  },
}
