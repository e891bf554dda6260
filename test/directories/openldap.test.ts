import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type LdapDirectoryOptions, ldapDirectory } from '../../src/directories/directories.js'
import { type DirectoryHarness, directoryContract } from '../../src/testing/testing.js'
import { startProxy } from '../support/proxy.js'
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

  it('is no longer found beyond base, or filter, or when it is gone', async () => {
    const filter = '(&(objectClass=inetOrgPerson)(!(employeeType=former)))'
    const directory = open({ filter })
    const names = ['stays', 'moves', 'leaves', 'changes']
    for (const name of names) await place.person(name)
    const entries = await Promise.all(names.map((name) => one(directory, name)))
    const subjects = entries.map(({ subject }) => subject)
    const seen = async () => (await directory.look(subjects)).map(({ username }) => username)
    expect((await seen()).sort()).toEqual([...names].sort())
    await place.move(`uid=moves,${place.people}`, `uid=moves,${place.groups}`)
    await place.remove(`uid=leaves,${place.people}`)
    await place.set(`uid=changes,${place.people}`, { employeeType: 'former' })
    expect(await seen()).toEqual(['stays'])
    for (const name of ['moves', 'leaves', 'changes'])
      expect(await directory.find(name)).toEqual([])
    await expect(open({ base: `ou=none,${place.people}` }).look(subjects)).rejects.toThrow(
      'result 32',
    )
  })

  it('keeps its subject, whatever its names become', async () => {
    const dn = await place.person('dee')
    const directory = open()
    const before = await one(directory, 'dee')
    await place.move(dn, `uid=dora,${place.people}`)
    const [after] = await directory.look([before.subject])
    expect(after).toMatchObject({ subject: before.subject, username: 'dora' })
    expect(await directory.verify(after ?? null, 'password of dee')).toEqual({ outcome: 'right' })
  })

  it('uses a DN as it came', async () => {
    const odd = 'O\\2c \\22Q\\22 \\+ \\3cx\\3e #\u00e9'
    const dn = `cn=${odd},${place.people}`
    await place.entry(dn, {
      objectClass: ['inetOrgPerson'],
      uid: 'odd',
      sn: 'odd',
      mail: 'o(d)d*@mail.example',
      userPassword: 'password of odd',
    })
    const directory = open()
    const entry = await one(directory, 'o(d)d*@mail.example')
    expect(await directory.verify(entry, 'password of odd')).toEqual({ outcome: 'right' })
    const inGroup = await place.group('odd', [entry.dn])
    const found = await one(open({ groups: { base: place.groups } }), 'odd')
    expect(found.groups).toEqual([inGroup])
  })

  describe('with groups', () => {
    let ada: string
    beforeAll(async () => {
      ada = await place.person('grouped')
      const inner = await place.group('Inner', [ada])
      const outer = await place.group('Outer', [inner, await place.person('other')])
      await place.group('Ring', [outer, `cn=Ring,${place.groups}`])
      await place.entry(`cn=Unique,${place.groups}`, {
        objectClass: 'groupOfUniqueNames',
        uniqueMember: ada,
      })
      await place.entry(`cn=Posix,${place.groups}`, {
        objectClass: 'posixGroup',
        gidNumber: '7',
        memberUid: ['grouped', 'somebody'],
      })
    })

    const cases = [
      [undefined, ['inner']],
      [{ base: 'here' }, ['inner']],
      [{ base: 'here', nested: true }, ['inner', 'outer', 'ring']],
      [{ base: 'here', attribute: 'uniqueMember' }, ['unique']],
      [{ base: 'here', attribute: 'memberUid' }, ['posix']],
    ] as const
    it.each(cases)('finds them by %j', async (groups, names) => {
      const directory = open(
        groups === undefined ? {} : { groups: { ...groups, ...{ base: place.groups } } },
      )
      const entry = await one(directory, 'grouped')
      expect([...entry.groups].sort()).toEqual(
        names.map((name) => `cn=${name},${place.groups}`.toLowerCase()),
      )
      const [seen] = await directory.look([entry.subject])
      expect([...(seen?.groups ?? [])].sort()).toEqual([...entry.groups].sort())
    })
  })

  describe('with a password policy', () => {
    const policy = (name: string, values: Readonly<Record<string, string>>) =>
      place.entry(`cn=${name},${place.groups}`, {
        objectClass: ['organizationalRole', 'pwdPolicy'],
        pwdAttribute: 'userPassword',
        ...values,
      })
    const verdictOf = async (uid: string, password = `password of ${uid}`) => {
      const directory = open()
      return directory.verify(await one(directory, uid), password)
    }

    it('knows who is locked, for a while or for ever', async () => {
      const lockout = await policy('lockout', { pwdLockout: 'TRUE', pwdMaxFailure: '2' })
      const dn = await place.person('locked', { pwdPolicySubentry: lockout })
      for (let times = 0; times < 2; times += 1) await verdictOf('locked', 'a guess')
      expect(await verdictOf('locked')).toEqual({ outcome: 'wrong', reason: 'locked' })
      expect((await one(open(), 'locked')).disabled).toBe(false)
      await place.set(dn, { pwdAccountLockedTime: '000001010000Z' })
      expect((await one(open(), 'locked')).disabled).toBe(true)
      expect(await verdictOf('locked')).toEqual({ outcome: 'wrong', reason: 'disabled' })
    })

    it('knows whose password must be changed', async () => {
      const reset = await policy('reset', { pwdMustChange: 'TRUE' })
      const dn = await place.person('reset', { pwdPolicySubentry: reset })
      await place.set(dn, { pwdReset: 'TRUE' })
      expect(await verdictOf('reset')).toEqual({ outcome: 'must-change' })
      expect(await verdictOf('reset', 'a guess')).toMatchObject({ reason: 'wrong-password' })
      const old = await policy('old', { pwdMaxAge: '1' })
      await place.person('old', { pwdPolicySubentry: old })
      await expect.poll(() => verdictOf('old')).toEqual({ outcome: 'must-change' })
      expect(await verdictOf('old', 'a guess')).toMatchObject({ reason: 'wrong-password' })
    })
  })

  it('tells an operator of a lock with a date, and of a password that was reset', async () => {
    const lockedAt = '20261101120000Z'
    await place.person('held', { pwdAccountLockedTime: lockedAt })
    await place.set(await place.person('anew'), { pwdReset: 'TRUE' })
    const last = async (name: string) => (await open().check?.(name))?.at(-1)
    const found = `locked since ${lockedAt}, perhaps for a while`
    expect(await last('held')).toEqual({ step: 'read the locks', ok: true, found })
    expect(await last('anew')).toMatchObject({ found: 'the password must be changed first' })
  })

  it('finds two where two have the name, and that is enough', async () => {
    for (const uid of ['twin1', 'twin2', 'twin3'])
      await place.person(uid, { mail: 'twins@mail.example' })
    expect(await open().find('twins@mail.example')).toHaveLength(2)
  })

  it('tells what holds, and the first fault with its remedy', async () => {
    await place.person('eve')
    await place.person('iris', { pwdAccountLockedTime: '000001010000Z' })
    const tls = { ca: authority() }
    const told = (change: Partial<LdapDirectoryOptions>, name: string | null = 'eve') =>
      open(change).check?.(name)
    const good = await told({ urls: [tlsUrl()], tls })
    expect(good?.every(({ ok }) => ok)).toBe(true)
    expect(good?.map(({ step }) => step.split(' ')[0])).toEqual([
      'connect',
      'check',
      'bind',
      'read',
      'find',
      'read',
      'read',
    ])
    expect(good?.at(-1)).toEqual({ step: 'read the locks', ok: true, found: 'none' })
    expect(good?.[1]?.found).toMatch(/^issued by Authority of the tests, good for \d+ days$/)
    const faults = [
      [{ urls: [tlsUrl()] }, 'eve', /connect/, /tls\.ca/],
      [{ urls: ['ldap://127.0.0.1:1'] }, 'eve', /connect/, /port/],
      [{ bind: { ...place.options.bind, password: 'another' } }, 'eve', /bind/, /bind\.password/],
      [{ base: `ou=none,${place.people}` }, 'eve', /read ou=none/, /check base/],
      [{}, 'nobody', /find/, /filter/],
      [{ filter: '(uid~~x)' }, 'eve', /find/, /objectClass/],
      [{}, 'iris', /read the locks/, /enable the entry/],
    ] as const
    for (const [change, name, step, remedy] of faults) {
      const last = (await told(change, name))?.at(-1)
      expect(last).toEqual({
        step: expect.stringMatching(step),
        ok: false,
        found: expect.any(String),
        remedy: expect.stringMatching(remedy),
      })
    }
    expect((await told({}, null))?.every(({ ok }) => ok)).toBe(true)
    expect(JSON.stringify(await told({}))).not.toContain(place.options.bind.password)
  })

  describe('by the contract', () => {
    const dnOf = (username: string) => `uid=${username},${place.people}`
    const create = async (): Promise<DirectoryHarness> => {
      const proxy = await startProxy(ldapUrl ?? '')
      const directory = ldapDirectory({ ...place.options, urls: [proxy.url.replace(/\/$/, '')] })
      return {
        directory,
        add: ({ username, email, password }) =>
          place.person(username, { mail: email, userPassword: password }),
        disable: (username) => place.set(dnOf(username), { pwdAccountLockedTime: '000001010000Z' }),
        remove: (username) => place.remove(dnOf(username)),
        setPassword: (username, userPassword) => place.set(dnOf(username), { userPassword }),
        down: async (isDown) => (isDown ? proxy.cut() : proxy.mend()),
        close: () => directory.close(),
      }
    }
    for (const { name, run } of directoryContract({ create })) it(name, run)
  })
})
