import { type RunScript, script } from './scripts.js'

// Not CONFIG GET, which no script may call, and which hosted Redis forbids.
const memoryInfo = script(`return redis.call('INFO', 'memory')`)

/**
 * Runs scripts, and after the first that succeeds looks once whether Redis may throw out what it
 * holds.
 */
export function warnOfEviction(run: RunScript, warn: (message: string) => void): RunScript {
  let hasLooked = false

  async function look(key: string): Promise<void> {
    const policy =
      /^maxmemory_policy:([\w-]+)/m.exec(String(await run(memoryInfo, key)))?.[1] ?? 'noeviction'
    if (policy === 'noeviction') return
    warn(
      `redisStores: with maxmemory-policy ${policy}, Redis signs users out when its memory is ` +
        'full. Set noeviction.',
    )
  }

  return async (script, on, ...args) => {
    const answer = await run(script, on, ...args)
    if (!hasLooked) {
      hasLooked = true
      // Who may not ask is not told.
      void look([on].flat()[0] ?? '').catch(() => {})
    }
    return answer
  }
}
