import type { EndpointRequest } from '../http/endpoint.js'
import type { AuthUser } from '../users/contract.js'

/** Asks a signed-in user for the password again. Throws 401 for a wrong one, 429 and 503. */
export type ProvePassword = (
  userId: string,
  password: string,
  request: Pick<EndpointRequest, 'context' | 'setHeaders' | 'aborted'>,
) => Promise<AuthUser>
