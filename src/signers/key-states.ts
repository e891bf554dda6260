import type { KeyInfo, KeyState, StoredSigningKey } from './contract.js'

/** What each key is at this moment, for the operator. */
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
 * The key that signs at this moment: the youngest whose time has come. A clock that runs behind the
 * one that made the first key must still find one to sign with.
 */
export function activeAmong(rows: readonly StoredSigningKey[], now: Date): StoredSigningKey {
  return (rows.filter(({ activatesAt }) => activatesAt <= now).at(-1) ??
    rows[0]) as StoredSigningKey
}

/** Whether a key's last token has ended. It was signed just before its successor took over. */
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
