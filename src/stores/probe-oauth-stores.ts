import type { ConsentStore } from './consent-contract.js'
import { moments, newConsent } from './new-records.js'
import type { OnceStore } from './once-contract.js'
import { isOutcome, type Probe, raceFor, unsafe } from './probe-race.js'

/** Whether grants at once add up, and a consent is revoked once. */
export async function probeConsents(consents: ConsentStore, probe: Probe): Promise<void> {
  const { callers, userId } = probe
  const consent = newConsent(moments(), { userId, scopes: [] })
  const { clientId } = consent
  const scopes = Array.from({ length: callers }, (_none, caller) => `mar-probe:${caller}`)
  try {
    await Promise.all(scopes.map((scope) => consents.grant({ ...consent, scopes: [scope] })))
    const found = await consents.find(userId, clientId)
    const { length } = scopes.filter((scope) => found?.scopes?.includes(scope))
    if (length !== callers)
      throw unsafe('consents', `kept the scopes of ${length} of ${callers} callers.`)
    await raceFor('consents', probe)('revoke one consent', async () =>
      isOutcome(await consents.revoke(userId, clientId), 'revoked'),
    )
  } finally {
    await consents.revoke(userId, clientId).catch(() => undefined)
  }
}

/** Whether a key is claimed once, and once more when its note has expired. */
export async function probeOnce(once: OnceStore, probe: Probe): Promise<void> {
  const at = moments()
  const race = raceFor('once', probe)
  await race('claim one key', async () =>
    isOutcome(await once.claim(probe.userId, at(60), at(0)), 'claimed'),
  )
  await race('claim one key whose note has expired', async () =>
    isOutcome(await once.claim(probe.userId, at(120), at(60)), 'claimed'),
  )
}
