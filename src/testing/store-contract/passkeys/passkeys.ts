import { randomId } from '../../../lib/random.js'
import { newPasskeyRecord } from '../../../stores/new-records.js'
import type { PasskeyRecord, PasskeyStore } from '../../../stores/passkey-contract.js'
import { comesBack, type Rows, recordsAreCopies } from '../every-store/rows.js'
import { check, isNone, same } from '../harness/checks.js'
import type { Part } from '../harness/suite.js'
import { awkwardPairs, awkwardText } from '../harness/texts.js'

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
    for (const from of [6, 8, 9, 0])
      same(
        await passkeys.use(credentialId, from, seen),
        { outcome: 'superseded' },
        'passkeys.use from a counter that is not the one that is kept.',
      )
    same(await passkeys.find(credentialId), passkey, 'passkeys.use that was superseded.')
    same(
      await passkeys.use(credentialId, 7, seen),
      { outcome: 'used' },
      'passkeys.use from the counter that is kept.',
    )
    same(await passkeys.find(credentialId), { ...passkey, ...seen }, 'passkeys.find after use.')
    same(
      await passkeys.use(credentialId, 9, seen),
      { outcome: 'used' },
      'passkeys.use that leaves the counter as it is: most authenticators never count.',
    )
    same(
      await passkeys.use(randomId(), 9, seen),
      { outcome: 'gone' },
      'passkeys.use of a passkey that is not there.',
    )
  })
}

function passkeyCopies({ it }: Part<PasskeyStore>): void {
  it('a passkey of which a copy is suspected is not used again, whatever the counter', async (passkeys, at) => {
    const passkey = newPasskeyRecord(at)
    const { credentialId } = passkey
    await passkeys.create(passkey, limits)
    await passkeys.suspectClone(credentialId, at(3))
    const before = await passkeys.find(credentialId)
    same(
      await passkeys.use(credentialId, 7, { counter: 8, backedUp: true, lastUsedAt: at(4) }),
      { outcome: 'superseded' },
      'passkeys.use of one with suspectedCloneAt: whoever has the copy would go on.',
    )
    same(await passkeys.find(credentialId), before, 'passkeys.use that was superseded.')
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
