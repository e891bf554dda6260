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

/** Props of {@link AuthProvider}. */
export interface AuthProviderProps {
  readonly client: AuthClient
  readonly children?: ReactNode
}

/** Provides a client to all components below it. */
export function AuthProvider({ client, children }: AuthProviderProps): ReactElement {
  return createElement(Client.Provider, { value: client }, children)
}

/**
 * The client and its state. Renders again at each change of the state, by any tab. The state is
 * `loading` on a server and at first in a browser.
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
