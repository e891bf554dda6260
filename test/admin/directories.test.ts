// What an operator asks of a company's directory, and does to those who have left it.
import { describe, expect, it } from 'vitest'
import { type AdminOptions, adminOf } from '../../src/admin/admin.js'
import type { DirectoryCheck } from '../../src/directories/contract.js'
import { AuthConfigError, type AuthEvent, type DirectoriesOptions } from '../../src/index.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { rightPassword, startDirectories } from '../directory-sign-in/directory-host.js'
import { bearer, get, logIn } from '../support/client.js'
import { memoryBus } from '../support/memory-bus.js'
import { memoryDirectory } from '../support/memory-directory.js'
import { openSocket } from './running-host.js'

const by = 'cli:ada'
const asAda = { username: 'ada', password: rightPassword }
const connected: DirectoryCheck = { step: 'connect', ok: true, found: 'connected' }
const refused: DirectoryCheck = { step: 'bind', ok: false, found: 'refused', remedy: 'check bind.' }

/** An admin over a directory with ada, who is in the group chat. */
function manage(allowed?: DirectoriesOptions['allowed'], others: DirectoriesOptions['list'] = []) {
  const directory = memoryDirectory()
  directory.add({ username: 'ada', groups: ['cn=chat'], password: rightPassword })
  const rule = allowed === undefined ? {} : { allowed }
  const directories = { list: [directory, ...others], ...rule }
  return { directory, admin: adminOf({ stores: memoryStores(), directories }) }
}

describe('the check of directories', () => {
  it('has the steps of each, in their order, or of the one that is named', async () => {
    const school = memoryDirectory({ id: 'school' })
    const { directory, admin } = manage(undefined, [school])
    directory.check = async () => [connected, refused]
    school.check = async () => [connected]
    const ofCorp = [
      { directory: 'corp', ...connected },
      { directory: 'corp', ...refused },
    ]
    const ofSchool = [{ directory: 'school', ...connected }]
    expect(await admin.directories.check(null)).toEqual([...ofCorp, ...ofSchool])
    expect(await admin.directories.check(null, 'school')).toEqual(ofSchool)
    await expect(admin.directories.check(null, 'none')).rejects.toMatchObject({
      code: 'invalid-request',
      details: { issues: [{ path: 'directory', message: expect.any(String) }] },
    })
  })

  it('hands the name on, and ends with what the rule says of the entry', async () => {
    const { directory, admin } = manage(({ groups }) => groups.includes('cn=chat') || 'Not you.')
    const asked: unknown[] = []
    directory.check = async (name) => {
      asked.push(name)
      return [connected]
    }
    const last = async () => (await admin.directories.check('ada')).at(-1)
    expect(await last()).toEqual({ directory: 'corp', step: 'ask allowed', ok: true, found: 'yes' })
    directory.setGroups('ada', [])
    expect(await last()).toMatchObject({ ok: false, found: 'Not you.', remedy: expect.any(String) })
    expect(asked).toEqual(['ada', 'ada'])
  })

  it.each([
    ['no rule', undefined, { ok: true, found: 'yes' }],
    ['one that answers false', (): boolean => false, { ok: false, found: 'no' }],
    ['one that answers nothing', () => undefined as never, { ok: false, found: 'no' }],
    [
      'one that fails',
      () => Promise.reject(new Error('mar-secret')),
      { ok: false, found: 'directories.allowed failed' },
    ],
  ] as const)('with %s says so', async (_which, allowed, step) => {
    const { admin } = manage(allowed)
    const steps = await admin.directories.check('ada')
    expect(steps).toMatchObject([{ step: 'check', ok: true }, step])
    expect(JSON.stringify(steps)).not.toContain('mar-secret')
  })

  it('is a fault for somebody who is disabled, whatever the rule says', async () => {
    const { directory, admin } = manage(() => true)
    directory.disable('ada')
    const last = (await admin.directories.check('ada')).at(-1)
    expect(last).toMatchObject({ ok: false, found: 'disabled', remedy: expect.any(String) })
  })

  it('asks no rule after a fault, nor of nobody, of two, or in an outage', async () => {
    let asked = 0
    const { directory, admin } = manage((): boolean => {
      asked += 1
      return true
    })
    const check = directory.check
    directory.check = async () => [refused]
    expect(await admin.directories.check('ada')).toMatchObject([{ step: 'bind' }])
    Object.assign(directory, { check })
    const last = async (name: string) => (await admin.directories.check(name)).at(-1)
    expect(await last('nobody')).toMatchObject({ ok: false, found: 'entries: 0' })
    directory.add({ username: 'ada', subject: 'another' })
    expect(await last('ada')).toMatchObject({ ok: false, found: 'entries: 2' })
    directory.down(true)
    expect(await last('ada')).toMatchObject({ ok: false, found: 'directories.corp.find failed' })
    expect(asked).toBe(0)
  })
})

