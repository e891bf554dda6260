import type { ConsentRecord, ConsentStore } from '../../../stores/consent-contract.js'
import { inTurns, type Moment, moments, newConsent } from '../../../stores/new-records.js'
import { comesBack, type Rows, recordsAreCopies } from '../every-store/rows.js'
import { check, isNone, resolves, same } from '../harness/checks.js'
import { many, type Part } from '../harness/suite.js'
import { awkwardPairs, inheritedNames } from '../harness/texts.js'
import { inOrder, sorted } from './sorted.js'

// Scope tokens of RFC 6749 §3.3 that a path, a pattern or a plain object misreads.
const awkwardScopes = [
  '*',
  '17',
  'null',
  '$.a',
  'a.b[0]',
  '$ne',
  "it's",
  '{}',
  '%',
  'a,b',
  ';--',
  'https://api.example.com/read?all=1&x=~#y',
  ...inheritedNames,
]

const consentRows: Rows<ConsentStore, ConsentRecord> = {
  saving: 'consents.grant',
  saved: 'granted',
  save: (consents, consent) => consents.grant(consent),
  finding: 'consents.find',
  find: (consents, { userId, clientId }) => consents.find(userId, clientId),
  listing: 'consents.listForUser',
  list: (consents, { userId }) => consents.listForUser(userId),
  plain: sorted,
}

/** Consents, except their union and their races. */
export function consentsContract(part: Part<ConsentStore>): void {
  consentsComeBack(part)
  consentEnds(part)
  consentIdentity(part)
  consentList(part)
  recordsAreCopies(part, newConsent, consentRows)
}

function consentsComeBack({ it }: Part<ConsentStore>): void {
  it('a consent comes back as it was granted, and is null when there is none', async (consents, at) => {
    for (const consent of [
      newConsent(at, { grantedAt: at(0.456), updatedAt: at(1.789) }),
      newConsent(at, { scopes: [] }),
    ]) {
      await comesBack(consents, consent, consentRows)
    }
  })

  it('scopes that look like something else come back as the same texts, case included', async (consents, at) => {
    const scopes = [...awkwardScopes, 'messages:read', 'Messages:Read', 'm'.repeat(1000)]
    const consent = newConsent(at, { scopes })
    await resolves(consents.grant(consent), 'consents.grant refused scopes that RFC 6749 allows.')
    // Again, so that the merge has seen each of them twice.
    await consents.grant({ ...consent, scopes: awkwardScopes })
    same(
      sorted(await consents.find(consent.userId, consent.clientId)),
      sorted(consent),
      'consents.find after scopes with all that a scope-token may have. Each is a text of its own.',
    )
  })
}

function consentEnds({ it }: Part<ConsentStore>): void {
  it('revoking deletes that consent alone, and whoever is later is told unknown', async (consents, at) => {
    const gone = newConsent(at)
    const others = [
      newConsent(at, { userId: gone.userId }),
      newConsent(at, { clientId: gone.clientId }),
    ]
    for (const consent of [gone, ...others]) await consents.grant(consent)
    const answers = [
      await consents.revoke(gone.userId, gone.clientId),
      await consents.revoke(gone.userId, gone.clientId),
    ]
    same(
      answers,
      [{ outcome: 'revoked' }, { outcome: 'unknown' }],
      'consents.revoke of a consent that is there, and again.',
    )
    check(
      isNone(await consents.find(gone.userId, gone.clientId)),
      'consents.find after consents.revoke: the client would get tokens without being asked for.',
    )
    for (const other of others) {
      same(
        sorted(await consents.find(other.userId, other.clientId)),
        sorted(other),
        'consents.revoke took another consent with it. Go by user and client together.',
      )
    }
  })

  it('a consent after a revocation begins anew', async (consents, at) => {
    const first = newConsent(at, { scopes: ['openid', 'messages:write'] })
    const { userId, clientId } = first
    const next = newConsent(at, { userId, clientId, scopes: ['openid'], grantedAt: at(9) })
    await consents.grant(first)
    await consents.revoke(userId, clientId)
    await consents.grant(next)
    same(
      sorted(await consents.find(userId, clientId)),
      sorted(next),
      'consents.grant after consents.revoke brought back what was taken back. Delete the row.',
    )
  })
}

