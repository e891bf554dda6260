/** A ticket that opens one socket. The ticket itself is never stored, only its SHA-256. */
export interface SocketTicketRecord {
  readonly ticketHash: string
  readonly sessionId: string
  readonly userId: string
  /**
   * The rights of the socket and their end: no more than those of the token that the ticket was
   * issued for.
   */
  readonly scope: string
  readonly tokenExpiresAt: Date
  readonly createdAt: Date
  /** From this moment on the ticket is void. */
  readonly expiresAt: Date
}

/** The outcome: exactly one caller ever gets `consumed`. */
export type ConsumeTicketResult =
  | { readonly outcome: 'consumed'; readonly ticket: SocketTicketRecord }
  | { readonly outcome: 'unknown' }

/** One-time tickets for sockets of browsers, which cannot send headers with an upgrade. */
export interface SocketTicketStore {
  /** Inserts; rejects if the hash is already there. */
  save(ticket: SocketTicketRecord): Promise<void>
  /**
   * In ONE conditional write: deletes the ticket, if it is there and `now < expiresAt`, and answers
   * `consumed`. Otherwise `unknown`.
   */
  consume(ticketHash: string, now: Date): Promise<ConsumeTicketResult>
  /**
   * Deletes tickets that have expired by `now`, at most `limit` of them (0: none; left out: all of
   * them), and says how many. A store that lets the database expire its rows answers 0.
   */
  purge(now: Date, limit?: number): Promise<number>
}
