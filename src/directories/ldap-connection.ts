import { once } from 'node:events'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import type { Filter } from 'ldapts'
import { bareHost } from '../lib/addresses.js'
import { UnexpectedAnswer } from '../lib/host-call.js'
import {
  createAssembler,
  type LdapAnswer,
  type LdapEntry,
  type LdapResult,
  NotLdap,
  nextPage,
  operations,
  passwordPolicy,
  readEntry,
  readMessage,
  readResult,
} from './ldap-answer.js'
import type { LdapLibrary } from './ldap-filter.js'
import type { CheckedLdapOptions } from './ldap-options.js'

/** Bytes of one message, and of all answers to one request. */
const most = { message: 8 * 1024 * 1024, request: 64 * 1024 * 1024 }

/** A server has refused an operation of the service. */
export class LdapRefusal extends UnexpectedAnswer {
  /** As in RFC 4511 §4.1.9. */
  readonly code: number

  constructor(what: string, code: number) {
    super(`${what} was refused with result ${code}`)
    this.code = code
  }
}

/** A search, for whichever connection. */
export interface LdapSearch {
  readonly base: string
  readonly scope?: 'base' | 'sub'
  readonly filter: Filter
  readonly attributes: readonly string[]
  /** The first so many are enough. Default: all are needed. */
  readonly first?: number
  /** More entries are a fault. */
  readonly mostEntries: number
  /** Default: one answer. */
  readonly pageSize?: number
}

/** A request of the library. */
interface Message {
  write(): Buffer
}

/** The request that waits for its answers. A connection has one at a time. */
interface Pending {
  readonly id: number
  bytes: number
  /** True after the last answer. */
  take(answer: LdapAnswer): boolean
  done(): void
  fail(fault: Error): void
}

/** One connection to one server. After any fault it is closed for good. */
export class LdapConnection {
  readonly #library: LdapLibrary
  readonly #seconds: number
  #socket: Socket
  #whole = createAssembler(most.message)
  #pending: Pending | undefined
  #fault: Error | undefined
  #lastId = 0
  readonly #onData = (chunk: Buffer) => this.#receive(chunk)
  readonly #onError = (error: Error) => this.close(error)
  readonly #onClose = () => this.close()

  private constructor(library: LdapLibrary, options: CheckedLdapOptions, socket: Socket) {
    this.#library = library
    this.#seconds = Math.ceil(options.timeout / 1000)
    this.#socket = socket
    this.#listen()
  }

  /**
   * Connects, with TLS if the options demand it.
   *
   * @param signal - closes it at once, be it before or during a request
   */
  static async open(
    library: LdapLibrary,
    options: CheckedLdapOptions,
    url: URL,
    signal: AbortSignal,
  ): Promise<LdapConnection> {
    const host = bareHost(url)
    const port = Number(url.port) || (url.protocol === 'ldaps:' ? 636 : 389)
    if (url.protocol === 'ldaps:')
      return new LdapConnection(
        library,
        options,
        await secured(options, url, { host, port }, signal),
      )
    const plain = connect({ host, port })
    await opened(plain, 'connect', signal)
    const connection = new LdapConnection(library, options, plain)
    if (options.startTls) await connection.#startTls(options, url, signal)
    return connection
  }

  get isOpen(): boolean {
    return this.#fault === undefined
  }

  /** The certificate of the server; null without TLS. */
  get certificate(): ReturnType<TLSSocket['getPeerCertificate']> | null {
    const socket = this.#socket as Partial<TLSSocket>
    return socket.getPeerCertificate?.() ?? null
  }

