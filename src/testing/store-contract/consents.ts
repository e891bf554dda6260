import type { ConsentRecord, ConsentStore } from '../../stores/client-contract.js'
import { inTurns, type Moment, moments, newConsent } from '../../stores/new-records.js'
import { comesBack, type Rows, recordsAreCopies } from './every-store/rows.js'
import {
  awkwardPairs,
  check,
  inheritedNames,
  isNone,
  many,
  type Part,
  resolves,
  same,
} from './harness.js'

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

/** Sorts the scopes of a consent: the contract does not define their order. */
function sorted(consent: ConsentRecord | null | undefined): unknown {
  const scopes = consent?.scopes
  return Array.isArray(scopes) ? { ...consent, scopes: [...scopes].sort() } : consent
}

/** The consents in the order in which `listForUser` answers them. */
function inOrder(consents: readonly ConsentRecord[]): readonly ConsentRecord[] {
  return [...consents].sort(
    (one, other) =>
      one.grantedAt.getTime() - other.grantedAt.getTime() ||
      Buffer.compare(Buffer.from(one.clientId), Buffer.from(other.clientId)),
  )
}

const oneStatement =
  'Add in the write itself: a list that is read, and written with more in it, loses what ' +
  'somebody else has added meanwhile, and the user is asked again.'

/** Several grants of one user to one client add up. */
export function consentUnion(part: Part<ConsentStore>): void {
  unionInTurn(part)
  unionAtOnce(part)
  unionAndRevocation(part)
}

function unionInTurn({ it }: Part<ConsentStore>): void {
  it('granting again adds scopes, moves updatedAt and leaves grantedAt', async (consents, at) => {
    const first = newConsent(at, { scopes: ['openid', 'messages:read'] })
    const { userId, clientId } = first
    await consents.grant(first)
    const later = { userId, clientId, grantedAt: at(60), updatedAt: at(60.5) }
    await consents.grant({ ...later, scopes: ['messages:read', 'profile'] })
    same(
      sorted(await consents.find(userId, clientId)),
      sorted({ ...first, scopes: ['openid', 'messages:read', 'profile'], updatedAt: at(60.5) }),
      'consents.grant of a consent that is there: the union of both, each scope once.',
    )
    await consents.grant({ ...later, scopes: [], updatedAt: at(61) })
    same(
      sorted(await consents.find(userId, clientId)),
      sorted({ ...first, scopes: ['openid', 'messages:read', 'profile'], updatedAt: at(61) }),
      'consents.grant of no scope takes none away.',
    )
  })
}

function unionAtOnce({ it }: Part<ConsentStore>): void {
  for (const callers of [2, 10, 50]) {
    it(`grant by ${callers} callers, at once: every scope is there`, async (consents, at) => {
      for (const isThere of [false, true]) {
        const base = newConsent(at, { scopes: ['openid'] })
        if (isThere) await consents.grant(base)
        const added = Array.from({ length: callers }, (_none, caller) => `scope:${caller}`)
        const grants = added.map((scope) => consents.grant({ ...base, scopes: [scope] }))
        await resolves(Promise.all(grants), 'One of several consents.grant at once failed.')
        const found = await consents.find(base.userId, base.clientId)
        const left = added.filter((scope) => found?.scopes?.includes(scope))
        check(
          left.length === callers,
          `After ${callers} consents.grant at once, the scopes of ${left.length} are there. ` +
            oneStatement,
        )
        check(
          new Set(found?.scopes).size === found?.scopes.length,
          'consents.find answered a scope twice.',
        )
      }
    })
  }
}

function unionAndRevocation({ inRounds }: Part<ConsentStore>): void {
  inRounds(
    'grant and revoke, at once: nothing of before is left, whoever was first',
    async (consents, at, round) => {
      const before = newConsent(at, { scopes: ['openid', 'messages:write'] })
      const { userId, clientId } = before
      await consents.grant(before)
      const grant = () => consents.grant({ ...before, scopes: ['profile'], updatedAt: at(1) })
      const revoke = () => consents.revoke(userId, clientId)
      const [one, other] = round % 2 === 0 ? [grant, revoke] : [revoke, grant]
      await Promise.all([one(), other()])
      const found = await consents.find(userId, clientId)
      const isNew = found?.scopes.length === 1 && found.scopes[0] === 'profile'
      check(
        isNone(found) || isNew,
        'After consents.grant and consents.revoke at once, a scope is there that was taken ' +
          `back: ${found?.scopes.join(' ')}. ${oneStatement}`,
      )
    },
  )
}
