import { setImmediate, setTimeout } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { SessionRecord } from '../../../stores/contract.js'
import {
  enrolling,
  type Moment,
  newCode,
  newDeviceCode,
  newFactor,
  newPending,
  newProof,
  newRefreshable,
  newRotation,
} from '../../../stores/new-records.js'
import { check, isNone, type Part, type StoreOf, same, sessionsOf } from '../harness.js'

/** What was read while a change was under way, and what was read when it had resolved. */
interface Reads<Row> {
  readonly during: readonly Row[]
  readonly after: Row
}

/**
 * Reads once while the change is under way, or again and again; the first read begins before it
 * does. A cache that is filled by a read that was overtaken is found out by one read alone: others
 * would fill it anew.
 */
async function readWhile<Row>(
  read: () => Promise<Row>,
  change: () => Promise<unknown>,
  isOften: boolean,
): Promise<Reads<Row>> {
  const reads = [read()]
  let isOver = false
  const changed = change().finally(() => {
    isOver = true
  })
  for (let turn = 0; isOften && !isOver && turn < 25; turn += 1) {
    // A turn for everybody else: a store in memory would not come to its timers otherwise.
    await (turn < 10 ? setImmediate() : setTimeout(1))
    reads.push(read())
  }
  const [done, ...answers] = await Promise.allSettled([changed, ...reads])
  if (done.status === 'rejected') throw done.reason
  const during = answers.map((answer) => {
    if (answer.status === 'rejected') throw answer.reason
    return answer.value
  })
  return { during, after: await read() }
}

// Some of it as it is now and some as it was: nobody has ever written that.
function isMixture(parts: readonly unknown[], after: readonly unknown[]): boolean {
  const changed = parts.filter((part, index) => isDeepStrictEqual(part, after[index]))
  return changed.length > 0 && changed.length < parts.length
}

function stale(find: string, change: string): string {
  return (
    `${find} answered what was there before ${change}, although that had resolved. Read from ` +
    'the primary, without a cache; ' +
    'a read that was under way must not fill one afterwards.'
  )
}

interface SessionChange {
  readonly change: (
    sessions: StoreOf<'sessions'>,
    session: SessionRecord,
    at: Moment,
  ) => Promise<unknown>
  /** What it changes, to be compared piece by piece. */
  readonly parts: (session: SessionRecord) => readonly unknown[]
  readonly isDone: (session: SessionRecord, at: Moment) => boolean
}

const seen = ({ lastSeenAt, idleExpiresAt, ip }: SessionRecord) => [lastSeenAt, idleExpiresAt, ip]
const ending = {
  parts: ({ endedAt, endReason }: SessionRecord) => [endedAt, endReason],
  isDone: ({ endedAt }: SessionRecord) => endedAt !== null,
}

const sessionChanges: Readonly<Record<string, SessionChange>> = {
  rotateRefresh: {
    change: (sessions, { id }, at) =>
      sessions.rotateRefresh(id, 'token', newRotation(at, 'next'), at(2)),
    parts: (session) => [
      session.refresh?.hash,
      session.refresh?.familyKey,
      session.refresh?.spent,
      ...seen(session),
    ],
    isDone: ({ refresh }) => refresh?.hash === 'next',
  },
  touch: {
    change: (sessions, { id }, at) =>
      sessions.touch(id, { lastSeenAt: at(5), idleExpiresAt: at(605), ip: '203.0.113.7' }),
    parts: seen,
    isDone: ({ ip }) => ip === '203.0.113.7',
  },
  setMethods: {
    change: (sessions, { id }) => sessions.setMethods(id, ['host']),
    parts: ({ methods }) => [methods],
    isDone: ({ methods }) => methods[0] === 'host',
  },
  end: { ...ending, change: (sessions, { id }, at) => sessions.end(id, 'revoked', at(1)) },
  endAllForUser: {
    ...ending,
    change: (sessions, { userId }, at) => sessions.endAllForUser(userId, 'revoked', at(1)),
  },
}

/**
 * Whoever reads a session sees it as it was before a change or after it; and after it once it has
 * resolved.
 */
export function sessionReads({ it, rounds }: Part<StoreOf<'sessions'>>): void {
  for (const [name, { change, parts, isDone }] of Object.entries(sessionChanges)) {
    it(
      `find and listForUser, while ${name} is under way: the session before or after, whole; ` +
        'then after',
      async (sessions, at) => {
        for (let round = 0; round < Math.ceil(rounds / 4); round += 1) {
          const session = newRefreshable(at, 'token')
          await sessions.create(session)
          const { during, after } = await readWhile(
            () =>
              Promise.all([sessions.find(session.id), sessionsOf(sessions, session.userId, at(3))]),
            () => change(sessions, session, at),
            round % 2 === 1,
          )
          const [found, listed] = after
          check(
            found !== null,
            `sessions.find answered null after sessions.${name}. ` +
              'A session stays until it is purged.',
          )
          check(isDone(found, at), stale('sessions.find', `sessions.${name}`))
          check(
            listed.every((row) => isDone(row, at)) &&
              listed.length === (found.endedAt === null ? 1 : 0),
            stale('sessions.listForUser', `sessions.${name}`),
          )
          const lost =
            `sessions.find answered null while sessions.${name} was under way: the user would be ` +
            'signed out. Change the row; do not delete and insert it.'
          check(!during.some(([row]) => row === null), lost)
          const rows = during.flatMap(([row, list]) => [row as SessionRecord, ...list])
          const half =
            `A session was read half changed while sessions.${name} was under way. Write all of ` +
            'it in one statement, or in one transaction.'
          check(!rows.some((row) => isMixture(parts(row), parts(found))), half)
        }
      },
    )
  }
}

