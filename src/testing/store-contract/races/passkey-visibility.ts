import { moments, newPasskeyRecord } from '../../../stores/new-records.js'
import type { PasskeyStore } from '../../../stores/passkey-contract.js'
import { isNone, same, shared } from '../harness/checks.js'

/** One process changes passkeys, and the other reads them. */
export async function passkeysOf(one: PasskeyStore, other: PasskeyStore): Promise<void> {
  const at = moments()
  const passkey = newPasskeyRecord(at)
  const { credentialId, userId, userHandle } = passkey
  const found = async () => other.find(credentialId)
  same([isNone(await found())], [true], 'passkeys.find of none.')
  await one.create(passkey, { most: 20, recoveryCodeHashes: [] })
  same(await found(), passkey, `passkeys.find of one that another process has created. ${shared}`)
  same(
    await other.claimHandle(userId, 'another'),
    userHandle,
    `passkeys.claimHandle where another process has kept one. ${shared}`,
  )
  await one.use(credentialId, 7, { counter: 8, backedUp: true, lastUsedAt: at(9) })
  same(
    await other.use(credentialId, 7, { counter: 8, backedUp: true, lastUsedAt: at(9) }),
    { outcome: 'superseded' },
    `passkeys.use of a counter that another process has moved. ${shared}`,
  )
  await one.rename(userId, credentialId, 'Other')
  same((await found())?.name, 'Other', `passkeys.find of one that was renamed. ${shared}`)
  await one.remove(userId, credentialId, { unlessLast: false })
  same(
    [isNone(await found()), await other.listForUser(userId)],
    [true, []],
    `passkeys.find and listForUser after another process has removed it. ${shared}`,
  )
}
