import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useSyncExternalStore,
} from 'react'
import type { AuthClient, AuthState } from '../client.js'

const Client = createContext<AuthClient | null>(null)

/** What {@link AuthProvider} takes. */
export interface AuthProviderProps {
  readonly client: AuthClient
  readonly children?: ReactNode
}

/** Hands a client to everything below it. */
export function AuthProvider({ client, children }: AuthProviderProps): ReactElement {
  return createElement(Client.Provider, { value: client }, children)
}

/**
 * The client, and whether somebody is signed in; renders anew whenever that changes, in whichever
 * tab. Rendered by a server it is `loading`, and so it is in a browser at first.
 *
 * @throws Error outside of an {@link AuthProvider}
 *
 * @example
 * ```ts
 * import { useAuth } from 'messaging-auth-router/client/react'
 *
 * export function Greeting() {
 *   const { state } = useAuth()
 *   return state.status === 'signed-in' ? `Hello ${state.me.name}` : null
 * }
 * ```
 */
export function useAuth(): { readonly client: AuthClient; readonly state: AuthState } {
  const client = useContext(Client)
  if (client === null) throw new Error('useAuth() is used outside of an AuthProvider.')
  const state = useSyncExternalStore(
    client.onChange,
    () => client.state,
    () => loading,
  )
  return { client, state }
}

const loading: AuthState = { status: 'loading' }
