// A verifier that gets ready: some seconds after the start, or with the first ceremony.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { AuthConfigError } from '../../src/errors.js'
import { createHostCall, type HostFailure } from '../../src/lib/host-call.js'
import type { PasskeyVerifier } from '../../src/passkeys/contract.js'
import { failClosedVerifier } from '../../src/passkeys/passkey-server.js'

const nobody = { verifyCreation: async () => null, verifyAssertion: async () => null }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function guarded(verifier: PasskeyVerifier) {
  const told: HostFailure[] = []
  const call = createHostCall(2000, (failure) => told.push(failure))
  return { told, verifier: failClosedVerifier(verifier, call) }
}

const creation = { response: {}, challenge: '', origins: [], rpId: '' }
const shown = { ...creation, publicKey: '', requireUserVerification: true }

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

    const answer = verifier.verifyAssertion(shown)
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

  it('is waited for by the first ceremonies, for longer than for an answer, and once', async () => {
    const ready = vi.fn(() => new Promise<void>((resolve) => void setTimeout(resolve, 20_000)))
    const { told, verifier } = guarded({ ...nobody, ready })
    const answers = Promise.all([
      verifier.verifyCreation(creation),
      verifier.verifyAssertion(shown),
      verifier.ready?.(),
    ])
    await vi.advanceTimersByTimeAsync(20_000)
    expect(await answers).toEqual([null, null, undefined])
    expect(await verifier.verifyAssertion(shown)).toBeNull()
    expect(ready).toHaveBeenCalledTimes(1)
    expect(told).toEqual([])
  })

  it('and never does keeps nobody waiting for more than 30 seconds', async () => {
    const { told, verifier } = guarded({ ...nobody, ready: () => new Promise<void>(() => {}) })
    const refused = expect(verifier.verifyCreation(creation)).rejects.toMatchObject({ status: 503 })
    await vi.advanceTimersByTimeAsync(30_000)
    await refused
    expect(told).toMatchObject([{ operation: 'verifier.ready' }])
  })

  it('and could not is asked again by the next ceremony', async () => {
    const ready = vi.fn(async () => {})
    ready.mockRejectedValueOnce(new Error('not yet'))
    const { verifier } = guarded({ ...nobody, ready })
    const both = [verifier.verifyAssertion(shown), verifier.verifyAssertion(shown)]
    for (const one of both) await expect(one).rejects.toMatchObject({ status: 503 })
    expect(ready).toHaveBeenCalledTimes(1)
    expect(await verifier.verifyAssertion(shown)).toBeNull()
    expect(ready).toHaveBeenCalledTimes(2)
  })

  it('by itself need not be asked', () => {
    expect(guarded(nobody).verifier.ready).toBeUndefined()
  })
})
