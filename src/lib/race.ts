/**
 * Starts so many callers in the same moment and answers the numbers, from 0, of those who won.
 * Waits for all of them, so that none is still writing when the result is looked at; rejects with
 * the first failure if one of them failed.
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
