/**
 * How often a test draws its input. A usual run draws few; `npm run test:all -- --only rounds` sets
 * ROUNDS=10 and draws ten times as many. What is drawn goes by a seed: one that the test names, or
 * one that fast-check tells with a failure.
 */
const times = Number(process.env['ROUNDS'] ?? 1)
if (!(times > 0)) throw new Error(`ROUNDS=${process.env['ROUNDS']} is no number above 0`)

export const rounds = (usual: number): number => Math.max(1, Math.round(usual * times))

/** Numbers from 0 to 1 that look drawn, and are the same for the same seed. */
export function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
