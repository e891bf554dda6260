import type {
  AuthorizationCodeRecord,
  AuthorizationCodeStore,
} from '../../../stores/code-contract.js'
import type { AuthenticationMethod } from '../../../stores/contract.js'
import { moments, newCode } from '../../../stores/new-records.js'
import { goodUntil } from '../every-store/good-until.js'
import { comesBack, type Rows } from '../every-store/rows.js'
import { check, isNone, rejects, resolves, same, spoil } from '../harness/checks.js'
import type { Part } from '../harness/suite.js'
import { longAwkwardText, otherCase } from '../harness/texts.js'
import { replaysContract } from './replays.js'

// The compiler misses a method here as soon as the contract has a new one.
const everyMethod: Readonly<Record<AuthenticationMethod, true>> = {
  pwd: true,
  otp: true,
  recovery: true,
  passkey: true,
  email: true,
  host: true,
  mfa: true,
  hwk: true,
  swk: true,
}

/** How codes are saved and answered. */
export const codeRows: Rows<AuthorizationCodeStore, AuthorizationCodeRecord> = {
  saving: 'codes.save',
  saved: 'saved',
  save: (codes, code) => codes.save(code),
  finding: 'codes.find',
  find: (codes, { codeHash }) => codes.find(codeHash),
}

/** Authorization codes, but for their races against themselves, `purge` and `redemption`. */
export function codesContract(part: Part<AuthorizationCodeStore>): void {
  codeShapes(part)
  codeIdentity(part)
  codesByTheByte(part)
  codeCopies(part)
  codeExpiry(part)
  replaysContract(part)
}

function codeShapes({ it, store }: Part<AuthorizationCodeStore>): void {
  it('a record comes back as it was saved, from find and from consume', async () => {
    const at = moments()
    const issuedBySessionId = 'the session that asked'
    const full = newCode(at, {
      issuedBySessionId,
      methods: Object.keys(everyMethod) as AuthenticationMethod[],
      userId: longAwkwardText,
      scope: '',
    })
    const codes = await store()
    for (const code of [newCode(at), full]) {
      await comesBack(codes, code, codeRows)
      const consumed = { ...code, consumedAt: at(1.234) }
      const answer = await codes.consume(code.codeHash, at(1.234))
      same(
        answer,
        { outcome: 'consumed', code: consumed },
        'codes.consume must answer the record with consumedAt = now.',
      )
      same(await codes.find(code.codeHash), consumed, 'codes.find must answer a used code, too.')
    }
  })

  it('an unknown code is null to find and unknown to consume', async (codes, at) => {
    const { codeHash } = newCode(at)
    same(
      await codes.find(codeHash),
      null,
      'codes.find must answer null, not undefined, when there is no record.',
    )
    same(
      await codes.consume(codeHash, at(1)),
      { outcome: 'unknown' },
      'codes.consume of a hash that was never saved.',
    )
  })
}

function codeIdentity({ it }: Part<AuthorizationCodeStore>): void {
  it('saving a hash again rejects and changes nothing, before its use and after', async (codes, at) => {
    const code = newCode(at)
    const again = () => codes.save(newCode(at, { codeHash: code.codeHash }))
    await codes.save(code)
    const before = await codes.find(code.codeHash)
    await rejects(
      again(),
      'codes.save took a hash that is already there: whoever comes second would own the first ' +
        'one’s code.',
    )
    same(
      await codes.find(code.codeHash),
      before,
      'A rejected codes.save must leave the first record.',
    )
    await codes.consume(code.codeHash, at(1))
    const used = await codes.find(code.codeHash)
    await rejects(
      again(),
      'codes.save took the hash of a used code: an upsert makes a used code good again.',
    )
    same(
      await codes.find(code.codeHash),
      used,
      'A rejected codes.save must leave a used code used.',
    )
  })

  it('two codes of one user are both good, whichever is used first', async (codes, at) => {
    for (const order of [1, -1]) {
      const first = newCode(at)
      const second = newCode(at, { userId: first.userId, createdAt: at(1) })
      await codes.save(first)
      await codes.save(second)
      for (const { codeHash } of order === 1 ? [first, second] : [second, first]) {
        const { outcome } = await codes.consume(codeHash, at(2))
        check(
          outcome === 'consumed',
          `codes.consume answered ${outcome} for one of two codes of one user: two devices sign ` +
            'in at once. Keep a row for each code.',
        )
      }
    }
  })
}

function codesByTheByte({ it }: Part<AuthorizationCodeStore>): void {
  it('hashes that differ by case are different codes', async (codes, at) => {
    const one = newCode(at)
    const other = newCode(at, { codeHash: otherCase(one.codeHash) })
    await codes.save(one)
    check(
      isNone(await codes.find(other.codeHash)),
      'codes.find ignores case. Compare hashes bytewise.',
    )
    await resolves(codes.save(other), 'codes.save ignores case. Compare hashes bytewise.')
    const before = await codes.find(other.codeHash)
    await codes.consume(one.codeHash, at(1))
    same(
      await codes.find(other.codeHash),
      before,
      'codes.consume touched a hash that differs by case. Compare bytewise.',
    )
  })
}

function codeCopies({ it }: Part<AuthorizationCodeStore>): void {
  it('records are copies: changing one does not change the store', async (codes, at) => {
    const code = newCode(at)
    const given = structuredClone(code)
    await codes.save(given)
    const find = async () => structuredClone(await codes.find(code.codeHash))
    const stored = await find()
    spoil(given)
    same(
      await find(),
      stored,
      'Changing the record that was given to codes.save changed the stored one.',
    )
    spoil(await codes.find(code.codeHash))
    same(
      await find(),
      stored,
      'Changing the record that codes.find answered changed the stored one.',
    )
    const now = at(1)
    const answer = await codes.consume(code.codeHash, now)
    const consumed = await find()
    spoil({ now })
    same(
      await find(),
      consumed,
      'Changing the Date that was given to codes.consume changed the stored record.',
    )
    spoil('code' in answer ? answer.code : null)
    same(
      await find(),
      consumed,
      'Changing the record that codes.consume answered changed the stored one.',
    )
  })
}

function codeExpiry(part: Part<AuthorizationCodeStore>): void {
  goodUntil(part, {
    row: 'code',
    method: 'codes.consume',
    by: 'write',
    outcomes: { good: 'consumed', over: 'unknown' },
    seconds: 60,
    async save(codes, at) {
      const code = newCode(at)
      await codes.save(code)
      return (now) => codes.consume(code.codeHash, now)
    },
  })

  part.it('a used code is replayed also after it has expired', async (codes, at) => {
    const code = newCode(at)
    await codes.save(code)
    await codes.consume(code.codeHash, at(1))
    for (const now of [at(2), at(60), at(3599)]) {
      const expected = { outcome: 'replayed', code: { ...code, consumedAt: at(1) } }
      same(
        await codes.consume(code.codeHash, now),
        expected,
        'A used code must answer `replayed` with the record of its first use.',
      )
    }
  })
}
