// A verifier that gets ready some seconds after the start, while nobody waits for it.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { AuthConfigError } from '../../src/errors.js'
import { createHostCall, type HostFailure } from '../../src/lib/host-call.js'
import type { PasskeyVerifier } from '../../src/passkeys/contract.js'
import { failClosedVerifier } from '../../src/passkeys/fail-closed-verifier.js'

const nobody = { verifyCreation: async () => null, verifyAssertion: async () => null }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function guarded(verifier: PasskeyVerifier) {
  const told: HostFailure[] = []
  const call = createHostCall(2000, (failure) => told.push(failure))
  return { told, verifier: failClosedVerifier(verifier, call) }
}

describe('a verifier that gets ready', () => {
  it('takes as long as it needs, and an answer does not', async () => {
    const slowly = <T>(answer: T) =>
      new Promise<T>((resolve) => void setTimeout(resolve, 10_000, answer))
    const slow = { ...nobody, verifyAssertion: () => slowly(null), ready: () => slowly(undefined) }
    const { told, verifier } = guarded(slow)
    const ready = verifier.ready?.()
    await vi.advanceTimersByTimeAsync(10_000)
    await ready
    expect(told).toEqual([])

    const shown = { response: {}, challenge: '', origins: [], rpId: '', publicKey: '' }
    const answer = verifier.verifyAssertion({ ...shown, requireUserVerification: true })
    const refused = expect(answer).rejects.toMatchObject({ status: 503 })
    await vi.advanceTimersByTimeAsync(2000)
    await refused
    expect(told).toMatchObject([{ operation: 'verifier.verifyAssertion' }])
  })

  it('and cannot is told of, with the remedy', async () => {
    const fault = new AuthConfigError('simpleWebAuthn()', 'finds no library.', 'install it.')
    const { told, verifier } = guarded({ ...nobody, ready: () => Promise.reject(fault) })
    await expect(verifier.ready?.()).rejects.toMatchObject({ status: 503 })
    expect(told).toMatchObject([{ operation: 'verifier.ready' }])
    expect(told[0]?.error).toContain('install it.')
  })

  it('by itself need not be asked', () => {
    expect(guarded(nobody).verifier.ready).toBeUndefined()
  })
})