  /** Binds. Any result is an answer; only what is none rejects. */
  async bind(dn: string, password: string, signal: AbortSignal): Promise<LdapResult> {
    const { BindRequest, Control } = this.#library
    const controls = [new Control(passwordPolicy)]
    return this.#one(
      operations.bound,
      (messageId) => new BindRequest({ messageId, dn, password, controls }),
      signal,
    )
  }

  /**
   * The entries that a search finds. Referrals are left out, and never followed.
   *
   * @throws LdapRefusal unless all of them came, or the first so many, as asked
   */
  async search(search: LdapSearch, signal: AbortSignal): Promise<LdapEntry[]> {
    const entries: LdapEntry[] = []
    let cookie: Buffer | null = null
    do {
      const result = await this.#page(search, cookie, entries, signal)
      const isEnough = result.code === 4 && search.first !== undefined
      if (result.code !== 0 && !isEnough) throw new LdapRefusal('a search', result.code)
      cookie = search.pageSize === undefined ? null : nextPage(result)
    } while (cookie !== null)
    return entries
  }

  /** Lets the process end while nothing is asked. */
  rest(): void {
    this.#socket.unref()
  }

  close(fault: Error = new UnexpectedAnswer('the connection was closed')): void {
    if (this.#fault !== undefined) return
    this.#fault = fault
    const pending = this.#pending
    this.#pending = undefined
    if (pending === undefined && this.#socket.writable) {
      const messageId = this.#lastId + 1
      this.#socket.write(new this.#library.UnbindRequest({ messageId }).write())
      this.#socket.destroySoon()
    } else this.#socket.destroy()
    pending?.fail(fault)
  }

  async #startTls(options: CheckedLdapOptions, url: URL, signal: AbortSignal): Promise<void> {
    const { ExtendedRequest } = this.#library
    const oid = '1.3.6.1.4.1.1466.20037'
    const request = (messageId: number) => new ExtendedRequest({ messageId, oid })
    const { code } = await this.#one(operations.extended, request, signal)
    if (code !== 0) this.close()
    if (code !== 0) throw new LdapRefusal('StartTLS', code)
    if (this.#fault !== undefined) throw this.#fault
    // What came before TLS does not count after it.
    this.#socket.off('data', this.#onData).off('error', this.#onError).off('close', this.#onClose)
    this.#socket.on('error', () => {})
    this.#whole = createAssembler(most.message)
    this.#socket = await secured(options, url, { socket: this.#socket }, signal)
    this.#listen()
  }

  #listen(): void {
    this.#socket.setKeepAlive(true, 30_000)
    this.#socket.setNoDelay(true)
    this.#socket.on('data', this.#onData).on('error', this.#onError).on('close', this.#onClose)
  }

  async #page(
    search: LdapSearch,
    cookie: Buffer | null,
    entries: LdapEntry[],
    signal: AbortSignal,
  ): Promise<LdapResult> {
    const { SearchRequest, PagedResultsControl } = this.#library
    const { base, scope = 'sub', filter, attributes, first, mostEntries, pageSize } = search
    const value = { size: pageSize ?? 0, ...(cookie !== null && { cookie }) }
    const request = (messageId: number) =>
      new SearchRequest({
        messageId,
        baseDN: base,
        scope,
        filter,
        attributes: [...attributes],
        sizeLimit: first ?? 0,
        timeLimit: this.#seconds,
        derefAliases: 'never',
        controls: pageSize === undefined ? [] : [new PagedResultsControl({ value })],
      })
    return this.#one(operations.searched, request, signal, (answer) => {
      if (answer.operation === operations.reference) return true
      if (answer.operation !== operations.entry) return false
      if (entries.length >= mostEntries) throw new NotLdap('more entries than were asked for')
      entries.push(readEntry(answer))
      return true
    })
  }

  /** Sends a request, and waits for its result. `besides` takes what comes before that. */
  async #one(
    operation: number,
    request: (id: number) => Message,
    signal: AbortSignal,
    besides: (answer: LdapAnswer) => boolean = () => false,
  ): Promise<LdapResult> {
    let result: LdapResult | undefined
    await this.#exchange(request, signal, (answer) => {
      if (answer.operation === operation) result = readResult(answer)
      else if (!besides(answer)) throw new NotLdap('an answer to something else')
      return result !== undefined
    })
    return result as unknown as LdapResult
  }

  #exchange(
    request: (id: number) => Message,
    signal: AbortSignal,
    take: Pending['take'],
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#fault !== undefined) return reject(this.#fault)
      if (signal.aborted) return reject(signal.reason)
      const abort = () => this.close(signal.reason)
      const over = (then: () => void) => {
        signal.removeEventListener('abort', abort)
        then()
      }
      this.#lastId += 1
      this.#pending = {
        id: this.#lastId,
        bytes: 0,
        take,
        done: () => over(resolve),
        fail: (fault) => over(() => reject(fault)),
      }
      signal.addEventListener('abort', abort)
      this.#socket.ref()
      this.#socket.write(request(this.#lastId).write())
    })
  }

  #receive(chunk: Buffer): void {
    try {
      for (const message of this.#whole(chunk)) this.#take(readMessage(message), message.length)
    } catch (error) {
      this.close(error as Error)
    }
  }

  #take(answer: LdapAnswer, bytes: number): void {
    const pending = this.#pending
    if (this.#fault !== undefined) return
    if (pending === undefined || answer.id !== pending.id)
      throw new NotLdap('an answer to nothing that was asked')
    pending.bytes += bytes
    if (pending.bytes > most.request) throw new NotLdap('an answer that is too long')
    if (!pending.take(answer)) return
    this.#pending = undefined
    pending.done()
  }
}

type Way = { readonly host: string; readonly port: number } | { readonly socket: Socket }

async function secured(
  { tls }: CheckedLdapOptions,
  url: URL,
  way: Way,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const host = bareHost(url)
  const { ca, servername } = tls
  const socket = connectTls({
    host,
    ...way,
    servername: servername ?? (isIP(host) === 0 ? host : ''),
    ...(ca !== undefined && { ca: typeof ca === 'string' ? ca : [...ca] }),
    // Whatever the environment of the process says.
    rejectUnauthorized: true,
  })
  await opened(socket, 'secureConnect', signal)
  return socket
}

async function opened(socket: Socket, event: string, signal: AbortSignal): Promise<void> {
  socket.on('error', () => {})
  try {
    await once(socket, event, { signal })
  } catch (error) {
    socket.destroy()
    throw signal.aborted ? signal.reason : error
  }
}
