// A server that has just started: node first-login-process.mjs <encryption key> <signing key>
// <password hash>. It says on which port it listens, and to every message how much of the processor
// it has taken, in milliseconds. It ends when it is disconnected.
import { createServer } from 'node:http'
import express from 'express'
import { bcryptHasher, createAuthRouter, joseSigner } from 'messaging-auth-router'
import { memoryStores } from 'messaging-auth-router/stores/memory'

const [encryptionKey, signingKey, passwordHash] = process.argv.slice(2)
const alice = { id: 'u-alice', username: 'alice', name: 'Alice', passwordHash }
const auth = createAuthRouter({
  users: {
    findByIdentifier: async ({ value }) => (value === alice.username ? alice : null),
    findById: async (id) => (id === alice.id ? alice : null),
  },
  ...memoryStores(),
  signer: joseSigner({
    issuer: 'https://chat.example.com',
    audience: 'chat',
    keys: [JSON.parse(signingKey)],
  }),
  encryptionKeys: [encryptionKey],
  // As by default, but for the threads: a machine with many cores would start as many.
  passwords: bcryptHasher({ threads: 2 }),
})
const server = createServer(express().use('/api/v1', auth))
server.listen(0, '127.0.0.1', () => process.send(server.address().port))
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send((user + system) / 1000)
})
process.on('disconnect', () => process.exit())
