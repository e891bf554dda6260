import { describe, expect, it } from 'vitest'
import { type LdapDirectoryOptions, ldapDirectory } from '../../src/directories/directories.js'
import { checkLdapOptions } from '../../src/directories/ldap-options.js'
import { AuthConfigError } from '../../src/index.js'
import { loadedBy } from '../support/loaded-files.js'

const good: LdapDirectoryOptions = {
  id: 'corp',
  name: 'Example Ltd',
  urls: ['ldaps://dc1.example.com'],
  bind: { dn: 'cn=chat,dc=example,dc=com', password: 'for the service' },
  base: 'ou=people,dc=example,dc=com',
}
const active = { kind: 'active-directory' as const }

const refused: readonly (readonly [option: string, change: object])[] = [
  ['id', { id: 'My directory' }],
  ['id', { id: undefined }],
  ['name', { name: 'x'.repeat(41) }],
  ['name', { name: 'two\nlines' }],
  ['urls', { urls: [] }],
  ['urls', { urls: 'ldaps://dc1.example.com' }],
  ['urls', { urls: ['https://dc1.example.com'] }],
  ['urls', { urls: ['ldaps://dc1.example.com/dc=example'] }],
  ['urls', { urls: ['ldaps://user:secret@dc1.example.com'] }],
  ['urls', { urls: Array(9).fill('ldaps://dc1.example.com') }],
  ['urls[0]', { urls: ['ldap://dc1.example.com'] }],
  ['urls[1]', { urls: ['ldap://127.0.0.1', 'ldap://127.0.0.1.example.com'] }],
  ['startTls', { startTls: true }],
  ['startTls', { startTls: 'true' }],
  ['bind.dn', { bind: { dn: '', password: 'x' } }],
  ['bind.password', { bind: { ...good.bind, password: '' } }],
  ['bind.password', { bind: { ...good.bind, password: ' ' } }],
  ['bind.password', { bind: { dn: good.bind.dn } }],
  ['base', { base: 'people' }],
  ['base', { base: '' }],
  ['kind', { kind: 'freeipa' }],
  ['login', { login: [] }],
  ['login', { login: ['uid)(x=*'] }],
  ['subject', { subject: 'entry uuid' }],
  ['filter', { filter: 'objectClass=person' }],
  ['filter', { filter: '(objectClass=person' }],
  ['filter', { filter: '(a=b)(c=d)' }],
  ['filter', { filter: '(cn=M\\c3\\bcller)' }],
  ['filter', { filter: '(cn=a\\,b)' }],
  ['groups.attribute', { ...active, groups: { attribute: 'memberOf' } }],
  ['groups.nested', { groups: { nested: true } }],
  ['groups.nesting', { groups: { nesting: true } }],
  ['tls.ca', { tls: { ca: '/etc/ssl/ca.pem' } }],
  ['tls.rejectUnauthorized', { tls: { rejectUnauthorized: false } }],
  ['timeout', { timeout: 0 }],
  ['timeout', { timeout: 5000 }],
  ['pageSize', { pageSize: 5 }],
  ['changePasswordUrl', { changePasswordUrl: 'http://password.example.com' }],
  ['urll', { urll: [] }],
]

describe('the options of a directory', () => {
  it.each(refused)('refuse %s, %j', (option, change) => {
    const given = { ...good, ...change } as LdapDirectoryOptions
    const fault: unknown = (() => {
      try {
        return ldapDirectory(given)
      } catch (error) {
        return error
      }
    })()
    expect(fault).toBeInstanceOf(AuthConfigError)
    expect((fault as AuthConfigError).option).toBe(`ldapDirectory.${option}`)
    expect((fault as AuthConfigError).remedy).not.toBe('')
    expect(String(fault)).not.toContain('for the service')
  })

  it('have defaults of each kind', () => {
    expect(checkLdapOptions(good)).toMatchObject({
      login: ['uid', 'mail'],
      subject: 'entryUUID',
      username: 'uid',
      groups: { base: undefined, attribute: 'memberOf', nested: false },
      timeout: 5000,
      pageSize: 500,
    })
    expect(checkLdapOptions({ ...good, ...active })).toMatchObject({
      login: ['sAMAccountName', 'userPrincipalName', 'mail'],
      subject: 'objectGUID',
      filter: '(&(objectCategory=person)(objectClass=user))',
      groups: { base: 'dc=example,dc=com', attribute: 'memberOf', nested: true },
    })
    expect(checkLdapOptions({ ...good, groups: { base: 'ou=g,dc=example' } }).groups).toEqual({
      base: 'ou=g,dc=example',
      attribute: 'member',
      nested: false,
    })
  })

  it('allow plain LDAP to this machine, and with StartTLS', () => {
    for (const url of ['ldap://127.0.0.1:3389', 'ldap://localhost', 'ldap://[::1]'])
      expect(ldapDirectory({ ...good, urls: [url] }).id).toBe('corp')
    const urls = ['ldap://dc1.example.com']
    expect(ldapDirectory({ ...good, urls, startTls: true }).name).toBe('Example Ltd')
  })

  it('load nothing of the library', () => {
    const own = (files: readonly string[]) => files.filter((file) => file.includes('ldapts'))
    const router = 'messaging-auth-router'
    expect(own(loadedBy(router, `${router}/directories`))).toEqual([])
    expect(own(loadedBy('ldapts')), 'it would be seen').not.toEqual([])
  })
})
