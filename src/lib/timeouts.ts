/** The awaited work gave no answer in time. The work itself may still finish later. */
export class TimeoutError extends Error {
  override readonly name: string = 'TimeoutError'
}

/** Runs `work` and rejects with {@link TimeoutError} after `milliseconds`. A synchronous throw becomes a rejection too. */
export async function withTimeout<T>(work: () => T | Promise<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const expiry = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new TimeoutError(`no answer within ${milliseconds} ms`)), milliseconds)
  })
  try {
    return await Promise.race([work(), expiry])
  } finally {
    clearTimeout(timer)
  }
}
