import type { ObserveEvents } from '../audit/events.js'
import type { SignInRefusal } from '../audit/refusals.js'
import type { DecideSignIn, SignInDoor } from '../sign-in.js'

/** How often one door has let somebody in, and how often not. */
export interface SignInCount {
  readonly door: SignInDoor
  readonly allowed: number
  readonly refused: number
}

export interface CountSignIns {
  readonly decideSignIn: DecideSignIn
  /** By door; always all doors. */
  signIns(): readonly SignInCount[]
}

/** Each of them, so that the compiler misses a new one. */
const doors: Readonly<Record<SignInDoor, true>> = {
  login: true,
  host: true,
  'authorization-code': true,
  'code-exchange': true,
  refresh: true,
  'named-token': true,
  passkey: true,
  reauthenticate: true,
  'email-code': true,
  registration: true,
  provider: true,
  device: true,
  'device-link': true,
  service: true,
}

/** Refusals of a password, after which the decision is not asked. */
const ofPassword: ReadonlySet<SignInRefusal> = new Set([
  'unknown-user',
  'wrong-password',
  'password-over-72-bytes',
  'no-password',
  'unreadable-hash',
  'account-limit',
])

/**
 * Counts the decisions. Not whoever lacks a second factor that this door asks for: it is the next
 * step of the same sign-in, which is counted when it ends.
 */
export function countSignIns(decide: DecideSignIn, observeEvents: ObserveEvents): CountSignIns {
  const names = Object.keys(doors) as SignInDoor[]
  const counts = new Map(names.map((door) => [door, { allowed: 0, refused: 0 }]))
  observeEvents((event) => {
    const ofLogin = counts.get('login')
    if (event.type === 'login.failed' && ofPassword.has(event.reason) && ofLogin !== undefined)
      ofLogin.refused += 1
  })
  return {
    async decideSignIn(attempt) {
      const decision = await decide(attempt)
      const isNextStep =
        !decision.allowed &&
        decision.reason === 'second-factor-required' &&
        attempt.code !== undefined
      const ofDoor = counts.get(attempt.door)
      if (!isNextStep && ofDoor !== undefined) ofDoor[decision.allowed ? 'allowed' : 'refused'] += 1
      return decision
    },
    signIns: () => [...counts].map(([door, ofDoor]) => ({ door, ...ofDoor })),
  }
}
