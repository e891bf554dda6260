// A host that checks passkeys: the entry of its own, and the peer that it needs.
import assert from 'node:assert/strict'
import { simpleWebAuthn } from 'messaging-auth-router/passkeys'

const verifier = simpleWebAuthn()
assert.equal('decorate' in Reflect, false, 'the library waits until it is needed')
await verifier.ready()
const asked = { challenge: 'A'.repeat(43), origins: ['https://chat.example.com'] }
const none = { ...asked, rpId: 'chat.example.com', response: {} }
assert.equal(await verifier.verifyCreation(none), null)
process.stdout.write('closed\n')
