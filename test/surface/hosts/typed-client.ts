// A program in TypeScript over the client and React, compiled with the declarations of both.
import { type AuthClient, createAuthClient } from 'messaging-auth-router/client'
import { fileStore } from 'messaging-auth-router/client/node'
import { AuthProvider, useAuth } from 'messaging-auth-router/client/react'
import { createElement } from 'react'

const storage = fileStore('sign-in.json')
const client: AuthClient = createAuthClient({ baseUrl: 'https://chat.example.com', storage })
const text: Promise<string> = client.fetch('/rooms').then((answer) => answer.text())

function Who() {
  const { state } = useAuth()
  return createElement('p', null, state.status === 'signed-in' ? state.me.name : state.status)
}

export const page = createElement(AuthProvider, { client }, createElement(Who))
export { text }
