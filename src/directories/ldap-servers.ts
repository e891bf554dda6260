import { limitConcurrency } from '../lib/async.js'
import { UnexpectedAnswer } from '../lib/host-call.js'
import { noLibrary, requireLibrary } from '../lib/require-library.js'
import { LdapConnection, LdapRefusal } from './ldap-connection.js'
import type { LdapLibrary } from './ldap-filter.js'
import type { CheckedLdapOptions } from './ldap-options.js'

const most = { service: 4, users: 16 }

/** Milliseconds for which a server is passed over after an outage, and a connection is kept. */
const restMs = 60_000

/** Work with one connection. Its signal ends it. */
export type LdapWork<Result> = (
  connection: LdapConnection,
  signal: AbortSignal,
  library: LdapLibrary,
) => Promise<Result>

/** The servers of one directory, of which one is asked at a time. */
export interface LdapServers {
  /** On a connection of the service, which is kept. A search may run twice. */
  asService<Result>(work: LdapWork<Result>): Promise<Result>
  /** On a connection of its own, as nobody, which is closed after. Never runs twice. */
  apart<Result>(work: LdapWork<Result>): Promise<Result>
  close(): void
}

/** A connection at rest. */
interface Resting {
  readonly connection: LdapConnection
  readonly at: number
  readonly until: number
}

type Try<Result> = (signal: AbortSignal) => Promise<Result>

const installed = ['ldapDirectory()', 'ldapts', 8] as const

/** Refuses to start without the library, and loads nothing. */
export function requireLdapLibrary(): void {
  requireLibrary(...installed)
}

/** Loads the library. */
export async function loadLdapLibrary(): Promise<LdapLibrary> {
  try {
    return await import('ldapts')
  } catch {
    throw noLibrary(...installed)
  }
}

/**
 * Nothing takes longer than twice `timeout`, queueing included.
 *
 * @param now - milliseconds of a clock that is never set back
 */
export function createLdapServers(
  options: CheckedLdapOptions,
  now: () => number = () => performance.now(),
): LdapServers {
  const servers = new Servers(options, now)
  const places = { service: limitConcurrency(most.service), users: limitConcurrency(most.users) }
  const call = <Result>(place: keyof typeof places, run: Try<Result>): Promise<Result> =>
    within(2 * options.timeout, undefined, (signal) =>
      places[place](async () => {
        signal.throwIfAborted()
        return run(signal)
      }),
    )
  return {
    asService: (work) => call('service', (signal) => servers.serve(work, signal)),
    apart: (work) => call('users', (signal) => servers.apart(work, signal)),
    close: () => servers.close(),
  }
}

class Servers {
  readonly #options: CheckedLdapOptions
  readonly #now: () => number
  /** Until when each is passed over. */
  readonly #outages = new Map<number, number>()
  #resting: Resting[] = []
  #isClosed = false

  constructor(options: CheckedLdapOptions, now: () => number) {
    this.#options = options
    this.#now = now
  }

  serve<Result>(work: LdapWork<Result>, signal: AbortSignal): Promise<Result> {
    const rested = this.#takeResting()
    const again: Try<Result>[] = rested === undefined ? [] : [(own) => this.#use(rested, work, own)]
    const fresh = this.#inOrder().map(
      (at): Try<Result> =>
        (own) =>
          this.#open(at, own, async (connection, library) => {
            await bindService(this.#options, connection, own)
            const result = await work(connection, own, library)
            this.#keep(connection, at)
            return result
          }),
    )
    return this.#inTurn([...again, ...fresh], signal)
  }

  apart<Result>(work: LdapWork<Result>, signal: AbortSignal): Promise<Result> {
    let isAsked = false
    const fresh = this.#inOrder().map(
      (at): Try<Result> =>
        async (own) => {
          // A password that a server has seen and not judged may count as a wrong one there.
          if (isAsked) throw new UnexpectedAnswer('the server did not answer')
          return this.#open(at, own, async (connection, library) => {
            isAsked = true
            const result = await work(connection, own, library)
            connection.close()
            return result
          })
        },
    )
    return this.#inTurn(fresh, signal)
  }

  close(): void {
    this.#isClosed = true
    for (const { connection } of this.#resting) connection.close()
    this.#resting = []
  }

  // Those without an outage first, each kind in the order of the host.
  #inOrder(): readonly number[] {
    const isOut = (at: number) => (this.#outages.get(at) ?? 0) > this.#now()
    const all = [...this.#options.urls.keys()]
    return [...all.filter((at) => !isOut(at)), ...all.filter(isOut)]
  }

  async #open<Result>(
    at: number,
    signal: AbortSignal,
    work: (connection: LdapConnection, library: LdapLibrary) => Promise<Result>,
  ): Promise<Result> {
    const library = await loadLdapLibrary()
    if (this.#isClosed) throw new UnexpectedAnswer('the directory was closed')
    const url = this.#options.urls[at] as URL
    let connection: LdapConnection | undefined
    try {
      connection = await LdapConnection.open(library, this.#options, url, signal)
      const result = await work(connection, library)
      this.#outages.delete(at)
      return result
    } catch (error) {
      connection?.close()
      this.#outages.set(at, this.#now() + restMs)
      throw error
    }
  }

  #takeResting(): Resting | undefined {
    const [first] = this.#inOrder()
    const isUsable = ({ connection, at, until }: Resting) =>
      connection.isOpen && at === first && until > this.#now()
    for (const one of this.#resting) if (!isUsable(one)) one.connection.close()
    this.#resting = this.#resting.filter(isUsable)
    return this.#resting.pop()
  }

  async #use<Result>(
    { connection, at }: Resting,
    work: LdapWork<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    try {
      const result = await work(connection, signal, await loadLdapLibrary())
      this.#keep(connection, at)
      return result
    } catch (error) {
      connection.close()
      throw error
    }
  }

  #keep(connection: LdapConnection, at: number): void {
    connection.rest()
    if (this.#isClosed) connection.close()
    else this.#resting.push({ connection, at, until: this.#now() + restMs })
  }

  // The time that is left is shared, so that the last one gets its turn.
  async #inTurn<Result>(tries: readonly Try<Result>[], signal: AbortSignal): Promise<Result> {
    const { timeout } = this.#options
    const until = this.#now() + 2 * timeout
    let fault: unknown
    for (const [at, attempt] of tries.entries()) {
      signal.throwIfAborted()
      const share = Math.min(timeout, (until - this.#now()) / (tries.length - at))
      try {
        return await within(share, signal, attempt)
      } catch (error) {
        fault = error
      }
    }
    throw fault
  }
}

/** Binds as the service. */
export async function bindService(
  { bind }: CheckedLdapOptions,
  connection: LdapConnection,
  signal: AbortSignal,
): Promise<void> {
  const { code } = await connection.bind(bind.dn, bind.password, signal)
  if (code !== 0) throw new LdapRefusal('the bind of the service', code)
}

/** Ends work by its signal, and does not wait for it then. */
export function within<Result>(
  milliseconds: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const abort = new AbortController()
  const end = (reason: unknown) => abort.abort(reason)
  const onOuter = () => end(outer?.reason)
  outer?.addEventListener('abort', onOuter)
  const timer = setTimeout(
    () => end(new UnexpectedAnswer('the directory did not answer in time')),
    Math.max(1, milliseconds),
  )
  return new Promise<Result>((resolve, reject) => {
    abort.signal.addEventListener('abort', () => reject(abort.signal.reason))
    work(abort.signal).then(resolve, reject)
  }).finally(() => {
    clearTimeout(timer)
    outer?.removeEventListener('abort', onOuter)
  })
}
