import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type LdapDirectoryOptions, ldapDirectory } from '../../src/directories/directories.js'
import { ldapUrl } from '../support/services.js'
import { authority, openPlace, type Place, tlsUrl } from './support/slapd.js'

describe.skipIf(ldapUrl === null)('a directory of OpenLDAP', () => {
  let place: Place
  beforeAll(async () => {
    place = await openPlace()
  })
  afterAll(() => place.close())

  const open = (change: Partial<LdapDirectoryOptions> = {}) => {
    const directory = ldapDirectory({ ...place.options, ...change })
    onTestFinished(() => directory.close())
    return directory
  }
  const one = async (directory: ReturnType<typeof open>, name: string) => {
    const [entry, ...others] = await directory.find(name)
    if (entry === undefined || others.length > 0) throw new Error(`not one ${name}`)
    return entry
  }

  it('finds somebody by uid and by address, with what the entry says', async () => {
    const dn = await place.person('ada', { displayName: 'Ada' })
    const directory = open()
    const entry = await one(directory, 'ADA')
    expect(entry).toEqual({
      subject: expect.stringMatching(/^[\da-f-]{36}$/),
      dn,
      username: 'ada',
      displayName: 'Name of ada',
      email: 'ada@mail.example',
      groups: [],
      disabled: false,
    })
    expect(await directory.find('ada@mail.example')).toEqual([entry])
    expect(await directory.look([entry.subject, 'nobody', entry.subject])).toEqual([entry])
    expect(await open({ displayName: 'displayName' }).find('ada')).toEqual([
      { ...entry, displayName: 'Ada' },
    ])
  })

  it('takes the right password, and no other', async () => {
    await place.person('bo')
    const directory = open()
    const entry = await one(directory, 'bo')
    expect(await directory.verify(entry, 'password of bo')).toEqual({ outcome: 'right' })
    const wrong = { outcome: 'wrong', reason: 'wrong-password' }
    for (const password of ['', ' ', 'password of bo\0', 'x'.repeat(1025), 'Password of bo'])
      expect(await directory.verify(entry, password)).toEqual(wrong)
    expect(await directory.verify(null, 'password of bo')).toEqual(wrong)
  })

  it('speaks TLS to those whom the authority vouches for', async () => {
    await place.person('cy')
    const tls = { ca: authority() }
    const [, port] = /:(\d+)$/.exec(ldapUrl ?? '') ?? []
    for (const change of [
      { urls: [tlsUrl()], tls },
      { urls: [`ldap://localhost:${port}`], startTls: true, tls },
    ]) {
      const directory = open(change)
      const entry = await one(directory, 'cy')
      expect(await directory.verify(entry, 'password of cy')).toEqual({ outcome: 'right' })
      expect(await directory.verify(entry, 'password of bo')).toMatchObject({ outcome: 'wrong' })
    }
    for (const change of [
      { urls: [tlsUrl()] },
      { urls: [tlsUrl()], tls: { ...tls, servername: 'dc1.example.com' } },
      { urls: [ldapUrl ?? ''], startTls: true },
    ])
      await expect(open(change).find('cy')).rejects.toThrow(/certificate|altnames/)
  })
})
