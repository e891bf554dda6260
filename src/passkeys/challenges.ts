import { randomBytes } from 'node:crypto'
import { sha256 } from '../lib/digest.js'
import { createVault } from '../lib/vault.js'
import type { OnceStore } from '../stores/once-contract.js'

/** What a challenge is good for. For anything else there is none. */
export interface ChallengeBinding {
  readonly purpose: 'register' | 'sign-in' | 'second-factor' | 'reauthenticate'
  /** Null where nobody has been named. */
  readonly userId: string | null
  /** Null where nobody is signed in. */
  readonly sessionId: string | null
}

/** A challenge of ours that is still good. */
export interface OpenedChallenge {
  readonly id: string
}

/**
 * The challenges that authenticators sign. What they are good for is sealed in them and in no
 * store: a page that is looked at costs none, whoever looks at it.
 */
export interface Challenges {
  /** In base64url, as it stands in the options and in the client data. */
  make(binding: ChallengeBinding): string
  /** Null for whatever is not a challenge for this, less than five minutes old. */
  open(challenge: string, binding: ChallengeBinding): OpenedChallenge | null
  /** Uses it up; false where it was used before. Rejects with 503. */
  claim(challenge: OpenedChallenge): Promise<boolean>
}

export interface ChallengesDeps {
  readonly encryptionKeys: readonly Buffer[]
  readonly once: Pick<OnceStore, 'claim'>
  readonly clock: () => Date
}

/** Milliseconds for which a challenge can be answered. */
export const challengeMs: number = 5 * 60_000
/** Milliseconds that the clock of another process may be ahead. */
const skewMs = 60_000

const timeBytes = 6
const idBytes = 16
/** Version, key, nonce, and 22 bytes with their tag. */
const sealedChars = 2 + 1 + 8 + 1 + 16 + 1 + Math.ceil(((timeBytes + idBytes + 16) * 4) / 3)
const challengeChars = Math.ceil((sealedChars * 4) / 3)

/** Makes what makes challenges. The first key seals, all of them open. */
export function createChallenges({ encryptionKeys, once, clock }: ChallengesDeps): Challenges {
  const vault = createVault('passkey-challenge', encryptionKeys)
  return {
    make(binding) {
      const time = Buffer.alloc(timeBytes)
      time.writeUIntBE(clock().getTime(), 0, timeBytes)
      const sealed = vault.seal(ownerOf(binding), Buffer.concat([time, randomBytes(idBytes)]))
      return Buffer.from(sealed).toString('base64url')
    },

    open(challenge, binding) {
      // Before any work, the length.
      if (challenge.length !== challengeChars) return null
      const sealed = Buffer.from(challenge, 'base64url').toString('latin1')
      const bytes = vault.open(ownerOf(binding), sealed)
      if (bytes === null || bytes.length !== timeBytes + idBytes) return null
      const age = clock().getTime() - bytes.readUIntBE(0, timeBytes)
      if (age < -skewMs || age >= challengeMs) return null
      return { id: bytes.subarray(timeBytes).toString('base64url') }
    },

    async claim({ id }) {
      const now = clock()
      // For longer than it can be opened by any process.
      const expiresAt = new Date(now.getTime() + 2 * challengeMs)
      // As JSON, so that it is nobody else's name.
      const name = sha256(JSON.stringify(['passkey-challenge', id]))
      return (await once.claim(name, expiresAt, now)).outcome === 'claimed'
    },
  }
}

// What the seal is bound to need not be in it. As JSON, so that no two bindings are one text.
function ownerOf({ purpose, userId, sessionId }: ChallengeBinding): string {
  return JSON.stringify([purpose, userId, sessionId])
}
