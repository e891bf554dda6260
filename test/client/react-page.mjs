// A page with React, for the browser: who is signed in, as the client says it.
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { createAuthClient, localStorageStore } from '../../dist/client/index.js'
import { AuthProvider, useAuth } from '../../dist/client/react.js'

const client = createAuthClient({ baseUrl: '/api/v1', storage: localStorageStore() })
globalThis.client = client

function Who() {
  const { state } = useAuth()
  return createElement('p', { id: 'who' }, state.me?.name ?? state.reason ?? state.status)
}

const root = createRoot(document.querySelector('main'))
root.render(createElement(AuthProvider, { client }, createElement(Who)))
