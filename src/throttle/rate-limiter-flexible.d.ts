// A file of rate-limiter-flexible, whose types stand with its index. The index loads the limiters
// of every database.
declare module 'rate-limiter-flexible/lib/RateLimiterMemory.js' {
  import { RateLimiterMemory } from 'rate-limiter-flexible'

  export = RateLimiterMemory
}
