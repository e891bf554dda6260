// A host with other people's accounts: the entry of its own, and the peer that it needs.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { openIdProvider } from 'messaging-auth-router/providers'

const server = createServer((_request, response) => {
  const names = ['authorization_endpoint', 'token_endpoint', 'jwks_uri']
  const endpoints = Object.fromEntries(names.map((name) => [name, `${issuer}/${name}`]))
  response.writeHead(200, { 'Content-Type': 'application/json' })
  response.end(JSON.stringify({ issuer, ...endpoints }))
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const issuer = `http://127.0.0.1:${server.address().port}`
const provider = openIdProvider({ id: 'work', name: 'Work', issuer, clientId: 'chat' })
const callbackUrl = 'https://chat.example.com/callback'
const { url } = await provider.start({ state: 's', callbackUrl })
assert.equal(new URL(url).searchParams.get('code_challenge_method'), 'S256')
server.close()
server.closeAllConnections()
process.stdout.write('closed\n')
