import type { KeyInfo, KeyState, StoredSigningKey } from './contract.js'

/** The state of each key, for the operator. */
export function describeKeys(rows: readonly StoredSigningKey[], now: Date): KeyInfo[] {
  const active = activeAmong(rows, now)
  const stateOf = (row: StoredSigningKey): KeyState =>
    row === active ? 'active' : row.activatesAt > now ? 'next' : 'retired'
  return rows.map((row) => ({
    kid: row.kid,
    generation: row.generation,
    state: stateOf(row),
    activatesAt: row.activatesAt,
  }))
}

/**
 * The key that signs now: the newest that is active. If this clock is behind the clock that made
 * the first key, the first one.
 */
export function activeAmong(rows: readonly StoredSigningKey[], now: Date): StoredSigningKey {
  return (rows.filter(({ activatesAt }) => activatesAt <= now).at(-1) ??
    rows[0]) as StoredSigningKey
}

/** Whether a key's last token has expired; the key stopped signing when its successor started. */
export function isOver(
  row: StoredSigningKey,
  rows: readonly StoredSigningKey[],
  longestToken: number,
  now: Date,
): boolean {
  const successor = rows.find(({ generation }) => generation > row.generation)
  return (
    successor !== undefined && successor.activatesAt.getTime() + longestToken * 1000 < now.getTime()
  )
}
