import type { Operation } from './operation.js'
import { accountOperations } from './operations/accounts.js'
import { appOperations } from './operations/apps.js'
import { authorizationOperations } from './operations/authorization.js'
import { deletionOperations } from './operations/deletion.js'
import { deviceLinkOperations } from './operations/device-links.js'
import { emailSignInOperations } from './operations/email-sign-in.js'
import { keyOperations } from './operations/keys.js'
import { namedTokenOperations } from './operations/named-tokens.js'
import { passkeyOperations } from './operations/passkeys.js'
import { providerOperations } from './operations/providers.js'
import { registrationOperations } from './operations/registration.js'
import { secondFactorOperations } from './operations/second-factor.js'
import { sessionOperations } from './operations/session.js'
import { signingIn } from './operations/signing-in.js'
import { usersOfApps } from './operations/users-of-apps.js'

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
