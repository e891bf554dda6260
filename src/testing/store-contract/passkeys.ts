import { randomId, randomSecret } from '../../lib/secrets.js'
import { newPasskeyRecord } from '../../stores/new-records.js'
import type { PasskeyRecord, PasskeyStore } from '../../stores/passkey-contract.js'
import { comesBack, type Rows, recordsAreCopies } from './every-store/rows.js'
import {
  type Answer,
  answers,
  awkwardPairs,
  awkwardText,
  check,
  isNone,
  type Part,
  same,
  told,
} from './harness.js'

const limits = { most: 20, recoveryCodeHashes: [] }

const passkeyRows: Rows<PasskeyStore, PasskeyRecord> = {
  saving: 'passkeys.create',
  saved: 'created',
  save: (passkeys, passkey) => passkeys.create(passkey, limits),
  answer: { outcome: 'created', isFirst: true },
  finding: 'passkeys.find',
  find: (passkeys, { credentialId }) => passkeys.find(credentialId),
  listing: 'passkeys.listForUser',
  list: (passkeys, { userId }) => passkeys.listForUser(userId),
}

/** Single rows of passkeys. */
export function passkeysContract(part: Part<PasskeyStore>): void {
  passkeysComeBack(part)
  passkeyLists(part)
  recordsAreCopies(part, newPasskeyRecord, passkeyRows)
  passkeyUses(part)
  passkeyCopies(part)
  passkeyChanges(part)
  passkeyIdentity(part)
}

function passkeysComeBack({ it }: Part<PasskeyStore>): void {
  it('a passkey comes back as it was created, and is null when there is none', async (passkeys, at) => {
    for (const passkey of [
      newPasskeyRecord(at),
      newPasskeyRecord(at, { suspectedCloneAt: at(1.234), lastUsedAt: null, transports: [] }),
      newPasskeyRecord(at, {
        passwordMark: null,
        backupEligible: false,
        backedUp: false,
        counter: 0,
      }),
      newPasskeyRecord(at, {
        counter: 4_294_967_295,
        name: awkwardText,
        credentialId: `${randomId()}${'A'.repeat(1342)}`,
      }),
      newPasskeyRecord(at, { userId: `${randomId()}${'\u00e9'.repeat(500)}` }),
    ]) {
      await comesBack(passkeys, passkey, passkeyRows)
    }
  })
}

function passkeyLists({ it }: Part<PasskeyStore>): void {
  it('the oldest passkey of a user is listed first, and those of no other', async (passkeys, at) => {
    const { userId, userHandle } = newPasskeyRecord(at)
    const rows = [3, 1, 2].map((second) =>
      newPasskeyRecord(at, { userId, userHandle, createdAt: at(second) }),
    )
    for (const row of rows) await passkeys.create(row, limits)
    await passkeys.create(newPasskeyRecord(at), limits)
    const [third, oldest, second] = rows
    same(
      await passkeys.listForUser(userId),
      [oldest, second, third],
      'passkeys.listForUser answers those of the user, the oldest createdAt first.',
    )
  })
}

function passkeyUses({ it }: Part<PasskeyStore>): void {
  it('use goes by the counter, and changes nothing but what was seen', async (passkeys, at) => {
    const passkey = newPasskeyRecord(at)
    const { credentialId } = passkey
    await passkeys.create(passkey, limits)
    const seen = { counter: 9, backedUp: false, lastUsedAt: at(30.5) }
    const find = () => passkeys.find(credentialId)
    const use =
      (from: number, id = credentialId) =>
      () =>
        passkeys.use(id, from, seen)
    const other = 'passkeys.use from a counter that is not the one that is kept.'
    await answers([
      ...[6, 8, 9, 0].map((from): Answer => [use(from), told('superseded'), other]),
      [find, passkey, 'passkeys.use that was superseded.'],
      [use(7), told('used'), 'passkeys.use from the counter that is kept.'],
      [find, { ...passkey, ...seen }, 'passkeys.find after use.'],
      [use(9), told('used'), 'use that leaves the counter: most authenticators never count.'],
      [use(9, randomId()), told('gone'), 'passkeys.use of a passkey that is not there.'],
    ])
  })
}

