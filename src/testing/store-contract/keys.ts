import type { KeyStore, StoredSigningKey } from '../../signers/contract.js'
import { newKey } from '../../stores/new-records.js'
import { awkwardText, longAwkwardText, type Part, same, spoil } from './harness.js'

/**
 * Signing keys, but for the race to insert one. Each test removes what it has put in: rings that
 * share the store would use it.
 */
export function keysContract(part: Part<KeyStore>): void {
  keyRows(part)
  keyChanges(part)
  resealing(part)
}

function keyRows({ it }: Part<KeyStore>): void {
  it('a key comes back as it was inserted', async (keys, at) => {
    const plain = newKey(at, { createdAt: at(0.456), activatesAt: at(60.789) })
    const awkward = newKey(at, { kid: awkwardText, sealedKey: longAwkwardText })
    for (const key of [plain, awkward]) {
      same(await keys.insert(key), { outcome: 'inserted' }, 'keys.insert of a new generation.')
      same(await find(keys, key), [key], 'keys.list must answer the key as it was inserted.')
      await keys.remove(key.generation)
    }
  })

  it('inserting a generation again changes nothing', async (keys, at) => {
    const key = newKey(at)
    await keys.insert(key)
    const before = await find(keys, key)
    const again = await keys.insert(newKey(at, { generation: key.generation }))
    const stored = await find(keys, key)
    await keys.remove(key.generation)
    same(again, { outcome: 'exists' }, 'keys.insert of a generation that is there.')
    same(
      stored,
      before,
      'keys.insert replaced a generation: tokens signed with the first are void. Insert; never ' +
        'upsert.',
    )
  })
}

function keyChanges({ it }: Part<KeyStore>): void {
  it('different generations inserted at once are all there', async (keys, at) => {
    const all = Array.from({ length: 5 }, () => newKey(at))
    const answers = await Promise.all(all.map((key) => keys.insert(key)))
    const stored = (await Promise.all(all.map((key) => find(keys, key)))).flat()
    for (const { generation } of all) await keys.remove(generation)
    same(
      answers,
      all.map(() => ({ outcome: 'inserted' })),
      'keys.insert of different generations at once.',
    )
    same(
      stored.map(({ kid }) => kid),
      all.map(({ kid }) => kid),
      'Keys that were inserted at once: keep one row for each, not a list in a value.',
    )
  })

  it('removing deletes that generation and no other, and may be repeated', async (keys, at) => {
    const [gone, kept] = [newKey(at), newKey(at)]
    await keys.insert(gone)
    await keys.insert(kept)
    await keys.remove(gone.generation)
    await keys.remove(gone.generation)
    const left = [...(await find(keys, gone)), ...(await find(keys, kept))]
    await keys.remove(kept.generation)
    same(
      left.map(({ kid }) => kid),
      [kept.kid],
      'keys.remove of one of two generations.',
    )
  })

  it('records are copies: changing one does not change the store', async (keys, at) => {
    const key = newKey(at)
    const given = structuredClone(key)
    await keys.insert(given)
    const stored = structuredClone(await find(keys, key))
    spoil(given)
    const first = await find(keys, key)
    spoil(await find(keys, key))
    const second = await find(keys, key)
    await keys.remove(key.generation)
    same(first, stored, 'Changing the record that was given to keys.insert changed the stored one.')
    same(second, stored, 'Changing the record that keys.list answered changed the stored one.')
  })
}

function resealing({ it }: Part<KeyStore>): void {
  it('resealing replaces the named sealed key, and makes none, if it is offered', async (keys, at) => {
    const key = newKey(at, { sealedKey: 'v1.a' })
    const sealed = async () => (await find(keys, key)).map(({ sealedKey }) => sealedKey).join()
    await keys.insert(key)
    await keys.reseal?.(key.generation, 'v1.b', 'v1.c')
    const kept = await sealed()
    await keys.reseal?.(key.generation, 'v1.a', 'v1.d')
    const changed = await sealed()
    await keys.remove(key.generation)
    await keys.reseal?.(key.generation, changed, 'v1.e').catch(() => {})
    const expected = ['v1.a', keys.reseal === undefined ? 'v1.a' : 'v1.d', '']
    same([kept, changed, await sealed()], expected, 'keys.reseal of one generation.')
  })
}

async function find(keys: KeyStore, { generation }: StoredSigningKey): Promise<StoredSigningKey[]> {
  return (await keys.list()).filter((key) => key.generation === generation)
}
