// The client by itself, as a script and a page rendered by a server have it: its entries, and the
// peer that one of them needs. The answers are those of a server that ends each first token.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAuthClient } from 'messaging-auth-router/client'
import { deviceLinks } from 'messaging-auth-router/client/device-links'
import { signInByBrowser } from 'messaging-auth-router/client/loopback'
import { fileStore } from 'messaging-auth-router/client/node'
import { OAuthError, oauth } from 'messaging-auth-router/client/oauth'
import { passkeys } from 'messaging-auth-router/client/passkeys'
import { handOver, signInByPopup } from 'messaging-auth-router/client/popup'
import { providers } from 'messaging-auth-router/client/providers'
import { AuthProvider, useAuth } from 'messaging-auth-router/client/react'
import { socketIoAuth } from 'messaging-auth-router/client/socket-io'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'

const pair = { access_token: 'second', refresh_token: 'r2', expires_in: 600 }
const me = { _id: 'u1', name: 'Alice', username: 'alice', status: 'online' }
const login = { userId: 'u1', authToken: 'first', refreshToken: 'r1', expiresIn: 600, me }
const asked = []

async function answer(url, { headers }) {
  const path = url.slice('https://chat.example.com/api/v1'.length)
  asked.push(path)
  if (path === '/login') return Response.json({ status: 'success', data: login })
  if (path === '/auth/refresh') return Response.json(pair)
  const isFirst = new Headers(headers).get('Authorization') === 'Bearer first'
  if (isFirst) return Response.json({ error: 'Unauthorized' }, { status: 401 })
  return Response.json({ success: true, ...me })
}

const folder = mkdtempSync(join(tmpdir(), 'client-'))
try {
  const client = createAuthClient({
    baseUrl: 'https://chat.example.com/api/v1',
    storage: fileStore(join(folder, 'sign-in.json')),
    fetch: answer,
  })
  const { status } = await client.signIn({ user: 'alice', password: 'any' })
  assert.equal(status, 'signed-in')
  const answers = await Promise.all(Array.from({ length: 20 }, () => client.fetch('/me')))
  assert.ok(answers.every(({ ok }) => ok))
  assert.equal(asked.filter((path) => path === '/auth/refresh').length, 1)
  assert.equal(typeof socketIoAuth(client).auth, 'function')
  assert.equal(passkeys(client).isSupported(), false)
  await assert.rejects(passkeys(client).signIn(), { name: 'PasskeyError' })
  assert.equal(typeof deviceLinks(client).begin, 'function')
  assert.equal(providers(client).isAnswer('https://x/?ticket=t'), false)
  const tool = { clientId: 'tool', scope: 'openid', open: () => {} }
  await assert.rejects(signInByBrowser(client, tool), { code: 'wrong-issuer' })
  const redirectUri = 'https://wiki.example.com/callback'
  const app = oauth(client, { clientId: 'wiki', redirectUri, scope: 'openid' })
  const answered = `${redirectUri}?code=c&state=s`
  assert.equal(app.isAnswer(answered), true)
  await assert.rejects(app.finish(answered), OAuthError)
  assert.equal(handOver(answered), false)
  const inWindow = signInByPopup(client, { clientId: 'wiki', redirectUri, scope: 'openid' })
  await assert.rejects(inWindow, { code: 'not-supported' })
  const Who = () => createElement('p', null, useAuth().state.status)
  const page = renderToString(createElement(AuthProvider, { client }, createElement(Who)))
  assert.equal(page, '<p>loading</p>')
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.stdout.write('closed\n')