/** A running server, and an admin beside it with the same stores, bus and directories. */
async function startBeside(others: DirectoriesOptions['list'] = []) {
  const [stores, bus] = [memoryStores(), memoryBus()]
  const host = await startDirectories({
    directories: { watchInterval: false },
    options: { ...stores, bus },
  })
  const events: AuthEvent[] = []
  const directories = { list: [host.directory, ...others] }
  const onEvent: NonNullable<AdminOptions['onEvent']> = (event) => void events.push(event)
  const admin = adminOf({ stores, bus, directories, onEvent })
  return { host, admin, events }
}

describe('the look of a terminal', () => {
  it('signs out who has left at once, and says who has looked', async () => {
    const managed = await startBeside()
    const { host, admin, events } = managed
    const { authToken } = await logIn(host, asAda)
    const { closed } = await openSocket(managed, authToken)
    const stays = { directory: 'corp', people: 1, left: 0 }
    expect(await admin.directories.look({ by })).toEqual([stays])
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
    host.directory.disable('ada')
    expect(await admin.directories.look({ by })).toEqual([{ ...stays, left: 1 }])
    expect(await closed).toBe(4401)
    expect((await get(host, '/me', bearer(authToken))).status).toBe(401)
    expect(await admin.directories.look({ by })).toEqual([stays])
    await admin.close()
    expect(events).toMatchObject([
      { type: 'session.ended', reason: 'directory-left', userId: 'u-ada', actor: by },
      { type: 'directory.left', reason: 'disabled', userId: 'u-ada', sessions: 1, actor: by },
    ])
  })

  it('ends nobody in an outage, and looks at the other directories all the same', async () => {
    const { host, admin, events } = await startBeside([memoryDirectory({ id: 'school' })])
    const { authToken } = await logIn(host, asAda)
    host.directory.down(true)
    expect(await admin.directories.look({ by })).toEqual([
      { directory: 'corp', people: null, left: null },
      { directory: 'school', people: 0, left: 0 },
    ])
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
    await admin.close()
    expect(events).toMatchObject([
      { type: 'host.failed', operation: 'directories.corp.look' },
      { type: 'directory.not-looked', directory: 'corp', actor: by },
    ])
  })
})

describe('what is missing', () => {
  const { sessions } = memoryStores()
  const directories = { list: [memoryDirectory()] }

  it.each([
    ['directories', adminOf({ stores: memoryStores() })],
    ['stores.identities', adminOf({ stores: { sessions }, directories })],
  ])('%s is named, with a remedy', async (option, admin) => {
    for (const call of [() => admin.directories.check(null), () => admin.directories.look()]) {
      const error = await call().catch((caught: unknown) => caught)
      expect(error).toBeInstanceOf(AuthConfigError)
      expect(error).toMatchObject({ option, remedy: expect.stringContaining('servers') })
    }
  })

  it('is found in the option as by the router', () => {
    const options = { stores: memoryStores(), directories: { list: [] } }
    expect(() => adminOf(options)).toThrow('directories.list')
  })
})
