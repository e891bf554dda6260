import { isRefusal } from './errors.js'
import { type BasicSocket, fraction, platform, type SocketConstructor } from './platform.js'
import type { SocketTicket } from './wire.js'

/**
 * - `connecting`, `open`: as in a WebSocket.
 * - `waiting`: the connection was lost or refused; the next attempt starts by itself.
 * - `closed`: finally, by `close()` or because the session has ended.
 */
export type AuthSocketStatus = 'connecting' | 'open' | 'waiting' | 'closed'

/** Callbacks of a socket. */
export interface AuthSocketHandlers {
  /**
   * Called after each connection, the first included: fetch the missed messages. If the returned
   * promise rejects, the socket reconnects after a pause.
   */
  readonly onOpen?: () => unknown
  readonly onMessage?: (data: unknown) => void
  /** Called at each change of the status. */
  readonly onStatus?: (status: AuthSocketStatus) => void
  /** Called last, when the session of this socket has ended. */
  readonly onEnded?: () => void
}

/** Options of a socket. */
export interface AuthSocketOptions extends AuthSocketHandlers {
  /**
   * The message that carries a newer token; the host's server passes the token to `renew`, which
   * keeps the socket open. Default: none; the socket reconnects when its token expires.
   */
  readonly renewal?: (accessToken: string) => string
  /**
   * The message to send every 30 seconds. Without any message back within 10 seconds, the socket
   * reconnects: a lost connection can look open for minutes. Default: none.
   */
  readonly ping?: () => string
  /** The constructor, for runtimes without one, such as `WebSocket` of `ws` on Node 20. */
  readonly WebSocket?: unknown
}

/** A WebSocket that reconnects. */
export interface AuthSocket {
  readonly status: AuthSocketStatus
  /** Sends if connected; returns whether it did. */
  send(data: string): boolean
  /** Replaces the connection by another one, for example after missed messages. */
  reconnect(): void
  close(): void
}

export interface SocketDeps {
  /** With `ws:` or `wss:`. */
  readonly url: string
  readonly buyTicket: () => Promise<SocketTicket>
  /** The current access token, refreshed if it is `rejected`. */
  readonly freshToken: (rejected?: string) => Promise<string>
  readonly watchToken: (listener: (accessToken: string) => void) => () => void
}

/** Close codes of docs/http-api.md. */
const codes = { sessionEnded: 4401, tokenExpired: 4408 }
/** Seconds. */
const longestPause = 30
/**
 * Seconds. A larger `Retry-After` is a mistake, such as a time of day, and one beyond the range of
 * timers would fire at once.
 */
const longestAsked = 3600
const pingMs = 30_000
const answerMs = 10_000
/** A connection of this age counts as a success, in milliseconds. */
const steadyMs = 5000
/** `WebSocket.OPEN` */
const isOpen = 1

/** Opens a socket and keeps it open until the session ends. */
export function createSocket(deps: SocketDeps, options: AuthSocketOptions): AuthSocket {
  const Socket = socketConstructor(options)
  const line = createLine(options, deps.watchToken)
  let failures = 0
  /** When `onOpen` had caught up, in milliseconds; infinity without a connection. */
  let standsSince = Number.POSITIVE_INFINITY

  async function connect(): Promise<void> {
    line.setStatus('connecting')
    try {
      line.token = await deps.freshToken()
      const { ticket } = await deps.buyTicket()
      if (line.status === 'closed') return
      const socket = new Socket(deps.url, ['auth.ticket', ticket])
      line.connection = openConnection(socket, options, { onOpen, onClose })
    } catch (error) {
      if (isRefusal(error, 'Unauthorized')) line.end()
      else retry((error as { readonly retryAfter?: number }).retryAfter)
    }
  }

  function onOpen(): void {
    const { connection } = line
    const caughtUp = () => {
      standsSince = Date.now()
    }
    line.setStatus('open')
    Promise.resolve(options.onOpen?.()).then(caughtUp, () => connection?.drop())
  }

  function onClose(code: number): void {
    line.connection = null
    if (line.status === 'closed') return
    // Only a steady connection resets the pauses: a server may accept and close at once.
    if (Date.now() - standsSince >= steadyMs) failures = 0
    standsSince = Number.POSITIVE_INFINITY
    if (code === codes.sessionEnded) settle()
    else if (code === codes.tokenExpired) connectAnew()
    else retry()
  }

  // Connects at once, with a newer token; after a pause if the server refuses that token, too.
  function connectAnew(): void {
    if (failures > 0) retry()
    else {
      failures = 1
      void connect()
    }
  }

  // The refresh tells whether only this socket has ended or the whole session.
  function settle(): void {
    line.end()
    deps.freshToken(line.token).catch(() => {})
  }

  function retry(atLeast = 0): void {
    const growing = Math.min(2 ** failures, longestPause) * (0.5 + fraction())
    failures += 1
    const pause = Math.max(growing, Math.min(atLeast, longestAsked))
    line.wait(pause * 1000, () => void connect())
  }

  void connect()
  return {
    get status() {
      return line.status
    },
    send: (data) => line.connection?.send(data) ?? false,
    reconnect() {
      if (line.status === 'open') line.connection?.drop()
    },
    close: line.close,
  }
}

