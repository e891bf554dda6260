import { randomUUID } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  type Directory,
  type LdapDirectoryOptions,
  ldapDirectory,
} from '../../src/directories/directories.js'
import { type ActiveDirectory, domain, startActiveDirectory } from './support/active-directory.js'

async function start(change: Partial<LdapDirectoryOptions> = {}) {
  const active = await startActiveDirectory()
  const directory = ldapDirectory({ ...active.options, ...change })
  onTestFinished(() => directory.close())
  return { active, directory }
}

const inGroups = (name: string) => `cn=${name},ou=groups,dc=corp,dc=example`

async function one(directory: Directory, name: string) {
  const [entry, ...others] = await directory.find(name)
  if (entry === undefined || others.length > 0) throw new Error(`not one ${name}`)
  return entry
}

describe('a directory of Active Directory', () => {
  // MS-DTYP §2.3.4.3: the same GUID as text, and as bytes.
  const guid = Buffer.from('d1d2d3d4e1e2f1f2a1a2a3a4a5a6a7a8', 'hex')
  const printed = 'd4d3d2d1-e2e1-f2f1-a1a2-a3a4a5a6a7a8'

  it('prints a GUID as Microsoft does, and finds the entry by that again', async () => {
    const { active, directory } = await start()
    active.person('ada', { objectGUID: [guid] })
    active.person('bo')
    const entry = await one(directory, 'ada')
    expect(entry).toEqual({
      subject: printed,
      dn: `CN=ada,OU=People,${domain}`,
      username: 'ada',
      displayName: 'Name of ada',
      email: 'ada@mail.example',
      groups: [],
      disabled: false,
    })
    expect(await directory.look([printed])).toEqual([entry])
    expect(await directory.look([printed.toUpperCase(), 'no GUID', guid.toString('hex')])).toEqual(
      [],
    )
  })

  it('finds by three names, and takes no group for a person', async () => {
    const { active, directory } = await start()
    active.person('ada')
    active.group('ada')
    for (const name of ['ada', 'ADA', 'ada@corp.example', 'ada@mail.example'])
      expect((await one(directory, name)).username).toBe('ada')
    for (const name of ['a*', '*', 'ada)(mail=*', '\\2a', ' ', '', 'ada\0', 'x'.repeat(300)])
      expect(await directory.find(name)).toEqual([])
  })

  const sub = [
    ['525', { outcome: 'wrong', reason: 'wrong-password' }],
    ['52e', { outcome: 'wrong', reason: 'wrong-password' }],
    ['530', { outcome: 'wrong', reason: 'outside-hours' }],
    ['531', { outcome: 'wrong', reason: 'outside-hours' }],
    ['532', { outcome: 'must-change' }],
    ['533', { outcome: 'wrong', reason: 'disabled' }],
    ['701', { outcome: 'wrong', reason: 'expired-account' }],
    ['773', { outcome: 'must-change' }],
    ['775', { outcome: 'wrong', reason: 'locked' }],
    ['999', { outcome: 'wrong', reason: 'wrong-password' }],
  ] as const
  it.each(sub)('reads the sub-code %s', async (subCode, verdict) => {
    const { active, directory } = await start()
    active.person('ada', {}, subCode)
    const entry = await one(directory, 'ada')
    expect(await directory.verify(entry, 'password of ada')).toEqual(verdict)
    expect(await directory.verify(entry, 'password of bo')).toEqual({
      outcome: 'wrong',
      reason: 'wrong-password',
    })
  })

  it('knows who is disabled, and whose account is over', async () => {
    const { active, directory } = await start()
    const filetime = (date: string) => [String((Date.parse(date) + 11_644_473_600_000) * 10_000)]
    active.person('disabled', { userAccountControl: ['514'] })
    active.person('over', { accountExpires: filetime('2020-01-01') })
    active.person('later', { accountExpires: filetime('2999-01-01') })
    active.person('never', { accountExpires: ['0'] })
    const names = ['disabled', 'over', 'later', 'never']
    const entries = await Promise.all(names.map((name) => one(directory, name)))
    expect(entries.map(({ disabled }) => disabled)).toEqual([true, true, false, false])
    const verdict = await directory.verify(entries[0] ?? null, 'password of disabled')
    expect(verdict).toEqual({ outcome: 'wrong', reason: 'disabled' })
  })

  const nested = async (change: Partial<LdapDirectoryOptions> = {}) => {
    const started = await start(change)
    const { active } = started
    const dn = (name: string) => `CN=${name},OU=Groups,${domain}`
    active.group('chat', [dn('everybody')])
    active.group('everybody', [dn('top')])
    active.group('top', [dn('chat')])
    active.group('others')
    active.person('ada', { memberOf: [dn('chat')] })
    active.person('bo')
    return started
  }
  const all = ['chat', 'everybody', 'top'].map(inGroups)

  it('finds groups of groups, which may contain each other', async () => {
    const { active, directory } = await nested()
    const ada = await one(directory, 'ada')
    const bo = await one(directory, 'bo')
    expect(new Set(ada.groups)).toEqual(new Set(all))
    expect(bo.groups).toEqual([])
    expect(active.searches()).toHaveLength(4)
    const seen = await directory.look([ada.subject, bo.subject])
    expect(new Set(seen[0]?.groups)).toEqual(new Set(all))
    expect(seen[1]).toEqual(bo)
  })

  it('leaves groups of groups out, if told so', async () => {
    const { active, directory } = await nested({ groups: { nested: false } })
    const ada = await one(directory, 'ada')
    expect(ada.groups).toEqual([inGroups('chat')])
    expect(await directory.look([ada.subject])).toEqual([ada])
    expect(active.searches()).toHaveLength(2)
  })

  it('looks at 10,000 people with 25 searches at most', async () => {
    const { active, directory } = await start({ timeout: 60 })
    const group = active.group('chat', [`CN=top,OU=Groups,${domain}`])
    const subjects = Array.from({ length: 10_000 }, () => randomUUID() as string)
    for (const [at, subject] of subjects.entries())
      active.person(`p${at}`, { memberOf: [group.dn], objectGUID: [asStored(subject)] })
    let seen = 0
    for (let at = 0; at < subjects.length; at += 500) {
      const found = await directory.look(subjects.slice(at, at + 500))
      seen += found.filter(({ groups }) => groups.includes(inGroups('top'))).length
    }
    expect(seen).toBe(10_000)
    expect(active.asked.filter(({ kind }) => kind === 'search').length).toBeLessThanOrEqual(25)
    expect(active.made()).toBe(1)
  })

  it('turns pages until the last', async () => {
    const { active, directory } = await start({ pageSize: 10 })
    const subjects = []
    for (let at = 0; at < 35; at += 1) {
      active.person(`p${at}`)
      subjects.push((await one(directory, `p${at}`)).subject)
    }
    const before = active.asked.length
    expect(await directory.look(subjects)).toHaveLength(35)
    expect(active.asked.slice(before).filter(({ page }) => page !== undefined)).toHaveLength(5)
  })

  it('binds a user on a connection of its own, as nobody before, and closes it', async () => {
    const { active, directory } = await start()
    active.person('ada')
    const entry = await one(directory, 'ada')
    await directory.verify(entry, 'password of ada')
    await directory.find('ada')
    await directory.verify(null, 'password of ada')
    const binds = active.asked.filter(({ kind }) => kind === 'bind')
    const by = (at: number) => active.asked.filter(({ connection }) => connection === at)
    expect(binds).toHaveLength(3)
    expect(by(0).every(({ kind, dn }) => kind === 'search' || dn.startsWith('CN=chat'))).toBe(true)
    expect(by(1).map(({ kind, dn }) => [kind, dn])).toEqual([
      ['bind', entry.dn],
      ['unbind', ''],
    ])
    expect(by(2)[0]?.dn).toMatch(/^cn=[\da-f]{32},OU=People,DC=corp,DC=example$/)
    await expect.poll(() => active.open()).toBe(1)
    expect(active.searches().every(({ attributes }) => attributes.length > 0)).toBe(true)
  })

  const forbidden: readonly string[] = ['', ' ', '\t\n ', '\0', 'pass\0word', 'x'.repeat(1025)]
  it.each(forbidden)('never sends the password %.12j', async (password) => {
    const { active, directory } = await start()
    active.person('ada')
    const entry = await one(directory, 'ada')
    const before = active.asked.length
    for (const of of [entry, null, { ...entry, dn: '' }])
      expect(await directory.verify(of, of?.dn === '' ? 'password of ada' : password)).toEqual({
        outcome: 'wrong',
        reason: 'wrong-password',
      })
    expect(nothing(active, before)).toBe(true)
  })

  it('tells an operator who is disabled, locked, or must change the password', async () => {
    const { active, directory } = await start()
    active.person('off', { userAccountControl: ['514'] })
    active.person('held', { lockoutTime: ['133000000000000000'] })
    active.person('free', { lockoutTime: ['0'], pwdLastSet: ['133000000000000000'] })
    active.person('anew', { pwdLastSet: ['0'] })
    const last = async (name: string) => (await directory.check?.(name))?.at(-1)
    const step = 'read the locks'
    expect(await last('off')).toMatchObject({ step, ok: false, found: 'disabled, or expired' })
    expect(await last('held')).toEqual({ step, ok: true, found: 'locked, perhaps for a while' })
    expect(await last('free')).toEqual({ step, ok: true, found: 'none' })
    expect(await last('anew')).toMatchObject({ found: 'the password must be changed first' })
  })
})

/** The bytes of a GUID that is printed so. */
function asStored(printed: string): Buffer {
  const turned = (text: string) => (text.match(/../g) ?? []).reverse().join('')
  const [one = '', two = '', three = '', ...rest] = printed.split('-')
  return Buffer.from([...[one, two, three].map(turned), ...rest].join(''), 'hex')
}

const nothing = (active: ActiveDirectory, from: number) => active.asked.length === from
