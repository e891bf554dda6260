import { platform } from './platform.js'

/**
 * Storage of a sign-in: one text, which is secret. All tabs and processes of one client must share
 * one store: the server treats two holders of one refresh token as a theft.
 *
 * The three methods are enough for one process, over the keychain of a phone for example. Several
 * tabs or processes need the two optional methods.
 */
export interface TokenStore {
  /** The stored text; null if there is none. */
  get(): Promise<string | null>
  /** Resolves when the text is stored durably. */
  set(text: string): Promise<void>
  remove(): Promise<void>
  /**
   * Does the work while no other user of the store works; resolves with its result. The lock must
   * end with its holder. Default: one at a time in this process.
   */
  readonly exclusively?: <T>(work: () => Promise<T>) => Promise<T>
  /**
   * Calls back whenever another tab or process may have changed the text; returns how to stop.
   * Default: the client notices a change at its next request.
   */
  readonly watch?: (onChange: () => void) => () => void
}

/** Runs work one at a time, in order of arrival. */
export function inTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>) => {
    const turn = last.then(work, work)
    last = turn.catch(() => {})
    return turn
  }
}

/** Stores the tokens in memory: this client loses them when its page or process ends. */
export function memoryStore(): TokenStore {
  let kept: string | null = null
  return {
    get: async () => kept,
    async set(text) {
      kept = text
    },
    async remove() {
      kept = null
    },
    exclusively: inTurns(),
  }
}

/**
 * Stores the tokens in `localStorage`, for all tabs of this origin and across reloads. One tab at a
 * time refreshes, by the Web Locks API. Without that API, on pages without HTTPS, the server's
 * grace period for repeated refresh tokens is enough.
 *
 * A script injected into the page (XSS) could read the tokens. If you cannot rule that out, use
 * {@link memoryStore}, or the cookie of docs/cookies.md.
 *
 * @param key of the item; default `messaging-auth`. Two clients of one origin need two keys.
 */
export function localStorageStore(key = 'messaging-auth'): TokenStore {
  const alone = inTurns()
  // The storage is read at each call: the mere access throws if the user has disabled it.
  const place = () => {
    const { localStorage } = platform
    if (localStorage === undefined) throw new Error('There is no localStorage here.')
    return localStorage
  }
  return {
    get: async () => place().getItem(key),
    set: async (text) => place().setItem(key, text),
    remove: async () => place().removeItem(key),
    // The lock is no lease in localStorage: on a slow network a lease could expire and admit two
    // tabs.
    async exclusively(work) {
      const locks = platform.navigator?.locks
      if (locks === undefined) return alone(work)
      const text = () => place().getItem(key)
      const before = text()
      const workAfter = async (ms: number) => {
        await arrival(() => text() !== before, ms)
        return { answer: await work() }
      }
      const ifFree = { ifAvailable: true }
      const done =
        (await locks.request(key, ifFree, async (lock) => lock && workAfter(arrivalMs.ofFormer))) ??
        (await locks.request(key, {}, () => workAfter(arrivalMs.ofHolder)))
      return done.answer
    },
    watch: (onChange) => watchPage(key, onChange),
  }
}

/**
 * The time that a write may take to arrive, in milliseconds: for the last holder, and for earlier
 * holders.
 */
const arrivalMs = { ofHolder: 2000, ofFormer: 100 }
const lookMs = 10

// A write of another tab can arrive here after the lock does: tabs are processes, and each has a
// copy of `localStorage`.
async function arrival(hasArrived: () => boolean, ms: number): Promise<void> {
  const end = Date.now() + ms
  while (!hasArrived() && Date.now() < end)
    await new Promise<void>((resolve) => {
      platform.setTimeout(resolve, lookMs)
    })
}

// A frozen tab, or one in the back/forward cache, misses events, so it reads again on return.
const returns = ['pageshow', 'visibilitychange']

function watchPage(key: string, onChange: () => void): () => void {
  const onStorage = (event: { readonly key?: string | null }) => {
    // Null after `localStorage.clear()`.
    if (event.key === key || event.key === null) onChange()
  }
  platform.addEventListener?.('storage', onStorage)
  for (const type of returns) platform.addEventListener?.(type, onChange)
  return () => {
    platform.removeEventListener?.('storage', onStorage)
    for (const type of returns) platform.removeEventListener?.(type, onChange)
  }
}
