import { identityOperations, passkeyOperations, proofOperations } from './one-time-of-accounts.js'
import { deviceCodeOperations, oauthOperations } from './one-time-of-apps.js'
import { factorOperations } from './one-time-of-factors.js'
import {
  codeOperations,
  keyOperations,
  sessionOperations,
  ticketOperations,
} from './one-time-of-sessions.js'
import type { OneTimeOperation } from './one-time-operation.js'

/** Every one-time operation of every contract. */
export const oneTimeOperations: readonly OneTimeOperation[] = [
  ...codeOperations,
  ...sessionOperations,
  ...ticketOperations,
  ...factorOperations,
  ...keyOperations,
  ...oauthOperations,
  ...passkeyOperations,
  ...proofOperations,
  ...identityOperations,
  ...deviceCodeOperations,
]
