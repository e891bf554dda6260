import { raceWinners } from '../../../lib/race.js'
import type { AuthorizationCodeStore } from '../../../stores/code-contract.js'
import { newCode } from '../../../stores/new-records.js'
import { check, same } from '../harness/checks.js'
import type { Part } from '../harness/suite.js'

/** Codes that are shown again. */
export function replaysContract(part: Part<AuthorizationCodeStore>): void {
  codeReplays(part)
}

function codeReplays({ it, inRounds }: Part<AuthorizationCodeStore>): void {
  it('a used code is replayed for as long as it is there, also after retainUntil', async (codes, at) => {
    const code = newCode(at)
    await codes.save(code)
    await codes.consume(code.codeHash, at(1))
    const answer = await codes.consume(code.codeHash, at(3601))
    // A database that expires its rows may have taken it away.
    if ((await codes.find(code.codeHash)) === null) return
    const expected = { outcome: 'replayed', code: { ...code, consumedAt: at(1) } }
    same(
      answer,
      expected,
      'codes.consume of a used code after retainUntil: only `purge` goes by that moment.',
    )
  })

  it('the losers of a race are answered replayed, with the record as the winner left it', async (codes, at) => {
    const code = newCode(at)
    await codes.save(code)
    const moment = (caller: number) => at(1 + caller / 1000)
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_none, caller) => codes.consume(code.codeHash, moment(caller))),
    )
    const winner = answers.findIndex(({ outcome }) => outcome === 'consumed')
    for (const [caller, answer] of answers.entries()) {
      const expected = {
        outcome: caller === winner ? 'consumed' : 'replayed',
        code: { ...code, consumedAt: moment(winner) },
      }
      same(
        answer,
        expected,
        'codes.consume was raced by 10 callers. The router ends the session of a code that is ' +
          'replayed.',
      )
    }
  })

  inRounds(
    'callers before and after the expiry, at once: at most one wins, and none of the late',
    async (codes, at, round) => {
      const code = newCode(at)
      await codes.save(code)
      const isLate = (caller: number) => (caller + round) % 2 === 0
      const winners = await raceWinners(10, async (caller) => {
        const { outcome } = await codes.consume(code.codeHash, isLate(caller) ? at(60) : at(59))
        return outcome === 'consumed'
      })
      check(
        winners.length === 1 && !winners.some(isLate),
        `${winners.length} of 10 callers consumed one code, ${winners.filter(isLate).length} of ` +
          'them after it had expired.',
      )
    },
  )
}
