import { platform } from './platform.js'

/**
 * Where the tokens of a sign-in are kept: one text, which is a secret. All tabs and processes that
 * are the same client use one store: two holders of one refresh token without a common store look
 * like a theft to the server.
 *
 * Three methods are enough, over the keychain of a phone for example. Whoever has the other two
 * makes several tabs or processes safe.
 */
export interface TokenStore {
  /** The text that was kept last; null where there is none. */
  get(): Promise<string | null>
  /** Keeps it durably before it resolves. */
  set(text: string): Promise<void>
  remove(): Promise<void>
  /**
   * Does the work while nobody else who shares the store does theirs, and answers what it answers.
   * The lock must end with its holder. Default: one at a time in this process.
   */
  readonly exclusively?: <T>(work: () => Promise<T>) => Promise<T>
  /**
   * Calls back whenever somebody else may have changed what is kept; answers how to stop. Default:
   * a change is noticed with the next request.
   */
  readonly watch?: (onChange: () => void) => () => void
}

/** Does pieces of work one after the other, in the order in which they came. */
export function inTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>) => {
    const turn = last.then(work, work)
    last = turn.catch(() => {})
    return turn
  }
}

/** Keeps the tokens in memory: the sign-in ends for this client when its page or process does. */
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
 * Keeps the tokens in `localStorage`, for all tabs of this origin and over reloads. One tab at a
 * time refreshes, by the Web Locks API; without it, as on pages that are not HTTPS, the server's
 * grace for repeated refresh tokens is enough.
 *
 * A script that somebody smuggled into the page could read it there: a page that cannot rule that
 * out uses {@link memoryStore}, or the cookie of docs/cookies.md.
 *
 * @param key under which it is kept; default `messaging-auth`. Two clients of one origin need two.
 */
export function localStorageStore(key = 'messaging-auth'): TokenStore {
  const alone = inTurns()
  // Looked up with each call: merely reading it throws where a user has switched it off.
  const place = () => {
    const { localStorage } = platform
    if (localStorage === undefined) throw new Error('There is no localStorage here.')
    return localStorage
  }
  return {
    get: async () => place().getItem(key),
    set: async (text) => place().setItem(key, text),
    remove: async () => place().removeItem(key),
    // A lock of one's own, kept in localStorage with an end, would let two in on a slow network.
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

/** How long what was kept may take to get here: by who had the lock, and by anybody before. */
const arrivalMs = { ofHolder: 2000, ofFormer: 100 }
const lookMs = 10

// What another tab has kept under the lock can reach this one a moment after the lock does: tabs
// are processes, and each has a copy of `localStorage`.
async function arrival(hasArrived: () => boolean, ms: number): Promise<void> {
  const end = Date.now() + ms
  while (!hasArrived() && Date.now() < end)
    await new Promise<void>((resolve) => {
      platform.setTimeout(resolve, lookMs)
    })
}

// A tab that was frozen or put aside has missed what the others said: it looks when it is back.
const returns = ['pageshow', 'visibilitychange']

function watchPage(key: string, onChange: () => void): () => void {
  const onStorage = (event: { readonly key?: string | null }) => {
    // Null: somebody has cleared all of it.
    if (event.key === key || event.key === null) onChange()
  }
  platform.addEventListener?.('storage', onStorage)
  for (const type of returns) platform.addEventListener?.(type, onChange)
  return () => {
    platform.removeEventListener?.('storage', onStorage)
    for (const type of returns) platform.removeEventListener?.(type, onChange)
  }
}
