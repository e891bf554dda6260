import { randomSecret } from '../../../lib/random.js'
import type { SessionStore } from '../../../stores/contract.js'
import { newSession, newWholeSession } from '../../../stores/new-records.js'
import { same } from '../harness/checks.js'
import { type Part, whereOffered } from '../harness/suite.js'

/** The secret of a browser is replaced, and the one before it is kept for a few seconds. */
export function secretsContract(part: Part<SessionStore>): void {
  // Only hosts with the option `oauth` need it.
  const offering = whereOffered(part, 'replaceSecret')
  replacesIt(offering)
  whereItIsAnother(offering)
}

type Replacing = Part<SessionStore & Required<Pick<SessionStore, 'replaceSecret'>>>

function replacesIt({ it }: Replacing): void {
  it('keeps the former secret with its time, and all else', async (sessions, at) => {
    const first = newSession(at, { secretHash: randomSecret() })
    for (const session of [first, newWholeSession(at)]) {
      await sessions.create(session)
      const from = session.secretHash ?? ''
      const to = randomSecret()
      const until = at(10.678)
      const given = new Date(until)
      same(
        await sessions.replaceSecret(session.id, { from, to, formerUntil: given }),
        true,
        'sessions.replaceSecret of the secret that is there must answer true.',
      )
      given.setTime(0)
      same(
        await sessions.find(session.id),
        { ...session, secretHash: to, formerSecret: { hash: from, until } },
        'sessions.replaceSecret changes `secretHash` and `formerSecret`, whatever that was before.',
      )
    }
  })
}

function whereItIsAnother({ it }: Replacing): void {
  it('answers false and does nothing for another secret', async (sessions, at) => {
    const [from, to] = [randomSecret(), randomSecret()]
    const former = { formerSecret: { hash: from, until: at(10) } }
    const others = [
      newSession(at, { secretHash: from.toLowerCase().slice(1) }),
      // A replaced secret cannot be replaced again, or somebody who stole it would win.
      newSession(at, { secretHash: randomSecret(), ...former }),
      newSession(at),
    ]
    for (const session of others) {
      await sessions.create(session)
      same(
        [
          await sessions.replaceSecret(session.id, { from, to, formerUntil: at(20) }),
          await sessions.find(session.id),
        ],
        [false, session],
        'sessions.replaceSecret: `from` must be the `secretHash` that is there, and no other.',
      )
    }
  })
}