function socketConstructor({ WebSocket }: AuthSocketOptions): SocketConstructor {
  const Socket = WebSocket ?? platform.WebSocket
  if (Socket !== undefined) return Socket as SocketConstructor
  throw new TypeError('client.socket: there is no WebSocket here; hand one over as WebSocket.')
}

/** The state across connections: the status, the last token sent, and the pause. */
interface Line {
  readonly status: AuthSocketStatus
  token: string
  connection: Connection | null
  setStatus(status: AuthSocketStatus): void
  /** Does the work later, or as soon as the network is back. */
  wait(ms: number, work: () => void): void
  close(): void
  /** Closes and calls `onEnded`. */
  end(): void
}

function createLine(options: AuthSocketOptions, watchToken: SocketDeps['watchToken']): Line {
  let status: AuthSocketStatus = 'connecting'
  let timer: unknown
  let next = () => {}

  function setStatus(now: AuthSocketStatus): void {
    if (status === now || status === 'closed') return
    status = now
    options.onStatus?.(now)
  }

  function hurry(): void {
    if (status !== 'waiting') return
    platform.clearTimeout(timer)
    next()
  }

  function close(): void {
    setStatus('closed')
    platform.clearTimeout(timer)
    platform.removeEventListener?.('online', hurry)
    stopWatching()
    line.connection?.close()
  }

  const line = {
    get status() {
      return status
    },
    token: '',
    connection: null as Connection | null,
    setStatus,
    wait(ms: number, work: () => void) {
      if (status === 'closed') return
      setStatus('waiting')
      next = work
      timer = platform.setTimeout(work, ms)
    },
    close,
    end() {
      if (status === 'closed') return
      close()
      options.onEnded?.()
    },
  }
  const stopWatching = watchToken((newer) => {
    const { renewal } = options
    if (renewal === undefined || newer === line.token) return
    if (line.connection?.send(renewal(newer)) === true) line.token = newer
  })
  platform.addEventListener?.('online', hurry)
  return line
}

/** One connection of a socket. */
interface Connection {
  send(data: string): boolean
  /** Treats the connection as lost. */
  drop(): void
  close(): void
}

interface ConnectionEvents {
  readonly onOpen: () => void
  /** Called once, whichever side closed. */
  readonly onClose: (code: number) => void
}

function openConnection(
  socket: BasicSocket,
  { ping, onMessage }: AuthSocketOptions,
  { onOpen, onClose }: ConnectionEvents,
): Connection {
  let timer: unknown
  let isOver = false

  function finish(code: number): void {
    if (isOver) return
    isOver = true
    platform.clearTimeout(timer)
    onClose(code)
  }

  function beat(): void {
    if (ping === undefined) return
    timer = platform.setTimeout(() => {
      socket.send(ping())
      timer = platform.setTimeout(drop, answerMs)
    }, pingMs)
  }

  // Does not await the closing handshake, which may take minutes.
  function drop(): void {
    socket.close()
    finish(1006)
  }

  socket.onopen = () => {
    if (isOver) return socket.close()
    beat()
    onOpen()
  }
  socket.onmessage = ({ data }: { readonly data: unknown }) => {
    if (isOver) return
    platform.clearTimeout(timer)
    beat()
    onMessage?.(data)
  }
  socket.onclose = ({ code }: { readonly code: number }) => finish(code)
  // The event has no details, and `close` follows.
  socket.onerror = () => {}
  return {
    drop,
    send(data) {
      if (isOver || socket.readyState !== isOpen) return false
      socket.send(data)
      return true
    },
    close() {
      finish(1000)
      socket.close()
    },
  }
}
