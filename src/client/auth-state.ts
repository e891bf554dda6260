import { isSameSignIn, type StoredSession } from './stored-session.js'
import type { Me, RequiredAction } from './wire.js'

/**
 * Whether somebody is signed in, as far as this client knows.
 * - `loading`: the store has not been read yet.
 * - `offline`: signed in, but the last request did not reach the server. The user stays signed in.
 * - `signed-out`: `reason` is `session-ended` if the server has ended the session, else
 *   `signed-out`: nobody has signed in, or somebody has signed out here or in another tab.
 */
export type AuthState =
  | { readonly status: 'loading' }
  | {
      readonly status: 'signed-in' | 'offline'
      readonly userId: string
      readonly me: Me
      /** True if the user may only set up a second factor. */
      readonly enrolmentRequired: boolean
      /** What the user must do, in this order, before the server allows anything else. */
      readonly required: readonly RequiredAction[]
      /** The app that signed in by `/client/oauth`; it cannot manage the account. */
      readonly clientId?: string
    }
  | { readonly status: 'signed-out'; readonly reason: 'signed-out' | 'session-ended' }

/** The state and its listeners. */
export interface StateKeeper {
  readonly state: AuthState
  /** Called with the content of the store. */
  setSession(session: StoredSession | null, hasEnded: boolean): void
  /** Called after each request. */
  setReached(isReached: boolean): void
  onChange(listener: (state: AuthState) => void): () => void
  /** Calls back with each access token that replaces another of the same sign-in. */
  onToken(listener: (accessToken: string) => void): () => void
}

export function createStateKeeper(): StateKeeper {
  const listeners = new Set<(state: AuthState) => void>()
  const tokenListeners = new Set<(accessToken: string) => void>()
  let state: AuthState = { status: 'loading' }
  let isReached = true
  let known: StoredSession | null = null

  function change(next: AuthState): void {
    if (JSON.stringify(next) === JSON.stringify(state)) return
    state = next
    tell(listeners, state)
  }

  return {
    get state() {
      return state
    },
    setSession(session, hasEnded) {
      const before = known
      known = session
      change(stateOf(session, hasEnded, isReached))
      if (session === null || before === null || !isSameSignIn(session, before)) return
      if (session.accessToken !== before.accessToken) tell(tokenListeners, session.accessToken)
    },
    setReached(now) {
      isReached = now
      if (state.status === 'signed-in' || state.status === 'offline')
        change({ ...state, status: now ? 'signed-in' : 'offline' })
    },
    onChange: (listener) => add(listeners, listener),
    onToken: (listener) => add(tokenListeners, listener),
  }
}

function stateOf(session: StoredSession | null, hasEnded: boolean, isReached: boolean): AuthState {
  if (session === null)
    return { status: 'signed-out', reason: hasEnded ? 'session-ended' : 'signed-out' }
  const { userId, me, enrolmentRequired, required, clientId } = session
  const status = isReached ? 'signed-in' : 'offline'
  const app = clientId === undefined ? {} : { clientId }
  return { status, userId, me, enrolmentRequired, required, ...app }
}

function add<T>(listeners: Set<(value: T) => void>, listener: (value: T) => void): () => void {
  const own = (value: T) => listener(value)
  listeners.add(own)
  return () => void listeners.delete(own)
}

// Each listener runs in its own promise: an error of one listener is reported as unhandled and
// stops no other listener.
function tell<T>(listeners: Set<(value: T) => void>, value: T): void {
  for (const listener of [...listeners]) void Promise.resolve(value).then(listener)
}
