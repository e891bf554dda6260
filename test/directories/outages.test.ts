// Which server is asked, on which connection, and for how long.
import { execFile } from 'node:child_process'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createLdapDirectory } from '../../src/directories/ldap-directory.js'
import { checkLdapOptions } from '../../src/directories/ldap-options.js'
import {
  type Answering,
  attribute,
  bound,
  entry,
  type LdapServer,
  searched,
  startLdapServer,
} from './support/ldap-server.js'

const service = { dn: 'cn=chat,dc=example,dc=com', password: 'for the service' }
const base = 'ou=people,dc=example,dc=com'
const dn = `uid=ada,${base}`
const adas = [attribute('entryUUID', ['of-ada']), attribute('uid', ['ada'])]
const ada = { subject: 'of-ada', dn, username: 'ada', groups: [], disabled: false }

const good: Answering = (asked, socket) => {
  if (asked.kind === 'bind') socket.write(bound(asked.id))
  else socket.write(Buffer.concat([entry(asked.id, dn, adas), searched(asked.id)]))
}
const silent: Answering = () => {}

function open(servers: readonly LdapServer[], timeout = 60_000, now?: () => number) {
  const options = checkLdapOptions({
    id: 'corp',
    name: 'Example Ltd',
    urls: servers.map(({ url }) => url),
    bind: service,
    base,
  })
  const directory = createLdapDirectory({ ...options, timeout }, now)
  onTestFinished(() => directory.close())
  return directory
}

const start = (...answers: readonly Answering[]) =>
  Promise.all(answers.map((answering) => startLdapServer(answering)))

describe('the servers of a directory', () => {
  it('are asked on one connection, which is kept', async () => {
    const [server] = await start(good)
    const directory = open([server as LdapServer])
    for (let times = 0; times < 5; times += 1) expect(await directory.find('ada')).toEqual([ada])
    expect(await directory.look(['of-ada'])).toEqual([ada])
    expect(server?.made()).toBe(1)
    expect(server?.asked.filter(({ kind }) => kind === 'bind')).toHaveLength(1)
  })

  it('are asked on four connections at most', async () => {
    const [server] = await start(good)
    const directory = open([server as LdapServer])
    const found = await Promise.all(Array.from({ length: 40 }, () => directory.find('ada')))
    expect(found.every(([one]) => one?.username === 'ada')).toBe(true)
    expect(server?.made()).toBeLessThanOrEqual(4)
  })

  it.each(['resets', 'ends', 'hangs', 'lies'])(
    'are asked on another connection after one that %s',
    async (how) => {
      const [server] = await start(good)
      const directory = open([server as LdapServer], how === 'hangs' ? 2000 : 60_000)
      await directory.find('ada')
      server?.answer((asked, socket) => {
        if (asked.connection !== 0) good(asked, socket)
        else if (how === 'resets') socket.resetAndDestroy()
        else if (how === 'ends') socket.end()
        else if (how === 'lies') socket.write(searched(asked.id + 7))
      })
      expect(await directory.find('ada')).toEqual([ada])
      expect(await directory.find('ada')).toEqual([ada])
      expect(server?.made()).toBe(2)
    },
  )

  it('are asked in order, and the first one again a minute after its outage', async () => {
    const [first, second] = (await start(good, good)) as [LdapServer, LdapServer]
    let now = 0
    const directory = open([first, second], 60_000, () => now)
    await directory.find('ada')
    expect([first.made(), second.made()]).toEqual([1, 0])
    await first.stop()
    expect(await directory.find('ada')).toEqual([ada])
    expect(await directory.verify(ada, 'hers')).toEqual({ outcome: 'right' })
    expect(second.made()).toBe(2)
    const again = await startLdapServer(good, first.port)
    now += 59_000
    await directory.find('ada')
    expect([again.made(), second.made()]).toEqual([0, 2])
    now += 2000
    await directory.find('ada')
    await directory.verify(ada, 'hers')
    expect([again.made(), second.made()]).toEqual([2, 2])
  })

  it('are all asked before it is an outage, and the answer may come late', async () => {
    const refusing: Answering = (asked, socket) => socket.write(bound(asked.id, 52))
    const servers = (await start(refusing, refusing, good)) as LdapServer[]
    expect(await open(servers).find('ada')).toEqual([ada])
    expect(servers.map((server) => server.made())).toEqual([1, 1, 1])
    for (const server of servers) server.answer(refusing)
    await expect(open(servers).find('ada')).rejects.toThrow(/result 52/)
  })

  it('are handed a password once, whatever became of it', async () => {
    const [first, second] = (await start(silent, good)) as [LdapServer, LdapServer]
    const directory = open([first, second], 2000)
    await expect(directory.verify(ada, 'hers')).rejects.toThrow()
    expect(first.asked).toHaveLength(1)
    expect(second.asked).toEqual([])
    expect(await directory.verify(ada, 'hers')).toEqual({ outcome: 'right' })
    expect(first.asked).toHaveLength(1)
  })

  it('are not asked after close', async () => {
    const [server] = (await start(good)) as [LdapServer]
    const directory = open([server])
    await directory.find('ada')
    await directory.close()
    await expect.poll(() => server.open()).toBe(0)
    expect(server.asked.at(-1)?.kind).toBe('unbind')
    await expect(directory.find('ada')).rejects.toThrow(/closed/)
    await expect(directory.verify(ada, 'hers')).rejects.toThrow(/closed/)
    expect(server.made()).toBe(1)
  })

  it('do not keep the process alive', async () => {
    const [server] = (await start(good)) as [LdapServer]
    const given = { id: 'corp', name: 'Example', urls: [server.url], bind: service, base }
    const code = `import { ldapDirectory } from './dist/directories.js'
      const [entry] = await ldapDirectory(${JSON.stringify(given)}).find('ada')
      console.log(entry.subject)`
    const run = promisify(execFile)
    const args = ['--input-type=module', '--eval', code]
    expect((await run(process.execPath, args)).stdout).toBe('of-ada\n')
  })
})

describe('the time of a call', () => {
  afterEach(() => void vi.useRealTimers())

  /** Moves the clock, and lets sockets be heard in between. */
  async function pass(milliseconds: number): Promise<void> {
    for (let at = 0; at < milliseconds; at += 100) {
      for (let turns = 0; turns < 20; turns += 1) await setImmediate()
      vi.advanceTimersByTime(100)
    }
    for (let turns = 0; turns < 20; turns += 1) await setImmediate()
  }

  it.each(['find', 'verify', 'look'] as const)(
    'of %s is twice the timeout at most',
    async (how) => {
      const servers = (await start(silent, silent, silent)) as LdapServer[]
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
      const directory = open(servers, 5000)
      const calls = {
        find: () => directory.find('ada'),
        verify: () => directory.verify(ada, 'hers'),
        look: () => directory.look(['of-ada']),
      }
      let ended = 0
      // More than are served at once: those that wait have no more time.
      const count = 40
      for (let at = 0; at < count; at += 1)
        calls[how]().catch(() => {
          ended += 1
        })
      await pass(1000)
      expect(ended).toBe(0)
      await pass(9100)
      expect(ended).toBe(count)
    },
  )

  it('is shared, so that the last server gets its turn', async () => {
    const servers = (await start(silent, silent, good)) as LdapServer[]
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const found = open(servers, 5000).find('ada')
    await pass(8000)
    expect(await found).toEqual([ada])
  })
})
