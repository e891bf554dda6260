import { acceptanceOperations } from '../acceptance/api.js'
import {
  keyOperations,
  namedTokenOperations,
  sessionOperations,
  signingIn,
} from '../account/api.js'
import { secondFactorOperations } from '../account/second-factor-api.js'
import { accountOperations } from '../accounts/api.js'
import { deletionOperations } from '../deletion/api.js'
import { deviceLinkOperations } from '../device-links/api.js'
import { emailSignInOperations } from '../email-sign-in/api.js'
import { appOperations } from '../oauth/api.js'
import { authorizationOperations, usersOfApps } from '../oauth/authorization-api.js'
import type { Operation } from '../openapi/operation.js'
import { passkeyOperations } from '../passkeys/api.js'
import { providerOperations } from '../provider-sign-in/api.js'
import { registrationOperations } from '../registration/api.js'
import { rememberedOperations } from '../remembered/api.js'

/** Every request that some router answers, with any options. */
export const operations: readonly Operation[] = [
  ...signingIn,
  ...emailSignInOperations,
  ...sessionOperations,
  ...namedTokenOperations,
  ...secondFactorOperations,
  ...rememberedOperations,
  ...acceptanceOperations,
  ...passkeyOperations,
  ...accountOperations,
  ...registrationOperations,
  ...deletionOperations,
  ...providerOperations,
  ...deviceLinkOperations,
  ...authorizationOperations,
  ...appOperations,
  ...usersOfApps,
  ...keyOperations,
]
