import { type IRateLimiterOptions, RateLimiterMemory } from 'rate-limiter-flexible'

/** Beyond it the limiter's timers fire at once, so that it forgets what it was to keep. */
const longest = 24 * 24 * 3600

/**
 * A limiter of rate-limiter-flexible in memory, for tests that want to look inside or make it fail.
 * What lasts longer ends after 24 days.
 */
export function memoryLimiter(settings: IRateLimiterOptions): RateLimiterMemory {
  const limiter = new RateLimiterMemory({
    ...settings,
    duration: Math.min(settings.duration ?? 1, longest),
  })
  const set = limiter.set.bind(limiter)
  limiter.set = (key, points, seconds) => set(key, points, Math.min(seconds, longest))
  return limiter
}