/** The same for a code that is consumed. */
export function codeReads({ it, rounds }: Part<StoreOf<'codes'>>): void {
  it('find, while the code is consumed: then it is used', async (codes, at) => {
    for (let round = 0; round < Math.ceil(rounds / 4); round += 1) {
      const code = newCode(at)
      await codes.save(code)
      const { after } = await readWhile(
        () => codes.find(code.codeHash),
        () => codes.consume(code.codeHash, at(1)),
        round % 2 === 1,
      )
      check(
        after !== null,
        'codes.find answered null for a code that has been used. It stays until it is purged.',
      )
      check(!isNone(after.consumedAt), stale('codes.find', 'codes.consume'))
    }
  })
}

/** The same for a device code that is claimed, tried, polled and decided. */
export function deviceCodeReads({ it, rounds }: Part<StoreOf<'deviceCodes'>>): void {
  it('find, while a device code is claimed, tried, polled and decided: then it is', async (codes, at) => {
    const changes: Readonly<Record<string, (hash: string, device: string) => Promise<unknown>>> = {
      claim: (hash) => codes.claim(hash, 'u-alice', at(1)),
      takeTry: (hash) => codes.takeTry(hash, 'u-alice', at(1)),
      poll: (hash, device) => codes.poll(hash, device, at(1)),
      decide: (hash) => codes.decide(hash, 'u-alice', { state: 'denied' }, at(1)),
    }
    for (let round = 0; round < Math.ceil(rounds / 4); round += 1) {
      const { userCodeHash, deviceCodeHash, ...rest } = newDeviceCode(at)
      await codes.save({ userCodeHash, deviceCodeHash, ...rest })
      for (const [name, change] of Object.entries(changes)) {
        const before = await codes.find(userCodeHash)
        const { after } = await readWhile(
          () => codes.find(userCodeHash),
          () => change(userCodeHash, deviceCodeHash),
          round % 2 === 1,
        )
        check(
          !isNone(after) && !isDeepStrictEqual(before, after),
          stale('deviceCodes.find', `deviceCodes.${name}`),
        )
      }
    }
  })
}

/** The same for a proof that is tried and used. */
export function proofReads({ it, rounds }: Part<StoreOf<'proofs'>>): void {
  it('find, while a proof is tried and used: then it is', async (proofs, at) => {
    for (let round = 0; round < Math.ceil(rounds / 4); round += 1) {
      const proof = newProof(at)
      const { idHash, purpose } = proof
      await proofs.save(proof)
      const read = () => proofs.find(idHash, purpose)
      const take = () => proofs.takeTry(idHash, purpose, at(1))
      const { after: tried } = await readWhile(read, take, round % 2 === 1)
      const use = () => proofs.consume(idHash, purpose, at(2))
      const { after: used } = await readWhile(read, use, round % 2 === 1)
      check(
        !isNone(tried) && !isNone(used),
        'proofs.find answered nothing for a proof that has been tried or used. It stays until ' +
          'it is purged.',
      )
      const isTried = Number(tried?.triesLeft) < proof.triesLeft
      check(isTried, stale('proofs.find', 'proofs.takeTry'))
      check(!isNone(used?.consumedAt), stale('proofs.find', 'proofs.consume'))
    }
  })
}

type FactorChange = (
  factors: StoreOf<'secondFactors'>,
  userId: string,
  at: Moment,
) => Promise<unknown>

/** The same for factors and enrolments. */
export function factorReads({ it, rounds }: Part<StoreOf<'secondFactors'>>): void {
  const seed = 'v1.first'
  const changes: Readonly<
    Record<string, readonly [FactorChange, sealedSeed: string | undefined, lastStep?: number]>
  > = {
    activate: [
      (factors, userId, at) => factors.activate(newFactor(at, { userId, sealedSeed: seed }), []),
      seed,
      -1,
    ],
    advanceStep: [(factors, userId) => factors.advanceStep(userId, 7), seed, 7],
    reseal: [(factors, userId) => factors.reseal(userId, seed, 'v2.next'), 'v2.next', 7],
    deactivate: [(factors, userId) => factors.deactivate(userId), undefined],
  }
  it('find, while a factor is activated, used, resealed and deactivated: then it is', async (factors, at) => {
    for (let round = 0; round < Math.ceil(rounds / 4); round += 1) {
      const { userId } = newFactor(at)
      for (const [name, [change, sealedSeed, lastStep]] of Object.entries(changes)) {
        const { after } = await readWhile(
          () => factors.find(userId),
          () => change(factors, userId, at),
          round % 2 === 1,
        )
        same(
          [after?.sealedSeed, after?.lastStep],
          [sealedSeed, lastStep],
          stale('secondFactors.find', `secondFactors.${name}`),
        )
      }
    }
  })

  it('findPending, while an enrolment is saved, replaced and confirmed: then it is', async (factors, at) => {
    for (let round = 0; round < Math.ceil(rounds / 4); round += 1) {
      const first = newPending(at)
      const next = newPending(at, { userId: first.userId, createdAt: at(1), expiresAt: at(601) })
      const steps = [
        ['savePending', () => factors.savePending(first), first.sealedSeed],
        ['savePending', () => factors.savePending(next), next.sealedSeed],
        ['confirm', () => factors.confirm(newFactor(at, next), [], at(2)), undefined],
      ] as const
      for (const [name, change, sealedSeed] of steps) {
        const { after } = await readWhile(
          () => factors.findPending(first.userId, enrolling),
          change,
          round % 2 === 1,
        )
        same(
          after?.sealedSeed,
          sealedSeed,
          stale('secondFactors.findPending', `secondFactors.${name}`),
        )
      }
    }
  })
}
