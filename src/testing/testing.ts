// The front door of messaging-auth-router/testing: helpers for the tests of hosts.
export { type ManualClock, manualClock } from './manual-clock.js'
export { totpCode } from './totp-code.js'
