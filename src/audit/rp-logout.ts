/** Why an app was not told that a session has ended. */
export type RpLogoutFault =
  /** Too many messages were waiting. */
  | 'overflow'
  /** Its address, or that of its name, is not one of the public internet. */
  | 'address'
  /** It answered another status than 2xx, a redirect, or too much. */
  | 'rejected'
  /** It gave no whole answer within five seconds. */
  | 'timeout'
  /** There was no connection to it. */
  | 'unreachable'
  /** The signer signed no token; `host.failed` has more. */
  | 'signer'
  /** The client could not be read; `host.failed` has more. */
  | 'store'
  /** The router was closed first. */
  | 'closed'
