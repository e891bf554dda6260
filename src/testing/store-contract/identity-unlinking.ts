import { randomId } from '../../lib/secrets.js'
import type { IdentityStore } from '../../stores/identity-contract.js'
import { inTurns, newIdentity } from '../../stores/new-records.js'
import {
  answers,
  atOnce,
  awkwardPairs,
  check,
  isNone,
  many,
  type Part,
  rejects,
  same,
} from './harness.js'

const lockedOut = 'the user would have no way to sign in'

/** How identities are removed. */
export function identityUnlinking(part: Part<IdentityStore>): void {
  unlinksThat(part)
  unlinkedIsRemembered(part)
  unlinksById(part)
  unlinksAtOnce(part)
  unlinksAll(part)
  unlinksAllAtOnce(part)
}

function unlinksThat({ it }: Part<IdentityStore>): void {
  it('unlink deletes that identity alone, and the last one only where it is told to', async (identities, at) => {
    const { userId } = newIdentity(at)
    const [one, other] = [newIdentity(at, { userId }), newIdentity(at, { userId })]
    const ofBob = newIdentity(at)
    for (const row of [one, other, ofBob]) await identities.link(row)
    const unlink = async (id: string, unlessLast: boolean, of = userId) =>
      (await identities.unlink(of, id, { unlessLast })).outcome
    const inTurn =
      'identities.unlink, in turn. Whoever is told `unknown` or `last` has changed nothing, and ' +
      'what belongs to another user, or is not there, is `unknown`.'
    await answers([
      [() => unlink(ofBob.id, false), 'unknown', inTurn],
      [() => unlink(randomId(), true), 'unknown', inTurn],
      [() => unlink(one.id, true), 'unlinked', inTurn],
      [() => unlink(one.id, true), 'unknown', inTurn],
      [() => unlink(ofBob.id, true), 'unknown', inTurn],
      [() => unlink(other.id, true), 'last', inTurn],
      [() => unlink(other.id, false, ofBob.userId), 'unknown', inTurn],
      [() => unlink(other.id, false), 'unlinked', inTurn],
      [() => unlink(other.id, false), 'unknown', inTurn],
      [() => unlink(other.id, true), 'unknown', inTurn],
    ])
    check(
      isNone(await identities.find(one.provider, one.subject)),
      'identities.find after identities.unlink: whoever was removed would still be signed in.',
    )
    same(
      [await identities.find(ofBob.provider, ofBob.subject), await identities.listForUser(userId)],
      [ofBob, []],
      'identities.unlink took that of another user, or left its own in the list.',
    )
  })
}

function unlinkedIsRemembered({ it }: Part<IdentityStore>): void {
  it('an identity that was unlinked is linked again by hand alone', async (identities, at) => {
    const identity = newIdentity(at)
    const { provider, subject, userId, id } = identity
    const was = () => identities.wasUnlinked(provider, subject)
    const seen = async () => [
      await identities.find(provider, subject),
      await identities.listForUser(userId),
      await was(),
    ]
    const byAddress = { unlessUnlinked: true }
    same(
      [await was(), await identities.link(identity, byAddress), await was()],
      [false, { outcome: 'linked' }, false],
      'identities.link with unlessUnlinked, and wasUnlinked, of one that was never unlinked.',
    )
    await identities.unlink(userId, id, { unlessLast: false })
    await identities.used(provider, subject, at(9))
    same(await seen(), [null, [], true], 'identities.find, listForUser, wasUnlinked: unlinked.')
    const bobs = newIdentity(at, { provider, subject })
    same(
      [await identities.link(bobs, byAddress), await identities.link(identity, byAddress)],
      [{ outcome: 'exists' }, { outcome: 'exists' }],
      'identities.link with unlessUnlinked of one that was unlinked: an address would connect ' +
        'again what its owner has disconnected. Keep the row, and mark it.',
    )
    same(await seen(), [null, [], true], 'identities.link that was answered `exists`.')
    same(
      [await identities.link(bobs), await seen(), await identities.listForUser(bobs.userId)],
      [{ outcome: 'linked' }, [bobs, [], false], [bobs]],
      'identities.link takes the place of one that was unlinked, with every member.',
    )
    same(
      [await identities.link(identity), await identities.unlinkAllForUser(userId)],
      [{ outcome: 'exists' }, 0],
      'identities.link and unlinkAllForUser of the former user, whose row it is no more.',
    )
  })

  it('what was unlinked is forgotten with its user, and keeps its id until then', async (identities, at) => {
    const identity = newIdentity(at)
    const { provider, subject, userId, id } = identity
    await identities.link(identity)
    await identities.unlink(userId, id, { unlessLast: false })
    await rejects(
      identities.link(newIdentity(at, { id })),
      'identities.link took the id of another identity, which was unlinked.',
    )
    same(
      [await identities.unlinkAllForUser(userId), await identities.wasUnlinked(provider, subject)],
      [1, false],
      'identities.unlinkAllForUser leaves something of a user who is gone.',
    )
  })
}

