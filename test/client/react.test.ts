import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { expect, it } from 'vitest'
import type { AuthClient, AuthState } from '../../src/client/client.js'
import { AuthProvider, useAuth } from '../../src/client/react/react.js'
import { startHost } from '../support/host.js'
import { signedIn } from './recorded.js'

function Who() {
  const { client, state } = useAuth()
  return createElement('p', { title: typeof client.fetch }, state.status)
}

const render = (client: AuthClient) =>
  renderToString(createElement(AuthProvider, { client }, createElement(Who)))

it('useAuth() hands over the client, and renders on a server without saying who is there', async () => {
  const client = await signedIn(await startHost())
  expect(render(client)).toBe('<p title="function">loading</p>')
  const state: AuthState = client.state
  expect(state.status).toBe('signed-in')
})

it('useAuth() outside of a provider says so', () => {
  expect(() => renderToString(createElement(Who))).toThrow(/outside of an AuthProvider/)
})
