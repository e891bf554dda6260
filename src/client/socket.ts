import { isRefusal } from './errors.js'
import { type BasicSocket, fraction, platform, type SocketConstructor } from './platform.js'
import type { SocketTicket } from './wire.js'

/**
 * - `connecting`, `open`: as of a WebSocket.
 * - `waiting`: the connection was lost, or there was none; it is tried again by itself.
 * - `closed`: for good. By `close()`, or since the sign-in is over.
 */
export type AuthSocketStatus = 'connecting' | 'open' | 'waiting' | 'closed'

/** What is told to the owner of a socket. */
export interface AuthSocketHandlers {
  /**
   * A connection stands, the first or another: fetch here what was missed in between. Where that
   * fails, as a promise that rejects, another connection is tried after a pause.
   */
  readonly onOpen?: () => unknown
  readonly onMessage?: (data: unknown) => void
  /** With each change of the status. */
  readonly onStatus?: (status: AuthSocketStatus) => void
  /** The sign-in of this socket is over. The last call of all. */
  readonly onEnded?: () => void
}

/** How a socket lives. */
export interface AuthSocketOptions extends AuthSocketHandlers {
  /**
   * What to send to hand over a newer token, which keeps the socket open beyond the one it was
   * opened with: the host's server gives it to `renew`. Default: none; the socket is opened anew
   * when its token ends.
   */
  readonly renewal?: (accessToken: string) => string
  /**
   * What to send every 30 seconds. Where nothing at all comes back within 10 seconds, the
   * connection is taken for lost: it may look open for minutes. Default: none.
   */
  readonly ping?: () => string
  /** The constructor, where the runtime has none: that of `ws` on Node 20. */
  readonly WebSocket?: unknown
}

/** A WebSocket that outlives its connections. */
export interface AuthSocket {
  readonly status: AuthSocketStatus
  /** Sends where a connection stands; answers whether it did. */
  send(data: string): boolean
  /** Opens another connection in the place of this one, for when something was missed after all. */
  reconnect(): void
  close(): void
}

export interface SocketDeps {
  /** With `ws:` or `wss:`. */
  readonly url: string
  readonly buyTicket: () => Promise<SocketTicket>
  /** The access token of the moment, replaced if it is this one. */
  readonly freshToken: (rejected?: string) => Promise<string>
  readonly watchToken: (listener: (accessToken: string) => void) => () => void
}

/** Of docs/http-api.md: the session has ended; the token has. */
const codes = { sessionEnded: 4401, tokenExpired: 4408 }
/** Seconds. */
const longestPause = 30
/**
 * Seconds. A server that asks for more means something else, such as the time of day; and what is
 * more than a timer can count would end at once, again and again.
 */
const longestAsked = 3600
const pingMs = 30_000
const answerMs = 10_000
/** A connection that has stood for so long was no failure, in milliseconds. */
const steadyMs = 5000
/** Of a WebSocket. */
const isOpen = 1

/** Opens it, and keeps it open for as long as the sign-in lasts. */
export function createSocket(deps: SocketDeps, options: AuthSocketOptions): AuthSocket {
  const Socket = socketConstructor(options)
  const line = createLine(options, deps.watchToken)
  let failures = 0
  /** Since when a connection stands, in milliseconds. */
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
    // A server that accepts and closes at once must not be asked again and again.
    if (Date.now() - standsSince >= steadyMs) failures = 0
    standsSince = Number.POSITIVE_INFINITY
    if (code === codes.sessionEnded) settle()
    else if (code === codes.tokenExpired) connectAnew()
    else retry()
  }

  // At once, with a newer token, but only once where that is refused as well.
  function connectAnew(): void {
    if (failures > 0) retry()
    else {
      failures = 1
      void connect()
    }
  }

  // Whether everybody else is signed out by that as well is for the server to say.
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

/** What outlives a connection: the status, the token that was shown last, and the pause. */
interface Line {
  readonly status: AuthSocketStatus
  token: string
  connection: Connection | null
  setStatus(status: AuthSocketStatus): void
  /** Does the work later, or at once when the network is back. */
  wait(ms: number, work: () => void): void
  close(): void
  /** The same, and says that the sign-in is over. */
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
  /** Takes it for lost. */
  drop(): void
  close(): void
}

interface ConnectionEvents {
  readonly onOpen: () => void
  /** Once, whichever side it was. */
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

  // Not waiting for the other side to agree, which may take minutes.
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
  // What it was stands in no event; the close that follows is what counts.
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