function unlinksById({ it }: Part<IdentityStore>): void {
  it('ids that differ in one byte are different identities', async (identities, at) => {
    const { userId } = newIdentity(at)
    for (const [what, first, second] of awkwardPairs(randomId())) {
      const one = newIdentity(at, { userId, id: first })
      const other = newIdentity(at, { userId, id: second })
      await identities.link(one)
      const { outcome } = await identities.unlink(userId, second, { unlessLast: false })
      check(outcome === 'unknown', `identities.unlink confuses ids that differ by ${what}.`)
      same(
        await identities.link(other),
        { outcome: 'linked' },
        `identities.link of ids that differ by ${what}.`,
      )
      await identities.unlink(userId, second, { unlessLast: true })
      const listed = (await identities.listForUser(userId)).map(({ id }) => id)
      same(listed, [first], `identities.unlink of ids that differ by ${what}.`)
      await identities.unlinkAllForUser(userId)
    }
  })
}

function unlinksAtOnce({ inRounds }: Part<IdentityStore>): void {
  inRounds(
    'unlink of each of three, unless it is the last, at once: one is left',
    async (identities, at, round) => {
      const { userId } = newIdentity(at)
      const rows = [1, 2, 3].map((second) => newIdentity(at, { userId, createdAt: at(second) }))
      for (const row of rows) await identities.link(row)
      const said = await atOnce(
        round,
        ...rows.map((row) => () => identities.unlink(userId, row.id, { unlessLast: true })),
      )
      const outcomes = said.map(({ outcome }) => outcome).sort()
      const left = await identities.listForUser(userId)
      same(
        [outcomes, left.length],
        [['last', 'unlinked', 'unlinked'], 1],
        `identities.unlink of each of three identities at once: ${lockedOut}. Count and delete ` +
          'under a lock on the rows of the user, or in one statement.',
      )
    },
  )

  inRounds(
    'unlink of the last, unless it is, and link of another, at once: one is left, or two',
    async (identities, at, round) => {
      const { userId } = newIdentity(at)
      const [one, other] = [newIdentity(at, { userId }), newIdentity(at, { userId })]
      await identities.link(one)
      await atOnce<readonly (() => Promise<unknown>)[]>(
        round,
        () => identities.unlink(userId, one.id, { unlessLast: true }),
        () => identities.link(other),
      )
      same(
        await identities.find(other.provider, other.subject),
        other,
        'identities.find of one that was linked while another was unlinked.',
      )
    },
  )
}

function unlinksAll({ it }: Part<IdentityStore>): void {
  it('unlinkAllForUser leaves nothing of this user, and everything of others', async (identities, at) => {
    const [alice, bob] = [newIdentity(at), newIdentity(at)]
    const { userId, provider } = alice
    for (const row of [alice, bob, newIdentity(at, { userId, provider })])
      await identities.link(row)
    same(await identities.unlinkAllForUser(userId), 2, 'identities.unlinkAllForUser says how many.')
    same(await identities.unlinkAllForUser(userId), 0, 'identities.unlinkAllForUser, again.')
    same(
      [
        isNone(await identities.find(provider, alice.subject)),
        await identities.listForUser(userId),
        await identities.unlink(userId, alice.id, { unlessLast: true }),
        await identities.listForUser(bob.userId),
      ],
      [true, [], { outcome: 'unknown' }, [bob]],
      'identities.unlinkAllForUser: all of this user, and of no other, as soon as it resolves.',
    )
    same(
      await identities.link(newIdentity(at, { ...alice, userId: bob.userId })),
      { outcome: 'linked' },
      'identities.link of an identity whose user is gone.',
    )
  })

  it(`${many} identities of one user are all listed, and all unlinked`, async (identities, at) => {
    const { userId } = newIdentity(at)
    const rows = Array.from({ length: many }, () => newIdentity(at, { userId }))
    await inTurns(rows, (row) => identities.link(row))
    const { length } = await identities.listForUser(userId)
    check(
      length === many,
      `identities.listForUser answered ${length} of ${many} identities: the user cannot remove ` +
        'what is not shown. Ask for the next page.',
    )
    const count = await identities.unlinkAllForUser(userId)
    const left = (await identities.listForUser(userId)).length
    same(
      [left, count],
      [0, many],
      'identities.unlinkAllForUser: how many are left of all, and how many it has named. A user ' +
        'who is deleted leaves none behind. Go on page by page.',
    )
  })
}

function unlinksAllAtOnce({ inRounds }: Part<IdentityStore>): void {
  inRounds(
    'unlinkAllForUser by 10 callers, at once: each identity is counted once',
    async (identities, at) => {
      const { userId } = newIdentity(at)
      const rows = Array.from({ length: 4 }, () => newIdentity(at, { userId }))
      await inTurns(rows, (row) => identities.link(row))
      const counts = await Promise.all(
        Array.from({ length: 10 }, () => identities.unlinkAllForUser(userId)),
      )
      const sum = counts.reduce((all, count) => all + count, 0)
      check(
        sum === rows.length,
        `10 callers of identities.unlinkAllForUser said that they had deleted ${sum} of ` +
          `${rows.length} identities, together. Count the rows that this very write has changed.`,
      )
    },
  )
}
