import { log } from './log.js'

const interval = 5000
const longestWait = 2000

/**
 * Asks a part every few seconds, and tells once that it is away, and once that it is back. Returns
 * how to end it.
 */
export function tellOfOutages(
  name: string,
  ask: () => Promise<unknown>,
  every = interval,
): () => void {
  let isAway = false
  let timer: NodeJS.Timeout | undefined
  const look = async () => {
    const answers = await inTime(ask)
    if (answers === isAway) log(answers ? `${name} is back` : `${name} is away`)
    isAway = !answers
    timer = setTimeout(look, every).unref()
  }
  timer = setTimeout(look, every).unref()
  return () => clearTimeout(timer)
}

async function inTime(ask: () => Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const silence = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, longestWait, false)
  })
  const answer = ask().then(
    () => true,
    () => false,
  )
  return Promise.race([answer, silence]).finally(() => clearTimeout(timer))
}
