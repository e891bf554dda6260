/** Names that may be used once, such as the `jti` of a client's assertion. */
export interface OnceStore {
  /**
   * In ONE conditional write: notes the key until `expiresAt` unless it is noted at `now`. Exactly
   * one of several callers gets `claimed`, also where an expired note of the key is still there.
   */
  claim(key: string, expiresAt: Date, now: Date): Promise<{ readonly outcome: 'claimed' | 'known' }>
  /**
   * Deletes what expired by `now`, at most `limit` where one is given, and says how many. A store
   * whose database expires its rows answers 0.
   */
  purge(now: Date, limit?: number): Promise<number>
}
