// A host that hashes with Argon2: the entry of its own, and the peer that it needs.
import assert from 'node:assert/strict'
import { argon2 } from 'messaging-auth-router/hashers/argon2'

const passwords = argon2()
const stored = await passwords.hash('correct horse battery staple')
assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
assert.equal(await passwords.verify('correct horse battery staple', stored), true)
assert.equal(await passwords.verify('another', stored), false)
process.stdout.write('closed\n')
