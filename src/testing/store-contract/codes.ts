import { raceWinners } from '../../lib/race.js'
import type { AuthorizationCodeStore } from '../../stores/contract.js'
import { check, rejects, same, spoil } from './checks.js'
import { moments, newCode } from './records.js'
import type { Part } from './suite.js'
import { longAwkwardText, otherCase } from './texts.js'

/** Authorization codes, but for their races against themselves, `purge` and `redemption`. */
export function codesContract(part: Part<AuthorizationCodeStore>): void {
  codeShapes(part)
  codeIdentity(part)
  codeExpiry(part)
  codeReplays(part)
}

function codeShapes({ it, store }: Part<AuthorizationCodeStore>): void {
  it('a record comes back as it was saved, from find and from consume', async () => {
    const at = moments()
    const issuedBySessionId = 'the session that asked'
    const full = newCode(at, { issuedBySessionId, methods: ['pwd', 'otp', 'recovery', 'host'], userId: longAwkwardText, scope: '' })
    const codes = await store()
    for (const code of [newCode(at), full]) {
      await codes.save(code)
      same(await codes.find(code.codeHash), code, 'codes.find must answer the record as it was saved.')
      const consumed = { ...code, consumedAt: at(1.234) }
      const answer = await codes.consume(code.codeHash, at(1.234))
      same(answer, { outcome: 'consumed', code: consumed }, 'codes.consume must answer the record with consumedAt = now.')
      same(await codes.find(code.codeHash), consumed, 'codes.find must answer a used code, too.')
    }
  })

  it('an unknown code is null to find and unknown to consume', async () => {
    const at = moments()
    const codes = await store()
    const { codeHash } = newCode(at)
    same(await codes.find(codeHash), null, 'codes.find must answer null, not undefined, when there is no record.')
    same(await codes.consume(codeHash, at(1)), { outcome: 'unknown' }, 'codes.consume of a hash that was never saved.')
  })
}

function codeIdentity({ it, store }: Part<AuthorizationCodeStore>): void {
  it('saving a hash again rejects and changes nothing, before its use and after', async () => {
    const at = moments()
    const codes = await store()
    const code = newCode(at)
    const again = () => codes.save(newCode(at, { codeHash: code.codeHash }))
    await codes.save(code)
    await rejects(again(), 'codes.save took a hash that is already there: whoever comes second would own the first one’s code.')
    same(await codes.find(code.codeHash), code, 'A rejected codes.save must leave the first record.')
    await codes.consume(code.codeHash, at(1))
    await rejects(again(), 'codes.save took the hash of a used code: an upsert makes a used code good again.')
    same(await codes.find(code.codeHash), { ...code, consumedAt: at(1) }, 'A rejected codes.save must leave a used code used.')
  })

  it('hashes that differ by case are different codes', async () => {
    const at = moments()
    const codes = await store()
    const one = newCode(at)
    const other = newCode(at, { codeHash: otherCase(one.codeHash) })
    await codes.save(one)
    same(await codes.find(other.codeHash), null, 'codes.find ignores case. Compare hashes bytewise.')
    await codes.save(other)
    await codes.consume(one.codeHash, at(1))
    same(await codes.find(other.codeHash), other, 'codes.consume touched a hash that differs by case. Compare bytewise.')
  })

  it('records are copies: changing one does not change the store', async () => {
    const at = moments()
    const codes = await store()
    const code = newCode(at)
    const given = structuredClone(code)
    await codes.save(given)
    spoil(given)
    same(await codes.find(code.codeHash), code, 'Changing the record that was given to codes.save changed the stored one.')
    spoil(await codes.find(code.codeHash))
    same(await codes.find(code.codeHash), code, 'Changing the record that codes.find answered changed the stored one.')
    const answer = await codes.consume(code.codeHash, at(1))
    spoil('code' in answer ? answer.code : null)
    const consumed = { ...code, consumedAt: at(1) }
    same(await codes.find(code.codeHash), consumed, 'Changing the record that codes.consume answered changed the stored one.')
  })
}

function codeExpiry({ it, store }: Part<AuthorizationCodeStore>): void {
  it('a code is good one millisecond before it expires', async () => {
    const at = moments()
    const codes = await store()
    const code = newCode(at)
    await codes.save(code)
    const { outcome } = await codes.consume(code.codeHash, at(59.999))
    check(outcome === 'consumed', `codes.consume answered ${outcome} one millisecond before expiresAt. Keep milliseconds.`)
  })

  it('a code is void at the very moment it expires', async () => {
    const at = moments()
    const codes = await store()
    const code = newCode(at)
    await codes.save(code)
    for (const now of [at(60), at(61)]) {
      const answer = await codes.consume(code.codeHash, now)
      same(answer, { outcome: 'unknown' }, 'codes.consume of an unused code that has expired. It is good while now < expiresAt.')
    }
  })

  it('a used code is replayed also after it has expired', async () => {
    const at = moments()
    const codes = await store()
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

function codeReplays({ it, store, rounds }: Part<AuthorizationCodeStore>): void {
  it('a used code is replayed for as long as it is there, also after retainUntil', async () => {
    const at = moments()
    const codes = await store()
    const code = newCode(at)
    await codes.save(code)
    await codes.consume(code.codeHash, at(1))
    const answer = await codes.consume(code.codeHash, at(3601))
    // A database that expires its rows may have taken it away.
    if ((await codes.find(code.codeHash)) === null) return
    const expected = { outcome: 'replayed', code: { ...code, consumedAt: at(1) } }
    same(answer, expected, 'codes.consume of a used code after retainUntil: only `purge` goes by that moment.')
  })

  it('the losers of a race are answered replayed, with the record as the winner left it', async () => {
    const at = moments()
    const codes = await store()
    const code = newCode(at)
    await codes.save(code)
    const moment = (caller: number) => at(1 + caller / 1000)
    const answers = await Promise.all(Array.from({ length: 10 }, (_none, caller) => codes.consume(code.codeHash, moment(caller))))
    const winner = answers.findIndex(({ outcome }) => outcome === 'consumed')
    for (const [caller, answer] of answers.entries()) {
      const expected = { outcome: caller === winner ? 'consumed' : 'replayed', code: { ...code, consumedAt: moment(winner) } }
      same(answer, expected, 'codes.consume was raced by 10 callers. The router ends the session of a code that is replayed.')
    }
  })

  it('callers before and after the expiry, at once: at most one wins, and none of the late', async () => {
    const at = moments()
    const codes = await store()
    for (let round = 0; round < rounds; round += 1) {
      const code = newCode(at)
      await codes.save(code)
      const isLate = (caller: number) => (caller + round) % 2 === 0
      const winners = await raceWinners(10, async (caller) => {
        const { outcome } = await codes.consume(code.codeHash, isLate(caller) ? at(60) : at(59))
        return outcome === 'consumed'
      })
      check(
        winners.length === 1 && !winners.some(isLate),
        `${winners.length} of 10 callers consumed one code, ${winners.filter(isLate).length} of them after it had expired.`,
      )
    }
  })
}
