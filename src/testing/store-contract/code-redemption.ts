import { raceWinners } from '../../lib/async.js'
import { randomId } from '../../lib/secrets.js'
import type { SessionStore } from '../../stores/contract.js'
import { newCode, newRefreshable, newSession } from '../../stores/new-records.js'
import type { AuthorizationCodeStore, CodeRedemption } from '../../stores/one-time-contract.js'
import { check, type Part, rejects, same, whereOffered } from './harness.js'

/**
 * Code and session in one transaction. A store that does not offer it passes: the router then makes
 * two writes.
 */
export function redemptionContract(
  part: Part<AuthorizationCodeStore>,
  sessionStore: () => Promise<SessionStore | undefined>,
): void {
  const offering = whereOffered(part, 'redemption')
  offering.it('goes to the very session store that the router has', async ({ redemption }) => {
    const sessions = await sessionStore()
    check(
      sessions === undefined || redemption.sessions === sessions,
      'codes.redemption.sessions is another object than `sessions`: the router then never ' +
        'uses the redemption, and a crash between its ' +
        'two writes costs the user the code. Hand out the very object; whoever wraps the ' +
        'session store puts the wrapper there, too.',
    )
  })
  redemptionRaces(offering)
  redemptionLosers(offering)
  redemptionFailures(offering)
}

type Redeeming = Part<AuthorizationCodeStore & { readonly redemption: CodeRedemption }>

function redemptionRaces({ it }: Redeeming): void {
  for (const callers of [2, 10, 100]) {
    it(`one of ${callers} callers redeems the code and opens the session`, async (codes, at) => {
      const { redemption } = codes
      const code = newCode(at)
      await codes.save(code)
      const session = (caller: number) =>
        newRefreshable(at, `token of ${caller}`, {
          id: code.opensSessionId,
          userAgent: `caller ${caller}`,
        })
      const winners = await raceWinners(callers, async (caller) => {
        const answer = await redemption.redeem(code.codeHash, session(caller), at(1))
        const expected = {
          outcome: answer?.outcome === 'consumed' ? 'consumed' : 'replayed',
          code: { ...code, consumedAt: at(1) },
        }
        same(answer, expected, 'redeem must answer as consume does.')
        return answer.outcome === 'consumed'
      })
      check(
        winners.length === 1,
        `${winners.length} of ${callers} callers redeemed one code: RFC 6749 §4.1.2 says a code ` +
          'works once.',
      )
      const stored = await redemption.sessions.find(code.opensSessionId)
      check(
        stored?.userAgent === `caller ${winners[0]}`,
        'After redeem was raced, the stored session is not the one of the caller who was ' +
          'answered `consumed`.',
      )
    })
  }
}

function redemptionLosers({ it }: Redeeming): void {
  it('whoever is not first opens no session', async (codes, at) => {
    const { redemption } = codes
    const [used, expired, unknown] = [newCode(at), newCode(at), newCode(at)]
    await codes.save(used)
    await codes.save(expired)
    await codes.consume(used.codeHash, at(1))
    const tries = [
      [used, at(2), 'replayed'],
      [expired, at(60), 'unknown'],
      [unknown, at(1), 'unknown'],
    ] as const
    for (const [{ codeHash }, now, outcome] of tries) {
      const session = newSession(at)
      same(
        (await redemption.redeem(codeHash, session, now)).outcome,
        outcome,
        'redeem must answer as consume does.',
      )
      same(
        await redemption.sessions.find(session.id),
        null,
        `redeem answered ${outcome}, and must not have inserted the session.`,
      )
    }
  })
}

function redemptionFailures({ it }: Redeeming): void {
  it('rejects and leaves the code unused if the session is already there', async (codes, at) => {
    const { redemption } = codes
    const code = newCode(at)
    const existing = newSession(at, { id: randomId() })
    await codes.save(code)
    await redemption.sessions.create(existing)
    const second = newSession(at, { id: existing.id })
    await rejects(
      redemption.redeem(code.codeHash, second, at(1)),
      'redeem resolved, though a session with this id exists.',
    )
    same(
      await codes.find(code.codeHash),
      code,
      'redeem failed and used the code up all the same: the user is left with neither. Do ' +
        'both in one transaction.',
    )
    same(
      await redemption.sessions.find(existing.id),
      existing,
      'redeem replaced the session of somebody else.',
    )
    const answer = await redemption.redeem(
      code.codeHash,
      newSession(at, { id: code.opensSessionId }),
      at(2),
    )
    check(
      answer.outcome === 'consumed',
      `A code whose redeem failed was ${answer.outcome} at the next try.`,
    )
  })
}
