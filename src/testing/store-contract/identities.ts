import { randomId } from '../../lib/secrets.js'
import type { IdentityRecord, IdentityStore } from '../../stores/identity-contract.js'
import { type Moment, moments, newIdentity } from '../../stores/new-records.js'
import { comesBack, type Rows, recordsAreCopies } from './every-store/rows.js'
import {
  type AwkwardPair,
  awkwardPairs,
  awkwardText,
  check,
  inheritedNames,
  isNone,
  type Part,
  rejects,
  same,
} from './harness.js'

const identityRows: Rows<IdentityStore, IdentityRecord> = {
  saving: 'identities.link',
  saved: 'linked',
  save: (identities, identity) => identities.link(identity),
  answer: { outcome: 'linked' },
  finding: 'identities.find',
  find: (identities, { provider, subject }) => identities.find(provider, subject),
  listing: 'identities.listForUser',
  list: (identities, { userId }) => identities.listForUser(userId),
}

/** Identities, except how they are removed, and their races. */
export function identitiesContract(part: Part<IdentityStore>): void {
  identitiesComeBack(part)
  recordsAreCopies(part, newIdentity, identityRows)
  identityLinks(part)
  identityIds(part)
  identityPairs(part)
  identityNames(part)
  identityUses(part)
  identityLists(part)
  identityPages(part)
}

function identitiesComeBack({ it }: Part<IdentityStore>): void {
  it('an identity comes back as it was linked, and is null when there is none', async (identities, at) => {
    for (const identity of [
      newIdentity(at),
      newIdentity(at, { label: null, lastUsedAt: null }),
      newIdentity(at, { label: '', issuer: 'a-2' }),
      newIdentity(at, { label: awkwardText, subject: `${randomId()}${awkwardText}` }),
    ]) {
      await comesBack(identities, identity, identityRows)
    }
  })
}

function identityLinks({ it }: Part<IdentityStore>): void {
  it('an identity that is there is never moved, changed or linked again', async (identities, at) => {
    const identity = newIdentity(at)
    const { provider, subject, userId, id } = identity
    const thief = newIdentity(at, { provider, subject, issuer: 'other', label: 'mine' })
    const again = newIdentity(at, { provider, subject, userId, label: null })
    await identities.link(identity)
    for (const later of [thief, identity, again])
      same(
        await identities.link(later),
        { outcome: 'exists' },
        'identities.link of a provider and subject that are there, whoever has them.',
      )
    same(
      [
        await identities.find(provider, subject),
        await identities.listForUser(userId),
        await identities.listForUser(thief.userId),
      ],
      [identity, [identity], []],
      'identities.link that was answered `exists` has changed something: whoever comes later ' +
        'would be signed in as somebody else, or lock the owner out. Insert; never upsert.',
    )
    const options = { unlessLast: false }
    same(
      [
        await identities.unlink(thief.userId, thief.id, options),
        await identities.unlink(userId, again.id, options),
        await identities.unlink(userId, id, options),
      ],
      [{ outcome: 'unknown' }, { outcome: 'unknown' }, { outcome: 'unlinked' }],
      'identities.unlink by the ids of links that were answered `exists`, and by the one that ' +
        'was linked.',
    )
    same(
      [await identities.link(thief), await identities.find(provider, subject)],
      [{ outcome: 'linked' }, thief],
      'identities.link of an identity that was unlinked.',
    )
  })
}

function identityIds({ it }: Part<IdentityStore>): void {
  it('an id that is there with another provider or subject is rejected, and changes nothing', async (identities, at) => {
    const identity = newIdentity(at)
    const { provider, subject, userId, id } = identity
    await identities.link(identity)
    for (const other of [
      newIdentity(at, { id, provider }),
      newIdentity(at, { id, subject }),
      newIdentity(at, { id, userId }),
    ]) {
      await rejects(
        identities.link(other),
        'identities.link took an id that another identity has: an address would name both.',
      )
      check(
        isNone(await identities.find(other.provider, other.subject)),
        'identities.link rejected an id that is there, and stored the identity all the same.',
      )
    }
    same(
      [await identities.find(provider, subject), await identities.listForUser(userId)],
      [identity, [identity]],
      'identities.link of an id that is there changed the identity that has it.',
    )
  })
}

