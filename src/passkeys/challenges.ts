import { randomBytes } from 'node:crypto'
import type { BaseKit } from '../kits/ground-kit.js'
import { sha256 } from '../lib/secrets.js'
import { createVault } from '../lib/vault.js'
import type { OnceStore } from '../stores/one-time-contract.js'
/** The only use that a challenge is valid for. */
export interface ChallengeBinding {
  readonly purpose: 'register' | 'sign-in' | 'second-factor' | 'reauthenticate'
  /** Null if no user is known. */
  readonly userId: string | null
  /** Null if nobody is signed in. */
  readonly sessionId: string | null
}

/** A valid challenge of ours. */
export interface OpenedChallenge {
  readonly id: string
}

/**
 * The challenges that authenticators sign. The binding of a challenge is encrypted in it and not
 * stored: no page view costs a row.
 */
export interface Challenges {
  /** In base64url, as in the options and in the client data. */
  make(binding: ChallengeBinding): string
  /** Null unless it is a challenge for this binding, less than five minutes old. */
  open(challenge: string, binding: ChallengeBinding): OpenedChallenge | null
  /** Uses it up; false if it was used before. Rejects with 503. */
  claim(challenge: OpenedChallenge): Promise<boolean>
}

/** Lifetime of a challenge, in milliseconds. */
export const challengeMs: number = 5 * 60_000

/** How far the clock of another process may be ahead, in milliseconds. */
const skewMs = 60_000

const timeBytes = 6

const idBytes = 16

/** Version, key, nonce, and 22 bytes with their tag. */
const sealedChars = 2 + 1 + 8 + 1 + 16 + 1 + Math.ceil(((timeBytes + idBytes + 16) * 4) / 3)

const challengeChars = Math.ceil((sealedChars * 4) / 3)

/** The first key seals, all keys open. */
export function createChallenges({ encryptionKeys, clock }: BaseKit, once: OnceStore): Challenges {
  const vault = createVault('passkey-challenge', encryptionKeys)
  return {
    make(binding) {
      const time = Buffer.alloc(timeBytes)
      time.writeUIntBE(clock().getTime(), 0, timeBytes)
      const sealed = vault.seal(ownerOf(binding), Buffer.concat([time, randomBytes(idBytes)]))
      return Buffer.from(sealed).toString('base64url')
    },

    open(challenge, binding) {
      // The length is checked before any work.
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
      // Longer than any process can open it.
      const expiresAt = new Date(now.getTime() + 2 * challengeMs)
      // JSON is used so that the name collides with no other.
      const name = sha256(JSON.stringify(['passkey-challenge', id]))
      return (await once.claim(name, expiresAt, now)).outcome === 'claimed'
    },
  }
}

// The binding is authenticated, but not part of the sealed text. JSON is used so that no two
// bindings yield the same text.
function ownerOf({ purpose, userId, sessionId }: ChallengeBinding): string {
  return JSON.stringify([purpose, userId, sessionId])
}
