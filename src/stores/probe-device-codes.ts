import { randomId } from '../lib/random.js'
import type { DeviceCodeStore } from './device-code-contract.js'
import { requireKept } from './kept-members.js'
import { moments, newDeviceCode } from './new-records.js'
import { isOutcome, type Probe, raceFor } from './probe-race.js'

/** Whether a device code is kept whole, and claimed, tried, decided and polled once. */
export async function probeDeviceCodes(codes: DeviceCodeStore, probe: Probe): Promise<void> {
  const { userId } = probe
  const at = moments()
  // No device has its secret: one that was left behind signs nobody in.
  const code = newDeviceCode(at, { triesLeft: 1 })
  const { userCodeHash, deviceCodeHash } = code
  const race = raceFor('deviceCodes', probe)
  await codes.save(code)
  requireKept('deviceCodes', code, await codes.find(userCodeHash))
  await race('claim one device code', async () =>
    isOutcome(await codes.claim(userCodeHash, `${userId}-${randomId()}`, at(0)), 'claimed'),
  )
  const owner = (await codes.find(userCodeHash))?.userId ?? userId
  await race('take the last try of one device code', async () =>
    isOutcome(await codes.takeTry(userCodeHash, owner, at(0)), 'taken'),
  )
  await race('poll one device code', async () =>
    isOutcome(await codes.poll(userCodeHash, deviceCodeHash, at(0)), 'polled'),
  )
  await race('decide one device code', async () =>
    isOutcome(await codes.decide(userCodeHash, owner, { state: 'denied' }, at(0)), 'decided'),
  )
}