type Named = (key: string) => Partial<IdentityRecord>

// Up to 255 bytes.
function pairsWithin255(unique: string): readonly AwkwardPair[] {
  const fill = 'l'.repeat(254 - unique.length)
  return [
    ...awkwardPairs(unique).filter((pair) => !pair[0].startsWith('the last of')),
    ['the last of 255 bytes', `${unique}${fill}1`, `${unique}${fill}2`],
    ['what stands for text in another script', `paypal${unique}`, `p\u0430ypal${unique}`],
  ]
}

function identityPairs({ it, store }: Part<IdentityStore>): void {
  const name = 'that differ in one byte are different identities'
  it(`providers ${name}`, async () =>
    apart(await store(), moments(), 'providers', (provider) => ({ provider })))
  it(`subjects ${name}`, async () =>
    apart(await store(), moments(), 'subjects', (subject) => ({ subject })))

  it('users that differ in one byte are different users', async (identities, at) => {
    for (const [what, first, second] of awkwardPairs(randomId())) {
      const [one, other] = [newIdentity(at, { userId: first }), newIdentity(at, { userId: second })]
      for (const identity of [one, other]) await identities.link(identity)
      const listed = (await identities.listForUser(first)).map(({ id }) => id)
      same(listed, [one.id], `identities.listForUser confuses users that differ by ${what}.`)
      await identities.unlinkAllForUser(second)
      const found = await identities.find(one.provider, one.subject)
      same(found?.id, one.id, `identities.unlinkAllForUser confuses users that differ by ${what}.`)
    }
  })

  it('provider and subject are two keys: a part of one is none of the other', async (identities, at) => {
    const { provider, subject } = newIdentity(at)
    for (const separator of [':', ' ', '/', '', ',', '\u001f', '|', '","']) {
      await identities.link(
        newIdentity(at, { provider: `${provider}${separator}a`, subject: `b${subject}` }),
      )
      check(
        isNone(await identities.find(provider, `a${separator}b${subject}`)),
        'identities.find answers the identity of another provider: whoever runs one could ' +
          'sign in as a user of another. Keep two keys apart; do not join them.',
      )
    }
  })
}

async function apart(
  identities: IdentityStore,
  at: Moment,
  whose: string,
  named: Named,
): Promise<void> {
  const base = newIdentity(at)
  for (const [what, first, second] of pairsWithin255(randomId())) {
    const pair = ({ id, userId }: IdentityRecord, key: string) => ({
      ...base,
      ...named(key),
      id,
      userId,
    })
    const [one, other] = [pair(newIdentity(at), first), pair(newIdentity(at), second)]
    const mistaken = `confuses ${whose} that differ by ${what}. One user would sign in as another.`
    await identities.link(one)
    check(
      isNone(await identities.find(other.provider, other.subject)),
      `identities.find ${mistaken}`,
    )
    same(await identities.link(other), { outcome: 'linked' }, `identities.link ${mistaken}`)
    await identities.used(other.provider, other.subject, at(9))
    const found = await identities.find(one.provider, one.subject)
    const later = await identities.find(other.provider, other.subject)
    same([found?.id, later?.id], [one.id, other.id], `identities.find ${mistaken}`)
    check(found?.lastUsedAt?.getTime() !== at(9).getTime(), `identities.used ${mistaken}`)
  }
}

