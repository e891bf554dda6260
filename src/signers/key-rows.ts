import type { KeyStore, StoredSigningKey } from './contract.js'

/** How often each process reads the store, in seconds. */
export const reloadSeconds = 60

/** The generations of a ring, by age, as one process knows them. */
export interface KeyRows {
  /** Reads the store now. */
  reload(): Promise<readonly StoredSigningKey[]>
  /** From memory where it can be; from the store once a minute, and when a `kid` is asked for that is not known. */
  rowsFor(kid: string | undefined): Promise<readonly StoredSigningKey[]>
}

/** Reads a key store: once for however many ask to verify at a time. `makeFirst` is called when the store has never had a key. */
export function createKeyRows(store: KeyStore, clock: () => Date, makeFirst: () => Promise<unknown>): KeyRows {
  let loaded: { rows: StoredSigningKey[]; at: Date; turn: number } | undefined
  let turns = 0
  let reading: Promise<StoredSigningKey[]> | undefined
  let lastTry = new Date(0)

  async function read(): Promise<StoredSigningKey[]> {
    const at = clock()
    const turn = ++turns
    let rows = await store.list()
    // A store that has lost its keys, as when a folder is unmounted, is an outage; new keys would sign everybody out.
    if (rows.length === 0 && loaded !== undefined) throw new Error('the key store has lost its keys')
    if (rows.length === 0) {
      // The first process to come makes the first key; whoever comes second finds it.
      await makeFirst()
      rows = await store.list()
    }
    rows.sort((a, b) => a.generation - b.generation)
    // A slow read that began earlier must not put its old news in the place of newer ones.
    if (loaded === undefined || turn > loaded.turn) loaded = { rows, at, turn }
    return rows
  }

  function readTogether(): Promise<StoredSigningKey[]> {
    lastTry = clock()
    reading ??= read().finally(() => {
      reading = undefined
    })
    return reading
  }

  const isWithin = (seconds: number, moment: Date) => Math.abs(clock().getTime() - moment.getTime()) < seconds * 1000

  return {
    // Never one that is under way: whoever has just added a key wants to see it.
    reload: read,
    // A key may have been made by another process a moment ago, but whoever invents kids must not have the store read for each; and
    // while the store is down, the keys that are known go on verifying.
    async rowsFor(kid) {
      if (loaded === undefined) return readTogether()
      const { rows, at } = loaded
      const isKnown = kid === undefined || rows.some((row) => row.kid === kid)
      if (isKnown && isWithin(reloadSeconds, at)) return rows
      if (reading === undefined && isWithin(1, lastTry)) return rows
      return isKnown ? readTogether().catch(() => rows) : readTogether()
    },
  }
}
