import { randomId, randomSecret } from '../../../lib/random.js'
import { newPasskeyRecord } from '../../../stores/new-records.js'
import type { PasskeyStore } from '../../../stores/passkey-contract.js'
import { check, isNone, same } from '../harness/checks.js'
import type { Part } from '../harness/suite.js'

const oneTransaction = 'Count in a row of the user, by the same transaction that adds or removes.'

/** All passkeys of one user: their number, handle and recovery codes. */
export function passkeyOwnersContract(part: Part<PasskeyStore>): void {
  handles(part)
  counts(part)
  codes(part)
  removals(part)
}

function handles({ it }: Part<PasskeyStore>): void {
  it('a user has one handle, whoever claims it and how many do at once', async (passkeys) => {
    const userId = randomId()
    const claimed = await Promise.all(
      Array.from({ length: 20 }, () => passkeys.claimHandle(userId, randomSecret())),
    )
    check(
      new Set(claimed).size === 1,
      `passkeys.claimHandle answered ${new Set(claimed).size} handles of one user. Pickers would ` +
        'show the user as often.',
    )
    same(await passkeys.claimHandle(userId, 'late'), claimed[0], 'passkeys.claimHandle, again.')
    const other = randomSecret()
    same(await passkeys.claimHandle(randomId(), other), other, 'passkeys.claimHandle of another.')
  })
}

function counts({ it }: Part<PasskeyStore>): void {
  it('a user has no more passkeys than may be, however many are added at once', async (passkeys, at) => {
    const userId = randomId()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        passkeys.create(newPasskeyRecord(at, { userId }), { most: 5, recoveryCodeHashes: [] }),
      ),
    )
    const created = answers.filter(({ outcome }) => outcome === 'created')
    const full = answers.filter(({ outcome }) => outcome === 'full')
    same(
      [created.length, full.length, (await passkeys.listForUser(userId)).length],
      [5, 15, 5],
      `passkeys.create of 20 at once where 5 may be. ${oneTransaction}`,
    )
    const [one] = await passkeys.listForUser(userId)
    await passkeys.remove(userId, one?.credentialId as string, { unlessLast: true })
    const again = newPasskeyRecord(at, { userId })
    same(
      await passkeys.create(again, { most: 5, recoveryCodeHashes: [] }),
      { outcome: 'created', isFirst: false },
      'passkeys.create where one was removed.',
    )
  })

  it('a passkey that exists counts for nobody', async (passkeys, at) => {
    const passkey = newPasskeyRecord(at)
    const limits = { most: 1, recoveryCodeHashes: ['code'] }
    await passkeys.create(passkey, { most: 1, recoveryCodeHashes: [] })
    const { credentialId } = passkey
    const thief = newPasskeyRecord(at, { credentialId })
    same(await passkeys.create(thief, limits), { outcome: 'exists' }, 'passkeys.create of an id.')
    same(await passkeys.find(credentialId), passkey, 'passkeys.create changed what was there.')
    const own = newPasskeyRecord(at, { userId: thief.userId })
    same(
      await passkeys.create(own, { most: 1, recoveryCodeHashes: [] }),
      { outcome: 'created', isFirst: true },
      'passkeys.create after one that exists.',
    )
    same(
      await passkeys.consumeRecoveryCode(thief.userId, 'code'),
      { outcome: 'unknown' },
      'Recovery codes of a passkey that was not created.',
    )
  })
}

function codes({ it }: Part<PasskeyStore>): void {
  it('recovery codes come with the first passkey, and go with the last', async (passkeys, at) => {
    const { userId } = newPasskeyRecord(at)
    const [first, second] = [newPasskeyRecord(at, { userId }), newPasskeyRecord(at, { userId })]
    const used = async (hash: string, of = userId) =>
      (await passkeys.consumeRecoveryCode(of, hash)).outcome
    await passkeys.create(first, { most: 20, recoveryCodeHashes: ['a', 'b', 'c'] })
    await passkeys.create(second, { most: 20, recoveryCodeHashes: ['d'] })
    same(
      [await used('a'), await used('a'), await used('A'), await used('d'), await used('b', 'x')],
      ['consumed', 'unknown', 'unknown', 'unknown', 'unknown'],
      'passkeys.consumeRecoveryCode: once, of this user, and of the first passkey alone.',
    )
    await passkeys.remove(userId, first.credentialId, { unlessLast: false })
    same(await used('b'), 'consumed', 'Recovery codes while there is a passkey left.')
    await passkeys.remove(userId, second.credentialId, { unlessLast: false })
    same(await used('c'), 'unknown', 'Recovery codes without a passkey.')
    const later = newPasskeyRecord(at, { userId })
    await passkeys.create(later, { most: 20, recoveryCodeHashes: ['e'] })
    same([await used('c'), await used('e')], ['unknown', 'consumed'], 'Recovery codes, anew.')
  })
}

function removals({ it }: Part<PasskeyStore>): void {
  it('remove deletes that passkey alone, and the last one only where it is told to', async (passkeys, at) => {
    const { userId } = newPasskeyRecord(at)
    const [one, other] = [newPasskeyRecord(at, { userId }), newPasskeyRecord(at, { userId })]
    const ofBob = newPasskeyRecord(at)
    for (const row of [one, other, ofBob])
      await passkeys.create(row, { most: 20, recoveryCodeHashes: [] })
    const remove = async (credentialId: string, unlessLast: boolean) =>
      (await passkeys.remove(userId, credentialId, { unlessLast })).outcome
    same(
      [
        await remove(ofBob.credentialId, false),
        await remove(randomId(), true),
        await remove(one.credentialId, true),
        await remove(one.credentialId, true),
        await remove(other.credentialId, true),
        await remove(other.credentialId, false),
        await remove(other.credentialId, false),
      ],
      ['unknown', 'unknown', 'removed', 'unknown', 'last', 'removed', 'unknown'],
      'passkeys.remove, in turn. Whoever is told `unknown` has changed nothing.',
    )
    same(await passkeys.find(ofBob.credentialId), ofBob, 'passkeys.remove took that of another.')
  })

  it('removeAllForUser leaves nothing of this user, and everything of others', async (passkeys, at) => {
    const [alice, bob] = [newPasskeyRecord(at), newPasskeyRecord(at)]
    const { userId, userHandle } = alice
    for (const row of [alice, bob, newPasskeyRecord(at, { userId, userHandle })])
      await passkeys.create(row, { most: 20, recoveryCodeHashes: ['code'] })
    same(await passkeys.removeAllForUser(userId), 2, 'passkeys.removeAllForUser says how many.')
    same(await passkeys.removeAllForUser(userId), 0, 'passkeys.removeAllForUser, again.')
    const handle = randomSecret()
    same(
      [
        isNone(await passkeys.find(alice.credentialId)),
        await passkeys.listForUser(userId),
        await passkeys.consumeRecoveryCode(userId, 'code'),
        await passkeys.claimHandle(userId, handle),
        await passkeys.find(bob.credentialId),
        await passkeys.consumeRecoveryCode(bob.userId, 'code'),
      ],
      [true, [], { outcome: 'unknown' }, handle, bob, { outcome: 'consumed' }],
      'passkeys.removeAllForUser: passkeys, codes and handle of this user, and no other.',
    )
  })
}
