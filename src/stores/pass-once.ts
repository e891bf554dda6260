/**
 * Runs a probe until it has passed once. Whoever asks meanwhile waits for the same run; one that
 * failed is tried again by the next, since the store may only have been away.
 */
export function passOnce(probe: () => Promise<void>): () => Promise<void> {
  let passed: Promise<void> | undefined
  return async function pass() {
    passed ??= probe().catch((error: unknown) => {
      passed = undefined
      throw error
    })
    await passed
  }
}
