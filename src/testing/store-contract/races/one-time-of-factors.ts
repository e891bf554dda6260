import { randomId } from '../../../lib/secrets.js'
import {
  derivedHash,
  enrolling,
  type Moment,
  newFactor,
  newPending,
} from '../../../stores/new-records.js'
import type { SecondFactorStore } from '../../../stores/second-factor-contract.js'
import { codesLeft } from '../harness.js'
import { type OneTimeOperation, oneWrite, operationsOf, outcomes } from './one-time-operation.js'

const codesOf = (caller: number, userId: string) => [
  derivedHash(`recovery ${caller}`, userId),
  derivedHash(`spare ${caller}`, userId),
]

async function useEach(factors: SecondFactorStore, userId: string, hashes: readonly string[]) {
  const used: string[] = []
  for (const hash of hashes) used.push((await factors.consumeRecoveryCode(userId, hash)).outcome)
  return used
}

async function activeFactor(factors: SecondFactorStore, at: Moment): Promise<string> {
  const { userId, ...factor } = newFactor(at)
  const sealedSeed = derivedHash('seed', userId)
  await factors.activate({ ...factor, userId, sealedSeed }, [derivedHash('recovery', userId)])
  return userId
}

/** The one-time operations of second factors. */
export const factorOperations: readonly OneTimeOperation[] = operationsOf('secondFactors', [
  {
    name: 'activate',
    did: 'activated a factor for one user',
    why:
      'The user could sign in with one authenticator app only, but was told that several work. ' +
      'Insert, and let the key refuse the rest.',
    withinOneProcess: true,
    prepare: async () => randomId(),
    attempt: (factors, userId, at, caller) =>
      factors.activate(
        newFactor(at, { userId, sealedSeed: `seed ${caller}` }),
        codesOf(caller, userId).slice(0, 1),
      ),
    answers: outcomes('activated', 'already-active'),
    // The codes of the winner work, and those of no other: factor and codes go in together.
    stored: async (factors, userId, winner) => {
      const [loser = ''] = codesOf(winner === 0 ? 1 : 0, userId)
      const [own = ''] = codesOf(winner, userId)
      return [
        [
          (await factors.find(userId))?.sealedSeed,
          ...(await useEach(factors, userId, [loser, own])),
        ],
        [`seed ${winner}`, 'unknown', 'consumed'],
      ]
    },
  },
  {
    name: 'confirm',
    did: 'confirmed one enrolment',
    why:
      'Each was shown recovery codes, and only those of one work. Delete the enrolment on its ' +
      'conditions, and go on only if a row went.',
    prepare: async (factors, at) => {
      const userId = randomId()
      await factors.savePending(newPending(at, { userId, sealedSeed: derivedHash('seed', userId) }))
      return userId
    },
    attempt: (factors, userId, at, caller) =>
      factors.confirm(
        newFactor(at, { userId, sealedSeed: derivedHash('seed', userId), lastStep: caller }),
        codesOf(caller, userId),
        at(1),
      ),
    answers: outcomes('activated', 'not-pending', 'already-active'),
    stored: async (factors, userId, winner) => [
      [
        (await factors.find(userId))?.lastStep,
        await factors.findPending(userId, enrolling),
        await codesLeft(factors, userId),
        await useEach(factors, userId, codesOf(winner, userId)),
      ],
      [winner, null, 2, ['consumed', 'consumed']],
    ],
  },
  {
    name: 'advanceStep',
    did: 'used one TOTP step',
    why: `RFC 6238 §5.2 says a one-time password works once. ${oneWrite}`,
    prepare: activeFactor,
    attempt: (factors, userId) => factors.advanceStep(userId, 58_000_000),
    answers: outcomes('advanced', 'stale'),
  },
  {
    name: 'reseal',
    did: 'resealed one seed',
    why: `A seed sealed under an older key would replace a newer one. ${oneWrite}`,
    withinOneProcess: true,
    prepare: activeFactor,
    attempt: (factors, userId, _at, caller) =>
      factors.reseal(userId, derivedHash('seed', userId), `resealed by ${caller}`),
    answers: outcomes('resealed', 'superseded'),
    stored: async (factors, userId, winner) => [
      (await factors.find(userId))?.sealedSeed,
      `resealed by ${winner}`,
    ],
  },
  {
    name: 'consumeRecoveryCode',
    did: 'used one recovery code',
    why:
      'Whoever reads a code over a shoulder would get in with it. Make it one delete of one row, ' +
      'and answer by the rows it deleted.',
    prepare: activeFactor,
    attempt: (factors, userId) =>
      factors.consumeRecoveryCode(userId, derivedHash('recovery', userId)),
    answers: outcomes('consumed', 'unknown'),
  },
  {
    name: 'deactivate',
    did: 'deactivated one factor',
    why: 'Answer by the rows that this very delete has deleted.',
    withinOneProcess: true,
    prepare: activeFactor,
    attempt: (factors, userId) => factors.deactivate(userId),
    answers: outcomes('deactivated', 'not-active'),
  },
])
