import type { HostCall } from '../lib/host-call.js'

/** So many failures in so many seconds. */
export interface Limit {
  readonly points: number
  /** Seconds. */
  readonly duration: number
}

/** What a limiter of rate-limiter-flexible is made with. */
export interface LimiterSettings extends Limit {
  readonly keyPrefix: string
}

/** How a key stands. */
export interface Count {
  readonly consumed: number
  /** Whether one more was allowed. */
  readonly allowed: boolean
  readonly remaining: number
  /** Until the window ends, rounded up. */
  readonly seconds: number
  /**
   * When the window ends, in milliseconds of the epoch: of a `take` at the earliest, of any other
   * at the latest.
   */
  readonly endsAt: number
}

/**
 * What a counter is asked to do with a key, and how it answers:
 *
 * - `take`: takes one point, if there is one: atomically, so that parallel attempts get no more
 *   than there are. What is refused counts for nothing.
 * - `giveBack`: gives points back, and never more than were taken.
 * - `add`: counts points, whatever the limit.
 * - `get`: `consumed` is how many there are; 0 where there is no window.
 * - `withdraw`: takes off what was added. `consumed` may be less than nothing, which is how many of
 *   the points this caller did not get, and stays so until the key is cleared.
 * - `set`: counts so many points from now on, for so many seconds.
 * - `clear`: empties the key. `consumed` is above 0 for the one caller that has emptied it.
 */
export interface Command {
  readonly do: 'take' | 'giveBack' | 'add' | 'get' | 'withdraw' | 'set' | 'clear'
  readonly of: Counter
  readonly key: string
  /** Default: one. */
  readonly points?: number
  readonly seconds?: number
}

/** One counter of the host's, or of this process's memory, which answers at once. */
export interface Counter {
  /** No other counter's. */
  readonly keyPrefix: string
  readonly points: number
  /** Seconds. */
  readonly duration: number
  /** Ask by {@link Ask} instead, which bounds and reports. */
  run(command: Command): Count | Promise<Count>
}

/** A command that failed. A class, so that a polluted `Object.prototype` makes none of a count. */
export class Failure {
  /** 503, and reported. */
  readonly failure: unknown
  constructor(failure: unknown) {
    this.failure = failure
  }
}

/** What came of a command. */
export type Answer = Count | Failure

/**
 * Asks counters all that is listed, at once: one call of the host's, with one time limit, and over
 * a network one round trip. Answers in the order of the list. Never rejects.
 */
export type Ask = (commands: readonly Command[]) => readonly Answer[] | Promise<readonly Answer[]>

/** Makes what asks counters. */
export function createAsk(call: HostCall): Ask {
  return function ask(commands) {
    const now: Count[] = []
    const later: Promise<Count>[] = []
    for (const command of commands) {
      const answer = command.of.run(command)
      if (answer instanceof Promise) later.push(answer)
      else now.push(answer)
    }
    // Counters are all of one kind: the host's, or this process's.
    return later.length === 0 ? now : askHost(call, ask, commands, later)
  }
}

/** Asks one thing alone. Rejects with 503. */
export async function askOne(ask: Ask, command: Command): Promise<Count> {
  const [answer] = await ask([command])
  return counted(answer)
}

/** The count, or throws 503. */
export function counted(answer: Answer | undefined): Count {
  if (answer === undefined) throw new Error('a command was not answered')
  if (answer instanceof Failure) throw answer.failure
  return answer
}

/** How many there are, and none where the counter is out of reach. */
export function consumedOf(answer: Answer | undefined): number {
  return answer === undefined || answer instanceof Failure ? 0 : answer.consumed
}

/**
 * Whether a window of which so many seconds are left, rounded up, may be over before what is given
 * back arrives: it would be taken off what others have failed in the next one. What stays taken
 * goes with the window.
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
    // Too late for the attempt, which is told 503 and comes again; and counted all the same, once
    // the store wakes up.
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

/** What became of a call that failed, which the call has reported; undefined where it did not. */
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

/** Whether a point was taken by what was answered to a `take`. */
export function isTaken(answer: Answer | undefined): boolean {
  return answer !== undefined && !(answer instanceof Failure) && answer.allowed
}

// A refused attempt counts for nothing: a burst of right logins would otherwise shut its whole
// network out. One that was refused without being counted, as by `inMemoryBlockOnConsumed`, has
// nothing to come back: it would be a licence for more.
function isToComeBack({ do: what, of: { points } }: Command, answer: Answer | undefined): boolean {
  if (what !== 'take' || answer === undefined || answer instanceof Failure) return false
  if (answer.allowed) return false
  return answer.consumed > points && !isEnding(answer.seconds)
}
