import type { Operation } from './operation.js'
import { accountOperations } from './operations/accounts.js'
import { appOperations } from './operations/apps.js'
import { authorizationOperations, usersOfApps } from './operations/authorization.js'
import { deletionOperations } from './operations/deletion.js'
import { deviceLinkOperations } from './operations/device-links.js'
import { emailSignInOperations } from './operations/email-sign-in.js'
import { passkeyOperations } from './operations/passkeys.js'
import { providerOperations } from './operations/providers.js'
import { registrationOperations } from './operations/registration.js'
import { secondFactorOperations } from './operations/second-factor.js'
import {
  keyOperations,
  namedTokenOperations,
  sessionOperations,
  signingIn,
} from './operations/sessions.js'

/** Every request that some router answers, with any options. */
export const operations: readonly Operation[] = [
  ...signingIn,
  ...emailSignInOperations,
  ...sessionOperations,
  ...namedTokenOperations,
  ...secondFactorOperations,
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
