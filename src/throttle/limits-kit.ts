import type { BaseKit } from '../kits/ground-kit.js'
import type { Ask } from './counter.js'
import type { CounterKey } from './counter-keys.js'
import type { Counters, GivenLimits, ReportLimit } from './limits.js'

/** The parts that all limits share. */
export interface LimitsKit extends Pick<BaseKit, 'audit'> {
  readonly options: GivenLimits
  readonly counters: Counters
  readonly keyOf: CounterKey
  readonly ask: Ask
  readonly reportLimit: ReportLimit
}
