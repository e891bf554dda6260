/**
 * The parts of the runtime that the client uses. Typed here, so that programs compile against the
 * client without the types of browsers or Node.
 */
interface Platform {
  readonly fetch: BasicFetch
  readonly Headers: new (from?: unknown) => WritableHeaders
  readonly AbortController: new () => { readonly signal: BasicSignal; abort(): void }
  readonly setTimeout: (work: () => void, ms: number) => unknown
  readonly clearTimeout: (timer: unknown) => void
  readonly crypto?: { getRandomValues(bytes: Uint8Array): Uint8Array }
  readonly navigator?: { readonly locks?: WebLocks }
  readonly localStorage?: WebStorage
  readonly sessionStorage?: WebStorage
  readonly location?: { readonly origin: string }
  readonly WebSocket?: SocketConstructor
  readonly addEventListener?: Listening
  readonly removeEventListener?: Listening
}

interface WebStorage {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

interface WebLocks {
  /** With `ifAvailable`, the lock is null if somebody holds it. */
  request<T>(
    name: string,
    options: { readonly ifAvailable?: boolean },
    work: (lock: object | null) => Promise<T>,
  ): Promise<T>
}

type Listening = (type: string, listener: (event: { readonly key?: string | null }) => void) => void

interface WritableHeaders extends BasicHeaders {
  has(name: string): boolean
  set(name: string, value: string): void
}

/** The members of `Headers` used here. */
export interface BasicHeaders {
  get(name: string): string | null
}

/** The members of `AbortSignal` used here. */
export interface BasicSignal {
  readonly aborted: boolean
  readonly reason?: unknown
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** The members of `Response` used here. */
export interface BasicResponse {
  readonly ok: boolean
  readonly status: number
  readonly headers: BasicHeaders
  text(): Promise<string>
  clone(): BasicResponse
}

/** The options of `fetch` used here. */
export interface BasicInit {
  readonly method?: string
  readonly headers?: unknown
  readonly body?: unknown
  readonly signal?: BasicSignal | null
  readonly redirect?: string
  readonly credentials?: string
  readonly cache?: string
}

/** `fetch`, or a replacement. */
export type BasicFetch = (url: string, init: BasicInit) => Promise<BasicResponse>

/** The members of `WebSocket` used here: of the browser, of Node or of `ws`. */
export interface BasicSocket {
  readonly readyState: number
  send(data: string): void
  close(code?: number): void
  onopen: ((event: never) => void) | null
  onmessage: ((event: never) => void) | null
  onclose: ((event: never) => void) | null
  onerror: ((event: never) => void) | null
}

/** The constructor of `WebSocket`. */
export type SocketConstructor = new (url: string, protocols: string[]) => BasicSocket

/** The runtime. Its members are read at each use, since pages may replace them. */
export const platform: Platform = globalThis as unknown as Platform

/**
 * Waits up to a second longer than asked, so that clients refused together do not return together.
 * The signal ends the wait early.
 */
export function pause(seconds: number, signal?: BasicSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      platform.clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
    }
    const stop = () => {
      end()
      reject(signal?.reason)
    }
    const wake = () => {
      end()
      resolve()
    }
    const timer = platform.setTimeout(wake, (seconds + fraction()) * 1000)
    signal?.addEventListener('abort', stop)
    if (signal?.aborted) stop()
  })
}

/** A random number from 0 to 1, for pauses. Without `crypto`, the clock is random enough. */
export function fraction(): number {
  const bytes = platform.crypto?.getRandomValues(new Uint8Array(1))
  return (bytes?.[0] ?? Date.now() % 256) / 256
}

/** Rejects when the signal aborts. The work itself continues: others may wait for it. */
export async function unlessAborted<T>(work: Promise<T>, signal?: BasicSignal | null): Promise<T> {
  if (signal === undefined || signal === null) return work
  let stop = () => {}
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** The parts of the runtime used here. */
const { atob, btoa } = globalThis as unknown as {
  readonly atob: (text: string) => string
  readonly btoa: (bytes: string) => string
}

/** Encodes as RFC 4648 §5, without padding. */
export function toBase64Url(bytes: ArrayBuffer | Uint8Array): string {
  let text = ''
  for (const byte of new Uint8Array(bytes)) text += String.fromCharCode(byte)
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Decodes the same. */
export function fromBase64Url(text: string): Uint8Array {
  const bytes = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(bytes, (one) => one.charCodeAt(0))
}

/** The origin of an address; for an address without an origin, the page's origin. */
export function originOf(address: string): string {
  return /^https?:\/\/[^/]+/.exec(address)?.[0] ?? platform.location?.origin ?? ''
}
