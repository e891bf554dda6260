import { randomId, randomSecret } from '../lib/random.js'
import type { IdentityStore } from './identity-contract.js'
import { requireKept } from './kept-members.js'
import { moments, newIdentity } from './new-records.js'
import { isOutcome, type Probe, raceFor, unsafe } from './probe-race.js'

/** Whether an identity is linked once and kept whole, a last one spared, and
 * what was unlinked remembered. */
export async function probeIdentities(identities: IdentityStore, probe: Probe): Promise<void> {
  const { userId } = probe
  const at = moments()
  // No provider has this id: one that was left behind is no way in.
  const provider = `probe ${randomSecret()}`
  const identity = newIdentity(at, { userId, provider })
  const other = newIdentity(at, { userId, provider })
  const gone = newIdentity(at, { userId, provider })
  const { subject } = identity
  const raceAll = raceFor('identities', probe)
  const race = (what: string, won: string, attempt: () => Promise<unknown>) =>
    raceAll(what, async () => isOutcome(await attempt(), won))
  try {
    await identities.link(other)
    requireKept('identities', other, await identities.find(provider, other.subject))
    await race('link one identity', 'linked', () =>
      identities.link({ ...identity, id: randomId() }),
    )
    await identities.link(gone)
    await identities.unlink(userId, gone.id, { unlessLast: false })
    if (!isOutcome(await identities.link(gone, { unlessUnlinked: true }), 'exists'))
      throw unsafe('identities', 'linked by an address again what was unlinked.')
    const found = await identities.find(provider, subject)
    let turn = 0
    await race('unlink one of two identities, unless it is the last,', 'unlinked', () => {
      turn += 1
      const { id } = turn % 2 === 0 ? other : (found ?? identity)
      return identities.unlink(userId, id, { unlessLast: true })
    })
  } finally {
    await identities.unlinkAllForUser(userId).catch(() => undefined)
  }
}
