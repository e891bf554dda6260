// A host with a directory: the entry of its own, and the peer that it needs. Nobody listens at the
// address, which is an outage, never a wrong password.
import assert from 'node:assert/strict'
import { ldapDirectory } from 'messaging-auth-router/directories'

const directory = ldapDirectory({
  id: 'corp',
  name: 'Example Ltd',
  urls: ['ldap://127.0.0.1:9'],
  bind: { dn: 'cn=chat,dc=example,dc=com', password: 'for the service' },
  base: 'ou=people,dc=example,dc=com',
})
const entry = { subject: '1', dn: 'uid=ada', username: 'ada', groups: [], disabled: false }
await assert.rejects(directory.find('ada'), { code: 'ECONNREFUSED' })
await assert.rejects(directory.verify(entry, 'correct horse battery staple'))
assert.equal((await directory.verify(entry, '')).outcome, 'wrong')
const [step] = (await directory.check?.(null)) ?? []
assert.equal(step?.ok, false)
await directory.close()
process.stdout.write('closed\n')