function consentIdentity({ it, store }: Part<ConsentStore>): void {
  const name = 'that differ in one byte are not the same'
  it(`users ${name}`, async () => apart(await store(), moments(), (userId) => ({ userId })))
  it(`clients ${name}`, async () => apart(await store(), moments(), (clientId) => ({ clientId })))

  it('user and client are two keys: a part of one is none of the other', async (consents, at) => {
    const { userId, clientId } = newConsent(at)
    for (const separator of [':', ' ', '/', '', ',', '\u001f', '|']) {
      await consents.grant(
        newConsent(at, { userId: `${userId}${separator}a`, clientId: `b${clientId}` }),
      )
      const mixed = await consents.find(userId, `a${separator}b${clientId}`)
      check(
        isNone(mixed),
        'consents.find answers the consent of another user to another client. Keep two keys ' +
          'apart; do not join them.',
      )
    }
  })

  it('a name that every object has as a property is no consent', async (consents, at) => {
    for (const name of inheritedNames) {
      // An aborted run may have left it.
      await consents.revoke(name, name)
      const plain = `of '${name}'. Keep rows in a Map, not in a plain object.`
      check(isNone(await consents.find(name, name)), `consents.find ${plain}`)
      await consents.grant(newConsent(at, { userId: name, clientId: name }))
      const { outcome } = await consents.revoke(name, name)
      check(outcome === 'revoked', `consents.revoke answered ${outcome} ${plain}`)
    }
  })
}

async function apart(
  consents: ConsentStore,
  at: Moment,
  named: (key: string) => { readonly userId?: string; readonly clientId?: string },
): Promise<void> {
  const base = newConsent(at)
  for (const [what, first, second] of awkwardPairs(base.userId)) {
    const [one, other] = [
      { ...base, ...named(first) },
      { ...base, ...named(second) },
    ]
    const mistaken = `confuses ids that differ by ${what}. One would be taken for another.`
    await consents.grant(one)
    check(isNone(await consents.find(other.userId, other.clientId)), `consents.find ${mistaken}`)
    await consents.revoke(other.userId, other.clientId)
    same(
      sorted(await consents.find(one.userId, one.clientId)),
      sorted(one),
      `consents.revoke ${mistaken}`,
    )
  }
}

function consentList({ it }: Part<ConsentStore>): void {
  it('listForUser answers the consents of that user, the oldest first, ties by client', async (consents, at) => {
    const { userId, clientId } = newConsent(at)
    // Not in order. Some differ only by their bytes: capitals come before small letters.
    const rows = ['b', 'B', '\u{1f600}', '\uffee', 'a'].map((start, index) =>
      newConsent(at, {
        userId,
        clientId: `${start}${clientId}`,
        grantedAt: at(index === 4 ? -7 : 0),
        updatedAt: at(9 - index),
      }),
    )
    for (const row of [...rows, newConsent(at, { clientId })]) await consents.grant(row)
    same(
      (await consents.listForUser(userId)).map(sorted),
      inOrder(rows).map(sorted),
      'consents.listForUser: by grantedAt, and by the bytes of the client’s id where that is the ' +
        'same.',
    )
    const nobody = newConsent(at).userId
    same(await consents.listForUser(nobody), [], 'consents.listForUser of a user who has none.')
  })

  it(`${many} consents of one user are all listed`, async (consents, at) => {
    const { userId } = newConsent(at)
    const rows = Array.from({ length: many }, () => newConsent(at, { userId }))
    await inTurns(rows, (row) => consents.grant(row))
    const { length } = await consents.listForUser(userId)
    check(
      length === many,
      `consents.listForUser answered ${length} of ${many} consents: the user cannot take back ` +
        'what is not shown. Ask for the next page.',
    )
  })
}