function identityNames({ it }: Part<IdentityStore>): void {
  it('a name that every object has as a property is no identity', async (identities, at) => {
    for (const name of inheritedNames) {
      // An aborted run may have left it.
      await identities.unlinkAllForUser(name)
      const plain = `of '${name}'. Keep rows in a Map, not in a plain object.`
      check(isNone(await identities.find(name, name)), `identities.find ${plain}`)
      const identity = newIdentity(at, { provider: name, subject: name, userId: name, id: name })
      await identities.link(identity)
      const count = await identities.unlinkAllForUser(name)
      check(count === 1, `identities.unlinkAllForUser answered ${count} ${plain}`)
    }
  })
}

function identityUses({ it }: Part<IdentityStore>): void {
  it('used sets when that identity was used, and nothing else, and never inserts', async (identities, at) => {
    const identity = newIdentity(at, { lastUsedAt: null })
    const { provider, subject, userId } = identity
    const others = [
      newIdentity(at, { provider, userId }),
      newIdentity(at, { subject, userId }),
      newIdentity(at),
    ]
    for (const one of [identity, ...others]) await identities.link(one)
    for (const now of [at(30.123), at(7.456)]) {
      await identities.used(provider, subject, now)
      same(
        await identities.find(provider, subject),
        { ...identity, lastUsedAt: now },
        'identities.find after identities.used.',
      )
    }
    for (const other of others)
      same(
        await identities.find(other.provider, other.subject),
        other,
        'identities.used changed another identity. Go by provider and subject together.',
      )
    const unknown = newIdentity(at)
    await identities.used(unknown.provider, unknown.subject, at(9))
    await identities.used(provider, unknown.subject, at(9))
    check(
      isNone(await identities.find(unknown.provider, unknown.subject)) &&
        isNone(await identities.find(provider, unknown.subject)),
      'identities.used made an identity that was not there: an unlinked one would come back. ' +
        'Update; never upsert.',
    )
  })
}

function identityLists({ it }: Part<IdentityStore>): void {
  it('listForUser answers the identities of that user, the oldest first, ties by id', async (identities, at) => {
    const { userId, id } = newIdentity(at)
    // Not in order. Some differ only by their bytes: capitals come before small letters.
    const starts = ['b', 'B', '\u{1f600}', '\uffee', 'a']
    const rows = starts.map((start, index) =>
      newIdentity(at, { userId, id: `${start}${id}`, createdAt: at(index === 4 ? -7 : 0) }),
    )
    for (const row of [...rows, newIdentity(at)]) await identities.link(row)
    const [small, capital, emoji, wide, oldest] = rows
    same(
      await identities.listForUser(userId),
      [oldest, capital, small, wide, emoji],
      'identities.listForUser: by createdAt, and by the bytes of the id where that is the same.',
    )
    const nobody = newIdentity(at).userId
    same(await identities.listForUser(nobody), [], 'identities.listForUser of a user without any.')
  })
}

function identityPages({ it }: Part<IdentityStore>): void {
  it('listOfProvider answers the linked ones of that provider, page by page', async (identities, at) => {
    const { provider } = newIdentity(at)
    // Some differ only by their bytes: capitals come before small letters.
    const rows = ['B', 'a', 'b', '\uffee', '\u{1f600}'].map((subject) =>
      newIdentity(at, { provider, subject }),
    )
    const unlinked = newIdentity(at, { provider, subject: 'aa' })
    const others = [newIdentity(at), newIdentity(at, { provider: `${provider}a`, subject: 'ab' })]
    for (const row of [...rows.toReversed(), unlinked, ...others]) await identities.link(row)
    await identities.unlink(unlinked.userId, unlinked.id, { unlessLast: false })
    const said = 'identities.listOfProvider: linked ones of this provider alone, by the bytes of'
    same(
      [
        await identities.listOfProvider(provider, null, 2),
        await identities.listOfProvider(provider, 'a', 2),
        await identities.listOfProvider(provider, '\uffee', 2),
        await identities.listOfProvider(provider, '\u{1f600}', 2),
      ],
      [rows.slice(0, 2), rows.slice(2, 4), rows.slice(4), []],
      `${said} the subject, after the given one, up to the limit.`,
    )
  })
}
