// A real router over a real store, and the few ways in which the machine's actions touch it.
import { randomBytes } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { redisStores } from '../../../src/stores/redis/redis-stores.js'
import { type DatabaseKind, databaseKinds, openDatabase } from '../../support/databases.js'
import { passwordHash, startHost, type TestHost } from '../../support/host.js'
import { libraries } from '../../support/redis-clients.js'
import { redisUrl } from '../../support/services.js'
import { mostSessions, newState, type State } from './state.js'

/** What came back. */
export interface Answer {
  readonly status: number
  readonly body: Record<string, unknown>
}

/** A store to play over, and how long that takes. */
export interface Ground {
  readonly name: string
  /** Times a standard number of runs, so that slow stores take no longer than quick ones. */
  readonly share: number
  readonly isReachable: boolean
  readonly open: () => Promise<Partial<TestHost['stores']>>
  /**
   * Whether `purge` deletes, or the store by itself in real time, which no clock of a test moves.
   */
  readonly purges: boolean
}

/** A running router. */
export interface Arena {
  readonly host: TestHost
  readonly ground: Ground
  ask(
    method: string,
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<Answer>
  /** Everything that requests left to be written has been. */
  settle(): Promise<void>
  purge(): Promise<void>
  /** A fresh user, and the clock where it was. */
  newcomer(): Promise<State>
}

/** The stores that are shipped. */
export const grounds: readonly Ground[] = [
  { name: 'memory', share: 1, isReachable: true, open: async () => ({}), purges: true },
  ...databaseKinds.filter(({ name }) => name !== 'PGlite').map(sqlGround),
  { name: 'Redis', share: 0.25, isReachable: redisUrl !== null, open: openRedis, purges: false },
]

function sqlGround(kind: DatabaseKind): Ground {
  const open = async () => {
    const database = await openDatabase(kind)
    onTestFinished(() => database.close())
    const { codes, sessions, secondFactors, tickets } = database.stores
    return { codes, sessions, secondFactors, tickets }
  }
  return {
    name: kind.name,
    share: kind.isServer ? 0.15 : 0.25,
    isReachable: kind.open !== null,
    open,
    purges: true,
  }
}

async function openRedis(): Promise<Partial<TestHost['stores']>> {
  const connect = libraries[0]?.[1]
  if (connect === undefined) throw new Error('no Redis library')
  const { client, close } = await connect(redisUrl ?? '')
  onTestFinished(close)
  return redisStores(client, { prefix: `machine-${randomBytes(6).toString('hex')}:` })
}

const limit = { points: 1_000_000, duration: 60 }
const start = new Date('2030-01-01T12:00:00Z')

/** Starts a router. */
export async function openArena(ground: Ground): Promise<Arena> {
  const opened = await ground.open()
  const throttle = { account: limit, network: limit, secondFactor: limit, endpoints: limit }
  const options = {
    ...opened,
    throttle,
    maxSessionsPerUser: mostSessions,
    // The model goes by sessions alone, not by how old a sign-in is.
    pkce: { maxAge: false as const },
    purgeInterval: 0,
    storeTimeout: 10_000,
  }
  const host = await startHost({ now: start, options })
  const stores = { ...host.stores, ...opened }
  const { settle } = watchNotes(stores.sessions)
  const purge = async () => {
    const { codes, sessions, secondFactors } = stores
    for (const store of [codes, sessions, secondFactors]) await store.purge(host.clock())
  }
  return {
    host,
    ground,
    settle,
    async ask(method, path, body, headers = {}) {
      const json = body === undefined ? {} : { 'Content-Type': 'application/json' }
      const init = {
        method,
        headers: { ...json, ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }
      const response = await fetch(`${host.url}${path}`, init)
      return { status: response.status, body: (await response.json()) as Answer['body'] }
    },
    purge,
    async newcomer() {
      // What earlier users left would be swept away in the middle of a game, and with it some of
      // this one's.
      host.clock.set(new Date('2200-01-01T00:00:00Z'))
      await purge()
      host.clock.set(start)
      host.users.rows.clear()
      host.events.length = 0
      host.log.length = 0
      const id = `u-${randomBytes(9).toString('hex')}`
      host.users.add({ id, username: id, passwordHash })
      return newState(id, start.getTime())
    },
  }
}

// Nobody waits for what is noted of a session but the test: the next command must find it written.
// What is noted of a pair is read first.
function watchNotes(sessions: TestHost['stores']['sessions']): { settle(): Promise<void> } {
  const pending = new Set<Promise<unknown>>()
  const watch =
    <Given extends unknown[], T>(method: (...given: Given) => Promise<T>) =>
    (...given: Given) => {
      const answer = method.apply(sessions, given).finally(() => pending.delete(answer))
      pending.add(answer)
      return answer
    }
  sessions.touch = watch(sessions.touch)
  sessions.find = watch(sessions.find)
  sessions.rotateRefresh = watch(sessions.rotateRefresh)
  return {
    async settle() {
      while (pending.size > 0) {
        await Promise.allSettled(pending)
        await new Promise(setImmediate)
      }
    },
  }
}
