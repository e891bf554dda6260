// A race: something is prepared for a user whom no other race knows, then many ask at the same
// moment, through one server after the other.
import { expect } from 'vitest'
import {
  type Answer,
  type AtEnd,
  openServers,
  type ServerProcess,
  type ServerSettings,
  type SharedKind,
  type UserRow,
} from '../support/server-processes.js'

/** Servers on the same stores. */
export interface Servers {
  readonly all: readonly ServerProcess[]
  readonly one: ServerProcess
  /** The first one again, where it is alone. */
  readonly other: ServerProcess
  /** Somebody whom no other race knows. */
  addUser(): Promise<UserRow>
  /** A name that nobody has. */
  newName(): string
  rows(): Promise<readonly UserRow[]>
  rowOf(user: UserRow): Promise<UserRow | undefined>
}

/** What one caller does. */
type Send = (server: ServerProcess, caller: number) => Promise<Answer>

export interface Raced {
  readonly send: Send
  /** Sent in the same moment, as often; what comes of it is not counted. */
  readonly beside?: Send
  /** How many are let in. Default 1. Null: `after` says. */
  readonly wins?: number | null
  /** What all the others are told, such as `400 proof-refused`; each of them. */
  readonly refusals: readonly string[]
  /** What is so when all have their answers. */
  after?(
    won: readonly Answer[],
    answers: readonly Answer[],
    beside: readonly Answer[],
  ): Promise<void>
}

export interface Race {
  /** What follows `50 at once`. */
  readonly title: string
  /** Default 50. */
  readonly callers?: number
  /** Where rounds are counted whose limits are no options. Default: as many as are asked for. */
  readonly mostRounds?: number
  prepare(servers: Servers): Promise<Raced>
}

/** Starts two, or one over memory that no other one reaches. */
export async function startServers(
  kind: SharedKind,
  processes: number,
  settings: ServerSettings,
  atEnd: AtEnd,
): Promise<Servers> {
  const { rows, addUser, start } = await openServers(kind, atEnd)
  const all = await Promise.all(Array.from({ length: processes }, () => start(settings)))
  let names = 0
  const newName = () => {
    names += 1
    return `user${names}`
  }
  return {
    all,
    one: all[0] as ServerProcess,
    other: all.at(-1) as ServerProcess,
    addUser: () => addUser(newName()),
    newName,
    rows,
    rowOf: async ({ id }) => (await rows()).find((row) => row.id === id),
  }
}

/** The same from so many at once. */
export const atOnce = ({ all }: Servers, send: Send, callers = 50): Promise<readonly Answer[]> =>
  Promise.all(
    Array.from({ length: callers }, (_none, caller) =>
      send(all[caller % all.length] as ServerProcess, caller),
    ),
  )

export const isLetIn = ({ status }: Answer): boolean => status >= 200 && status < 400
const saidBy = ({ status, error = 'done' }: Answer) => `${status} ${error}`

/** The different answers, and how often each came. */
export function told(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const said of answers.map(saidBy)) counts[said] = (counts[said] ?? 0) + 1
  return counts
}

export async function run({ prepare, callers = 50 }: Race, servers: Servers): Promise<void> {
  const { send, beside, wins = 1, refusals, after } = await prepare(servers)
  const [answers, others] = await Promise.all([
    atOnce(servers, send, callers),
    beside === undefined ? [] : atOnce(servers, beside, callers),
  ])
  const won = answers.filter(isLetIn)
  if (wins !== null) expect(won, JSON.stringify(told(answers))).toHaveLength(wins)
  // Nobody is told of an outage, and nobody of a failure.
  for (const answer of answers)
    if (!isLetIn(answer))
      expect(saidBy(answer), JSON.stringify(told(answers))).toBeOneOf([...refusals])
  await after?.(won, answers, others)
}