function passkeyCopies({ it }: Part<PasskeyStore>): void {
  it('a passkey of which a copy is suspected is not used again, whatever the counter', async (passkeys, at) => {
    const passkey = newPasskeyRecord(at)
    const { credentialId } = passkey
    await passkeys.create(passkey, limits)
    await passkeys.suspectClone(credentialId, at(3))
    const find = () => passkeys.find(credentialId)
    const before = await find()
    const use = () =>
      passkeys.use(credentialId, 7, { counter: 8, backedUp: true, lastUsedAt: at(4) })
    const copied = 'passkeys.use of one with suspectedCloneAt: whoever has the copy would go on.'
    await answers([
      [use, told('superseded'), copied],
      [find, before, 'passkeys.use that was superseded.'],
    ])
  })
}

function passkeyChanges({ it }: Part<PasskeyStore>): void {
  it('a suspected copy and a new name change nothing else, and never insert', async (passkeys, at) => {
    const passkey = newPasskeyRecord(at, { suspectedCloneAt: null })
    const { credentialId, userId } = passkey
    await passkeys.create(passkey, limits)
    await passkeys.suspectClone(credentialId, at(77.5))
    const renamed = await passkeys.rename(userId, credentialId, awkwardText)
    same(
      [renamed, await passkeys.find(credentialId)],
      [true, { ...passkey, suspectedCloneAt: at(77.5), name: awkwardText }],
      'passkeys.suspectClone and rename.',
    )
    same(
      [
        await passkeys.rename(userId, credentialId, awkwardText),
        await passkeys.rename(randomId(), credentialId, 'mine'),
        await passkeys.rename(userId, randomId(), 'none'),
      ],
      [true, false, false],
      'passkeys.rename: true for the same name, false for a passkey of another user, or none.',
    )
    const unknown = randomId()
    await passkeys.suspectClone(unknown, at(1))
    check(isNone(await passkeys.find(unknown)), 'passkeys.suspectClone made a passkey.')
    same((await passkeys.find(credentialId))?.name, awkwardText, 'A stranger renamed a passkey.')
  })
}

function passkeyIdentity({ it }: Part<PasskeyStore>): void {
  it('ids that differ in one byte are different passkeys and users', async (passkeys, at) => {
    for (const [what, first, second] of awkwardPairs(randomId())) {
      const one = newPasskeyRecord(at, { credentialId: first, userId: first })
      const other = newPasskeyRecord(at, { credentialId: second, userId: second })
      await passkeys.create(one, limits)
      const answer = await passkeys.create(other, limits)
      same(answer, { outcome: 'created', isFirst: true }, `Ids that differ by ${what} are two.`)
      same(
        [await passkeys.find(first), await passkeys.listForUser(second)],
        [one, [other]],
        `passkeys.find and listForUser of ids that differ by ${what}.`,
      )
    }
  })
}

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
    const said = await Promise.all(
      Array.from({ length: 20 }, () =>
        passkeys.create(newPasskeyRecord(at, { userId }), { most: 5, recoveryCodeHashes: [] }),
      ),
    )
    const created = said.filter(({ outcome }) => outcome === 'created')
    const full = said.filter(({ outcome }) => outcome === 'full')
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
    const { credentialId } = passkey
    const thief = newPasskeyRecord(at, { credentialId })
    const own = newPasskeyRecord(at, { userId: thief.userId })
    const create = (row: PasskeyRecord, ...recoveryCodeHashes: string[]) =>
      passkeys.create(row, { most: 1, recoveryCodeHashes })
    const first = { outcome: 'created', isFirst: true }
    const use = () => passkeys.consumeRecoveryCode(thief.userId, 'code')
    await create(passkey)
    await answers([
      [() => create(thief, 'code'), told('exists'), 'passkeys.create of an id.'],
      [() => passkeys.find(credentialId), passkey, 'passkeys.create changed what was there.'],
      [() => create(own), first, 'passkeys.create after one that exists.'],
      [use, told('unknown'), 'Recovery codes of a passkey that was not created.'],
    ])
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
