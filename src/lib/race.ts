/**
 * Starts several callers at the same moment and resolves with the indexes of the winners. Waits for
 * all of them, so that none is still writing afterwards; rejects with the first failure.
 */
export async function raceWinners(
  callers: number,
  attempt: (caller: number) => Promise<boolean>,
): Promise<number[]> {
  const results = await Promise.allSettled(
    Array.from({ length: callers }, async (_none, caller) => attempt(caller)),
  )
  return results.flatMap((result, caller) => {
    if (result.status === 'rejected') throw result.reason
    return result.value ? [caller] : []
  })
}
