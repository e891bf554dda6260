import { sha256 } from '../lib/digest.js'
import { randomSecret } from '../lib/random.js'
import { moments, newPasskeyRecord } from './new-records.js'
import type { PasskeyStore } from './passkey-contract.js'
import { isOutcome, type Probe, raceFor } from './probe-race.js'

/** Whether a counter is moved, a code used and a last passkey spared, each once. */
export async function probePasskeys(passkeys: PasskeyStore, probe: Probe): Promise<void> {
  const { userId } = probe
  const at = moments()
  // Nobody has its key: one that was left behind is no way in.
  const passkey = newPasskeyRecord(at, { userId, publicKey: randomSecret() })
  const other = newPasskeyRecord(at, { userId, publicKey: randomSecret() })
  const codeHash = sha256(randomSecret())
  const limits = { most: 2, recoveryCodeHashes: [codeHash] }
  const raceAll = raceFor('passkeys', probe)
  const race = (what: string, won: string, attempt: () => Promise<unknown>) =>
    raceAll(what, async () => isOutcome(await attempt(), won))
  const { credentialId, counter } = passkey
  try {
    await race('create a passkey of one id', 'created', () => passkeys.create(passkey, limits))
    let seen = counter
    await race('move one counter', 'used', () => {
      seen += 1
      return passkeys.use(credentialId, counter, {
        counter: seen,
        backedUp: true,
        lastUsedAt: at(0),
      })
    })
    await race('use one recovery code', 'consumed', () =>
      passkeys.consumeRecoveryCode(userId, codeHash),
    )
    await passkeys.create(other, limits)
    let turn = 0
    await race('remove one of two passkeys, unless it is the last,', 'removed', () => {
      turn += 1
      const id = turn % 2 === 0 ? credentialId : other.credentialId
      return passkeys.remove(userId, id, { unlessLast: true })
    })
  } finally {
    await passkeys.removeAllForUser(userId).catch(() => undefined)
  }
}
