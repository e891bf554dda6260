import { randomId } from '../../../lib/secrets.js'
import {
  derivedHash,
  enrolling,
  moments,
  newFactor,
  newPending,
  newSession,
} from '../../../stores/new-records.js'
import { check, codesLeft, given, type StoresUnderTest, same, won } from '../harness.js'
import { type OneTimeOperation, oneWrite, usual, withinOne } from './one-time-operation.js'

const activate: OneTimeOperation = {
  ...withinOne,
  contract: 'secondFactors',
  name: 'activate',
  did: 'activated a factor for one user',
  why:
    'The user could sign in with one authenticator app only, but was told that several work. ' +
    'Insert, and let the key refuse the rest.',
  prepare: async () => randomId(),
  attempt: async (stores, userId, caller) => {
    const factor = newFactor(moments(), { userId, sealedSeed: `seed ${caller}` })
    const answer = await given(stores, 'secondFactors').activate(factor, [
      derivedHash(`recovery ${caller}`, userId),
    ])
    return won(
      answer,
      'secondFactors.activate',
      { outcome: 'activated' },
      { outcome: 'already-active' },
    )
  },
  verify: async (stores, userId, winner) => {
    const store = given(stores, 'secondFactors')
    check(
      (await store.find(userId))?.sealedSeed === `seed ${winner}`,
      'After the race the stored seed is not that of the caller who was told `activated`.',
    )
    const loser = await store.consumeRecoveryCode(
      userId,
      derivedHash(`recovery ${winner === 0 ? 1 : 0}`, userId),
    )
    check(
      loser.outcome === 'unknown',
      'A recovery code works that belongs to an activation which was answered `already-active`.',
    )
    const own = await store.consumeRecoveryCode(userId, derivedHash(`recovery ${winner}`, userId))
    check(
      own.outcome === 'consumed',
      'The recovery code of the winning activation does not work: factor and codes go in together.',
    )
  },
}

const confirm: OneTimeOperation = {
  ...usual,
  contract: 'secondFactors',
  name: 'confirm',
  did: 'confirmed one enrolment',
  why:
    'Each was shown recovery codes, and only those of one work. Delete the enrolment on its ' +
    'conditions, and go on only if a row went.',
  prepare: async (stores) => {
    const userId = randomId()
    await given(stores, 'secondFactors').savePending(
      newPending(moments(), { userId, sealedSeed: derivedHash('seed', userId) }),
    )
    return userId
  },
  attempt: async (stores, userId, caller) => {
    const at = moments()
    const factor = newFactor(at, {
      userId,
      sealedSeed: derivedHash('seed', userId),
      lastStep: caller,
    })
    const answer = await given(stores, 'secondFactors').confirm(
      factor,
      codesOf(caller, userId),
      at(1),
    )
    const lost = [{ outcome: 'not-pending' }, { outcome: 'already-active' }]
    return won(answer, 'secondFactors.confirm', { outcome: 'activated' }, ...lost)
  },
  verify: async (stores, userId, winner) => {
    const store = given(stores, 'secondFactors')
    check(
      (await store.find(userId))?.lastStep === winner,
      'After the race the factor is not that of the caller who was told `activated`: its ' +
        '`lastStep` is another one.',
    )
    same(
      await store.findPending(userId, enrolling),
      null,
      'After the race the enrolment is still there: confirming uses it up.',
    )
    same(
      await codesLeft(store, userId),
      2,
      'After the race there must be the recovery codes of the winner and no others.',
    )
    for (const hash of codesOf(winner, userId)) {
      const { outcome } = await store.consumeRecoveryCode(userId, hash)
      check(
        outcome === 'consumed',
        'A recovery code of the winning confirmation does not work: factor and codes go in ' +
          'together.',
      )
    }
  },
}

const step: OneTimeOperation = {
  ...usual,
  contract: 'secondFactors',
  name: 'advanceStep',
  did: 'used one TOTP step',
  why: `RFC 6238 §5.2 says a one-time password works once. ${oneWrite}`,
  prepare: activeFactor,
  attempt: async (stores, userId) =>
    won(
      await given(stores, 'secondFactors').advanceStep(userId, 58_000_000),
      'secondFactors.advanceStep',
      { outcome: 'advanced' },
      { outcome: 'stale' },
    ),
}

const reseal: OneTimeOperation = {
  ...withinOne,
  contract: 'secondFactors',
  name: 'reseal',
  did: 'resealed one seed',
  why: `A seed sealed under an older key would replace a newer one. ${oneWrite}`,
  prepare: async (stores) => {
    const userId = randomId()
    await given(stores, 'secondFactors').activate(
      newFactor(moments(), { userId, sealedSeed: derivedHash('seed', userId) }),
      [],
    )
    return userId
  },
  attempt: async (stores, userId, caller) => {
    const answer = await given(stores, 'secondFactors').reseal(
      userId,
      derivedHash('seed', userId),
      `resealed by ${caller}`,
    )
    return won(answer, 'secondFactors.reseal', { outcome: 'resealed' }, { outcome: 'superseded' })
  },
  verify: async (stores, userId, winner) => {
    const stored = await given(stores, 'secondFactors').find(userId)
    check(
      stored?.sealedSeed === `resealed by ${winner}`,
      'After the race the stored seed is not that of the caller who was told `resealed`.',
    )
  },
}

