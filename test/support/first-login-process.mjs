// A server that has just started: node first-login-process.mjs <encryption key> <signing key>
// <password hash>. It says on which port it listens, and to every message how many passwords its
// threads have been given. It ends when it is disconnected.
import { createServer } from 'node:http'
import express from 'express'
import { bcryptHasher, createAuthRouter, joseSigner } from 'messaging-auth-router'
import { memoryStores } from 'messaging-auth-router/stores/memory'
import { Piscina } from 'piscina'

let passwords = 0
const { run } = Piscina.prototype
Piscina.prototype.run = function counted(...given) {
  passwords += 1
  return run.apply(this, given)
}

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
process.on('message', () => process.send(passwords))
process.on('disconnect', () => process.exit())
