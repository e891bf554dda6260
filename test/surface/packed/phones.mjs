// A host whose users have numbers, with the package as it is published.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import express from 'express'
import { createAuthRouter, generateSigningKey, joseSigner } from 'messaging-auth-router'
import { memoryStores } from 'messaging-auth-router/stores/memory'

const number = '+4917012345678'
const alice = { id: '1', username: 'alice', name: 'Alice', passwordHash: null }
const texts = []
const auth = createAuthRouter({
  users: {
    findByIdentifier: async ({ value }) => (value === number ? alice : null),
    findById: async (id) => (id === alice.id ? alice : null),
    findContact: async (id) =>
      id === alice.id
        ? { email: null, emailVerified: false, phone: number, phoneVerified: true }
        : null,
    updatePhone: async () => ({ outcome: 'superseded' }),
  },
  ...memoryStores(),
  signer: joseSigner({
    issuer: 'https://chat.example.com',
    audience: 'chat',
    keys: [await generateSigningKey()],
  }),
  encryptionKeys: [randomBytes(32).toString('base64')],
  accounts: {
    mail: { send: async () => {} },
    phones: {
      send: async (message) => void texts.push(message),
      countries: ['DE'],
      name: 'Chat',
      signIn: true,
    },
  },
})
const server = express().use('/api/v1', auth).listen(0, '127.0.0.1')
await new Promise((resolve) => server.once('listening', resolve))
const post = (path, body) =>
  fetch(`http://127.0.0.1:${server.address().port}/api/v1${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })

assert.equal((await post('/auth/code', { phone: '0900 1234567' })).status, 400)
assert.equal((await post('/auth/code', { phone: '0170 12345678' })).status, 202)
while (texts.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
assert.equal(texts[0].to, number)
await auth.close()
server.close()
process.stdout.write('closed\n')
