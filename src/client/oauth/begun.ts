import { platform } from '../platform.js'

/** What is known of a sign-in that has begun: of each answer, whether it belongs to it. */
export interface Begun {
  readonly issuer: string
  readonly codeVerifier: string
  readonly nonce: string | null
  readonly maxAge: number | null
  readonly returnTo: string | null
}

/**
 * Where sign-ins that have begun are kept until they come back, each under a key of its own. The
 * text is a secret of this browser or app.
 */
export interface BegunStore {
  get(key: string): Promise<string | null> | string | null
  set(key: string, text: string): Promise<void> | void
  remove(key: string): Promise<void> | void
}

/** In a page those of this tab, which live as long as it; elsewhere in memory. */
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

/** In memory: gone with the page or process. */
export function memoryBegunStore(): BegunStore {
  const kept = new Map<string, string>()
  return {
    get: (key) => kept.get(key) ?? null,
    set: (key, text) => void kept.set(key, text),
    remove: (key) => void kept.delete(key),
  }
}

const keyOf = (state: string) => `messaging-auth.oauth.${state}`

/** Keeps one. */
export async function keepBegun(store: BegunStore, state: string, begun: Begun): Promise<void> {
  await store.set(keyOf(state), JSON.stringify(begun))
}

/** Takes one out, so that no answer is taken twice; null: this browser has not begun it. */
export async function takeBegun(store: BegunStore, state: string): Promise<Begun | null> {
  const text = await store.get(keyOf(state))
  await store.remove(keyOf(state))
  return JSON.parse(text ?? 'null')
}