const recoveryCode: OneTimeOperation = {
  ...usual,
  contract: 'secondFactors',
  name: 'consumeRecoveryCode',
  did: 'used one recovery code',
  why:
    'Whoever reads a code over a shoulder would get in with it. Make it one delete of one row, ' +
    'and answer by the rows it deleted.',
  prepare: activeFactor,
  attempt: async (stores, userId) =>
    won(
      await given(stores, 'secondFactors').consumeRecoveryCode(
        userId,
        derivedHash('recovery', userId),
      ),
      'secondFactors.consumeRecoveryCode',
      { outcome: 'consumed' },
      { outcome: 'unknown' },
    ),
}

const deactivate: OneTimeOperation = {
  ...withinOne,
  contract: 'secondFactors',
  name: 'deactivate',
  did: 'deactivated one factor',
  why: 'Answer by the rows that this very delete has deleted.',
  prepare: activeFactor,
  attempt: async (stores, userId) =>
    won(
      await given(stores, 'secondFactors').deactivate(userId),
      'secondFactors.deactivate',
      { outcome: 'deactivated' },
      { outcome: 'not-active' },
    ),
}

/** Every one-time operation of second factors. */
export const factorOperations: readonly OneTimeOperation[] = [
  activate,
  confirm,
  step,
  reseal,
  recoveryCode,
  deactivate,
]

function codesOf(caller: number, userId: string): readonly string[] {
  return [derivedHash(`recovery ${caller}`, userId), derivedHash(`spare ${caller}`, userId)]
}

async function activeFactor(stores: StoresUnderTest): Promise<string> {
  const factor = newFactor(moments())
  await given(stores, 'secondFactors').activate(factor, [derivedHash('recovery', factor.userId)])
  return factor.userId
}

const why =
  'Answer the rows that this very write has changed, not what a query finds before or after it.'

const endAllForClient: OneTimeOperation = {
  ...usual,
  contract: 'sessions',
  name: 'endAllForClient',
  did: 'named one session of a client as ended by them',
  why,
  isOffered: (stores) => given(stores, 'sessions').endAllForClient !== undefined,
  prepare: async (stores) => {
    const clientId = randomId()
    await given(stores, 'sessions').create(newSession(moments(), { clientId }))
    return clientId
  },
  attempt: async (stores, clientId) => {
    const sessions = given(stores, 'sessions')
    const ended = await sessions.endAllForClient?.(clientId, {}, 'client-disabled', moments()(1))
    return ended !== undefined && ended.length > 0
  },
}

const endChildren: OneTimeOperation = {
  ...usual,
  contract: 'sessions',
  name: 'endChildren',
  did: 'named one child of a session as ended by them',
  why,
  isOffered: (stores) => given(stores, 'sessions').endChildren !== undefined,
  prepare: async (stores) => {
    const parentId = randomId()
    await given(stores, 'sessions').create(newSession(moments(), { parentId }))
    return parentId
  },
  attempt: async (stores, parentId) => {
    const ended = await given(stores, 'sessions').endChildren?.(parentId, 'revoked', moments()(1))
    return ended !== undefined && ended.length > 0
  },
}

const replaceSecret: OneTimeOperation = {
  ...usual,
  contract: 'sessions',
  name: 'replaceSecret',
  did: 'replaced one secret',
  why: `Each gives its browser a cookie, and only one of them is good. ${oneWrite}`,
  isOffered: (stores) => given(stores, 'sessions').replaceSecret !== undefined,
  prepare: async (stores) => {
    const id = randomId()
    const secretHash = derivedHash('secret', id)
    await given(stores, 'sessions').create(newSession(moments(), { id, secretHash }))
    return id
  },
  attempt: async (stores, id, caller) => {
    const from = derivedHash('secret', id)
    const to = derivedHash(`secret of ${caller}`, id)
    const replacement = { from, to, formerUntil: moments()(10) }
    const isReplaced = await given(stores, 'sessions').replaceSecret?.(id, replacement)
    return won(isReplaced, 'sessions.replaceSecret', true, false)
  },
  verify: async (stores, id, winner) => {
    const stored = await given(stores, 'sessions').find(id)
    check(
      stored?.secretHash === derivedHash(`secret of ${winner}`, id),
      'After the race the stored secret is not that of the caller who was told true: its browser ' +
        'is signed out.',
    )
  },
}

/** The optional one-time operations of sessions. */
export const sessionOwnerOperations: readonly OneTimeOperation[] = [
  endAllForClient,
  endChildren,
  replaceSecret,
]
