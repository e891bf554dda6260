import { platform } from '../platform.js'
/** A sign-in that has begun, to check its answer against. */
export interface Begun {
  readonly issuer: string
  readonly codeVerifier: string
  readonly nonce: string | null
  readonly maxAge: number | null
  readonly returnTo: string | null
}

/**
 * Storage of sign-ins that have begun, each under its own key, until the server sends the browser
 * back. The text is a secret of this browser or app.
 */
export interface BegunStore {
  get(key: string): Promise<string | null> | string | null
  set(key: string, text: string): Promise<void> | void
  remove(key: string): Promise<void> | void
}

/** In a page `sessionStorage`, which lives as long as the tab; elsewhere memory. */
export function defaultBegunStore(): BegunStore {
  const { sessionStorage: tab } = platform
  if (tab !== undefined)
    return {
      get: (key) => tab.getItem(key),
      set: (key, text) => tab.setItem(key, text),
      remove: (key) => tab.removeItem(key),
    }
  return memoryBegunStore()
}

/** In memory, until the page or process ends. */
export function memoryBegunStore(): BegunStore {
  const kept = new Map<string, string>()
  return {
    get: (key) => kept.get(key) ?? null,
    set: (key, text) => void kept.set(key, text),
    remove: (key) => void kept.delete(key),
  }
}

const keyOf = (state: string) => `messaging-auth.oauth.${state}`

/** Stores a sign-in that begins. */
export async function keepBegun(store: BegunStore, state: string, begun: Begun): Promise<void> {
  await store.set(keyOf(state), JSON.stringify(begun))
}

/** Reads and removes one, so that each answer is used once; null if this browser has begun none. */
export async function takeBegun(store: BegunStore, state: string): Promise<Begun | null> {
  const text = await store.get(keyOf(state))
  await store.remove(keyOf(state))
  return JSON.parse(text ?? 'null')
}
