import type { ObserveEvents } from '../audit/events.js'
import type { SignInRefusal } from '../audit/refusals.js'
import type { OnDone } from '../lib/watch.js'
import type { OnDecision, SignInDoor } from '../sign-in.js'

/** The calls of one part of the host. */
export interface CallCounts {
  readonly part: string
  /** How many took at most each of {@link bucketSeconds}; the last one counts all. */
  readonly buckets: readonly number[]
  readonly seconds: number
  readonly failed: number
}

/** Upper limits of the durations that are told apart, in seconds. */
export const bucketSeconds: readonly number[] = [0.005, 0.025, 0.1, 0.5, 2]

/**
 * The parts, by the first word of an operation. Closed, since a provider and a factor have names
 * that the host has chosen; what is not listed is one of its hooks. Not by operation: each would
 * add a histogram, and `host.failed` names the one that fails.
 */
const parts: ReadonlyMap<string, string> = new Map([
  ['users', 'users'],
  ['sessions', 'sessions'],
  ...[
    'codes',
    'tickets',
    'proofs',
    'identities',
    'deviceCodes',
    'secondFactors',
    'passkeys',
    'clients',
    'consents',
    'once',
  ].map((store): [string, string] => [store, 'other-stores']),
  ['throttle', 'limits'],
  ['bus', 'bus'],
  ['signer', 'signer'],
  ['passwords', 'passwords'],
  ['mail', 'mail'],
  ['providers', 'outgoing'],
  ['directories', 'outgoing'],
  ['outgoing', 'outgoing'],
])
const hooks = 'hooks'

function partOf(operation: string): string {
  const [first = '', , method] = operation.split('.', 3)
  // `directories.allowed` is a rule of the host; `directories.corp.find` goes to another server.
  const isHook = first === 'directories' && method === undefined
  return isHook ? hooks : (parts.get(first) ?? hooks)
}

/** Counts the calls of the host. */
export interface CountCalls {
  readonly onDone: OnDone
  /** By part; always the same parts. */
  calls(): readonly CallCounts[]
}

export function createCallCounts(): CountCalls {
  const names = [...new Set(parts.values()), hooks]
  const counts = new Map(
    names.map((part) => [part, { buckets: [...bucketSeconds, 0].fill(0), seconds: 0, failed: 0 }]),
  )
  return {
    onDone(operation, milliseconds, failed) {
      const count = counts.get(partOf(operation))
      if (count === undefined) return
      const seconds = milliseconds / 1000
      const bucket = bucketSeconds.findIndex((most) => seconds <= most)
      const index = bucket === -1 ? bucketSeconds.length : bucket
      count.buckets[index] = (count.buckets[index] ?? 0) + 1
      count.seconds += seconds
      if (failed) count.failed += 1
    },
    calls: () =>
      [...counts].map(([part, { buckets, ...sums }]) => {
        let sum = 0
        const upTo = buckets.map((count) => {
          sum += count
          return sum
        })
        return { part, buckets: upTo, ...sums }
      }),
  }
}

/** How often one door has let somebody in, and how often not. */
export interface SignInCount {
  readonly door: SignInDoor
  readonly allowed: number
  readonly refused: number
}

export interface CountSignIns {
  readonly countDecision: OnDecision
  /** By door; always all doors. */
  signIns(): readonly SignInCount[]
}

/** Each of them, so that the compiler misses a new one. */
const doors: Readonly<Record<SignInDoor, true>> = {
  login: true,
  host: true,
  'authorization-code': true,
  'code-exchange': true,
  acting: true,
  refresh: true,
  'named-token': true,
  passkey: true,
  reauthenticate: true,
  'email-code': true,
  'phone-code': true,
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
export function countSignIns(observeEvents: ObserveEvents): CountSignIns {
  const names = Object.keys(doors) as SignInDoor[]
  const counts = new Map(names.map((door) => [door, { allowed: 0, refused: 0 }]))
  observeEvents((event) => {
    const ofLogin = counts.get('login')
    if (event.type === 'login.failed' && ofPassword.has(event.reason) && ofLogin !== undefined)
      ofLogin.refused += 1
  })
  return {
    countDecision({ door, code }, refusal) {
      const isNextStep = refusal === 'second-factor-required' && code !== undefined
      const ofDoor = counts.get(door)
      if (!isNextStep && ofDoor !== undefined) ofDoor[refusal === null ? 'allowed' : 'refused'] += 1
    },
    signIns: () => [...counts].map(([door, ofDoor]) => ({ door, ...ofDoor })),
  }
}
