import type { HostCall } from '../lib/host-call.js'

/** A number of failures in a time. */
export interface Limit {
  readonly points: number
  /** Seconds. */
  readonly duration: number
}

/** Options of a limiter of rate-limiter-flexible. */
export interface LimiterSettings extends Limit {
  readonly keyPrefix: string
}

/** The state of a key. */
export interface Count {
  readonly consumed: number
  /** Whether the command was within the limit. */
  readonly allowed: boolean
  readonly remaining: number
  /** Seconds until the window ends, rounded up. */
  readonly seconds: number
  /**
   * When the window ends, in milliseconds of the epoch: for `take` the earliest possible time, for
   * other commands the latest.
   */
  readonly endsAt: number
}

/**
 * A command for one key of a counter:
 *
 * - `take`: takes one point if one is left, atomically, so that parallel attempts get no more than
 *   exist. A refused attempt does not count.
 * - `giveBack`: returns points, never more than were taken.
 * - `add`: adds points regardless of the limit.
 * - `get`: `consumed` is the number of points; 0 without a window.
 * - `withdraw`: removes added points. A negative `consumed` is the number of points that this
 *   caller did not get; it stays until the key is cleared.
 * - `set`: sets the points for a number of seconds.
 * - `clear`: clears the key. `consumed` is above 0 for the one caller that has cleared it.
 */
export interface Command {
  readonly do: 'take' | 'giveBack' | 'add' | 'get' | 'withdraw' | 'set' | 'clear'
  readonly of: Counter
  readonly key: string
  /** Default: one. */
  readonly points?: number
  readonly seconds?: number
}

/** A counter of the host, or one in the memory of this process, which returns without a promise. */
export interface Counter {
  /** Unique among the counters. */
  readonly keyPrefix: string
  readonly points: number
  /** Seconds. */
  readonly duration: number
  /** Use {@link Ask} instead, which has a time limit and reports failures. */
  run(command: Command): Count | Promise<Count>
}

/** A failed command. A class, so that a polluted `Object.prototype` cannot imitate it. */
export class Failure {
  /** A 503, already reported. */
  readonly failure: unknown
  constructor(failure: unknown) {
    this.failure = failure
  }
}

/** The result of a command. */
export type Answer = Count | Failure

/**
 * Runs all commands at once: one call of the host with one time limit, over a network one round
 * trip. Results are in the order of the commands. Never rejects.
 */
export type Ask = (commands: readonly Command[]) => readonly Answer[] | Promise<readonly Answer[]>

export function createAsk(call: HostCall): Ask {
  return function ask(commands) {
    const now: Count[] = []
    const later: Promise<Count>[] = []
    for (const command of commands) {
      const answer = command.of.run(command)
      if (answer instanceof Promise) later.push(answer)
      else now.push(answer)
    }
    // All counters are of one kind: the host's, or in memory.
    return later.length === 0 ? now : askHost(call, ask, commands, later)
  }
}

/** Runs one command. Rejects with 503. */
export async function askOne(ask: Ask, command: Command): Promise<Count> {
  const [answer] = await ask([command])
  return counted(answer)
}

/** Returns the count of an answer; throws 503 for a failure. */
export function counted(answer: Answer | undefined): Count {
  if (answer === undefined) throw new Error('a command was not answered')
  if (answer instanceof Failure) throw answer.failure
  return answer
}

/** The points of an answer; 0 for a failure. */
export function consumedOf(answer: Answer | undefined): number {
  return answer === undefined || answer instanceof Failure ? 0 : answer.consumed
}

/**
 * Whether a window with so many seconds left, rounded up, may end before a refund arrives, which
 * would then reduce the failures of others in the next window. Without a refund, the points end
 * with the window.
 */
export function isEnding(seconds: number): boolean {
  return seconds <= 2
}

async function askHost(
  call: HostCall,
  ask: Ask,
  commands: readonly Command[],
  running: readonly Promise<Count>[],
): Promise<readonly Answer[]> {
  const answers: (Answer | undefined)[] = []
  let isOver = false
  const noting = commands.map(async (command, i) => {
    const answer = await running[i]?.catch((failure: unknown) => new Failure(failure))
    if (!isOver) answers[i] = answer
    // Too late: the attempt got 503, but the slow store has counted it.
    else if ((command.do === 'take' && isTaken(answer)) || isToComeBack(command, answer))
      await ask([{ ...command, do: 'giveBack' }])
  })
  const late = await failed(call, commands[0] as Command, () => Promise.all(noting))
  isOver = true
  const refused = commands.filter((command, i) => isToComeBack(command, answers[i]))
  if (refused.length > 0) await ask(refused.map((command) => ({ ...command, do: 'giveBack' })))
  const reported = commands.map((command, i) => {
    const answer = answers[i]
    if (!(answer instanceof Failure)) return answer ?? late
    return failed(call, command, () => Promise.reject(answer.failure))
  })
  return (await Promise.all(reported)) as readonly Answer[]
}

/** The failure of a call, already reported; undefined after a success. */
function failed(
  call: HostCall,
  { do: what }: Command,
  work: () => Promise<unknown>,
): Promise<Failure | undefined> {
  const operation = what === 'giveBack' || what === 'withdraw' ? 'refund' : what
  return call(`throttle.${operation}`, work).then(
    () => undefined,
    (failure: unknown) => new Failure(failure),
  )
}

/** Whether a `take` got a point. */
export function isTaken(answer: Answer | undefined): boolean {
  return answer !== undefined && !(answer instanceof Failure) && answer.allowed
}

// A refused attempt does not count: otherwise a burst of right logins would lock its whole network
// out. But nothing is refunded for an attempt refused without being counted, by
// `inMemoryBlockOnConsumed` for example: that would allow more attempts.
function isToComeBack({ do: what, of: { points } }: Command, answer: Answer | undefined): boolean {
  if (what !== 'take' || answer === undefined || answer instanceof Failure) return false
  if (answer.allowed) return false
  return answer.consumed > points && !isEnding(answer.seconds)
}
