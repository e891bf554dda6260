/** Names that may be used once, such as the `jti` of a client's assertion. */
export interface OnceStore {
  /**
   * In ONE conditional write: notes the key until `expiresAt`, which is after `now`, unless it is
   * noted at `now`. Exactly one of several callers gets `claimed`, also where an expired note of
   * the key is still there. The key is no secret and has up to 1024 bytes, as ids have; a store may
   * keep a digest of it instead, as the shipped stores over SQL and Redis do.
   */
  claim(key: string, expiresAt: Date, now: Date): Promise<{ readonly outcome: 'claimed' | 'known' }>
  /**
   * Deletes the names that expired by `now`, at most `limit` if it is given, and says how many. A
   * store whose database expires its rows answers 0.
   */
  purge(now: Date, limit?: number): Promise<number>
}
