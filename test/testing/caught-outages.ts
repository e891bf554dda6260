import type { badInOutages } from './bad-stores/outages.js'

/** The test that needs an outage. */
export const outageTest = 'while the database cannot be reached, every method rejects'

/** The same for what stores answer in an outage. */
export const caughtInOutages: Readonly<
  Record<keyof typeof badInOutages, readonly [test: string, message: string]>
> = {
  'codes: purge answers 0 for any error': [outageTest, 'codes.purge answered 0, although'],
  'sessions: find answers null for any error': [
    outageTest,
    'sessions.find answered null, although outage.begin() had resolved.',
  ],
  'sessions: liveAmong answers an empty list for any error': [
    outageTest,
    'sessions.liveAmong answered [], although',
  ],
  'sessions: touch lets errors go': [outageTest, 'sessions.touch answered undefined'],
  'secondFactors: consumeRecoveryCode answers unknown for any error': [
    outageTest,
    "secondFactors.consumeRecoveryCode answered { outcome: 'unknown' }, although",
  ],
  'keys: insert answers exists for any error': [
    outageTest,
    'Let every error of the driver through but the one that you mean, by its number.',
  ],
  'once: claim answers known for any error': [
    outageTest,
    "once.claim answered { outcome: 'known' }",
  ],
}
