// A server that is broken, or somebody's: whatever it sends is an outage, and decides nothing.
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { DirectoryEntry, LdapDirectoryOptions } from '../../src/directories/directories.js'
import { createLdapDirectory } from '../../src/directories/ldap-directory.js'
import { checkLdapOptions } from '../../src/directories/ldap-options.js'
import { id, node } from './support/ber.js'
import {
  type Answering,
  type Asked,
  attribute,
  bound,
  entry,
  message,
  reference,
  result,
  searched,
  startLdapServer,
} from './support/ldap-server.js'

const base = 'ou=people,dc=example,dc=com'
const ada: DirectoryEntry = {
  subject: 'of-ada',
  dn: `uid=ada,${base}`,
  username: 'ada',
  groups: [],
  disabled: false,
}
const service = { dn: 'cn=chat,dc=example,dc=com', password: 'for the service' }
const adas = [attribute('entryUUID', ['of-ada']), attribute('uid', ['ada'])]

/** Starts a server, and a directory that has `milliseconds` for it. */
async function start(
  answering: Answering,
  change: Partial<LdapDirectoryOptions> = {},
  milliseconds = 60_000,
) {
  const server = await startLdapServer(answering)
  const options = checkLdapOptions({
    id: 'corp',
    name: 'Example Ltd',
    urls: [server.url],
    bind: service,
    base,
    ...change,
  })
  const directory = createLdapDirectory({ ...options, timeout: milliseconds })
  onTestFinished(() => directory.close())
  return { server, directory }
}

const isService = ({ kind, dn }: Asked) => kind === 'bind' && dn === service.dn

/** Answers the service well, and anything else so. */
const served =
  (answering: (...given: Parameters<Answering>) => unknown): Answering =>
  (asked, socket) => {
    if (isService(asked)) socket.write(bound(asked.id))
    else void answering(asked, socket)
  }

const good: Answering = served((asked, socket) => {
  if (asked.kind === 'bind') socket.write(bound(asked.id, 49))
  else socket.write(Buffer.concat([entry(asked.id, ada.dn, adas), searched(asked.id)]))
})

const raw = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex')

/** What a bind, or a search, is answered with, in place of an answer. */
const nonsense: Readonly<Record<string, (of: number) => Buffer>> = {
  'a page of the web': () => Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'),
  'no length': () => raw('30 80 00 00'),
  'a length of seven bytes': () => raw('30 87 00 00 00 00 00 00 01'),
  'a length of 100 MB': () => raw('30 84 06 40 00 00'),
  'an empty message': () => raw('30 00'),
  'a message of zeros': () => raw('30 06 00 00 00 00 00 00'),
  'no operation': (of) => node(0x30, id(of)),
  'no result': (of) => message(of, node(0x61)),
  'no result of a search': (of) => message(of, node(0x65)),
  'a result without its number': (of) =>
    message(of, node(0x61, [node(0x0a), node(0x04), node(0x04)])),
  'a result that is a text': (of) =>
    message(of, node(0x61, [node(0x04, '\0'), node(0x04), node(0x04)])),
  'a result that is longer than it says': (of) => message(of, raw('61 07 0a 01 00 04 00 04 70')),
  'the answer to another number': (of) => bound(of + 1),
  'the answer to another number of a search': (of) => searched(of - 1),
  'a success of something else': (of) => result(of, 0x78, 0),
  'a success of a change': (of) => result(of, 0x67, 0),
  'the notice that it ends': () => result(0, 0x78, 52),
  'an entry without attributes': (of) => message(of, node(0x64, [node(0x04, ada.dn)])),
  'an entry that contradicts itself': (of) =>
    message(of, Buffer.concat([raw('64 0a 04 01 61 30 50'), node(0x30, raw('04 00'))])),
  'an attribute that is a text': (of) =>
    message(of, node(0x64, [node(0x04, ada.dn), node(0x30, [node(0x04, 'x')])])),
  'a value that is a list': (of) =>
    message(
      of,
      node(0x64, [
        node(0x04, ada.dn),
        node(0x30, [node(0x30, [node(0x04, 'uid'), node(0x31, [node(0x30)])])]),
      ]),
    ),
  'something after the operation': (of) =>
    node(0x30, [id(of), node(0x61, [node(0x0a, 0), node(0x04), node(0x04)]), node(0x04, 'x')]),
}

describe('a server that is hostile', () => {
  it.each(Object.entries(nonsense))('decides nothing by %s', async (_name, answer) => {
    const { directory } = await start(served((asked, socket) => socket.write(answer(asked.id))))
    await expect(directory.verify(ada, 'her password')).rejects.toThrow()
    await expect(directory.verify(null, 'a password')).rejects.toThrow()
    await expect(directory.find('ada')).rejects.toThrow()
    await expect(directory.look(['of-ada'])).rejects.toThrow()
  })

  it('is not heard where it answers before it is asked', async () => {
    const early: Answering = (asked, socket) =>
      socket.write(Buffer.concat([bound(asked.id), searched(asked.id + 1)]))
    const { directory } = await start(early)
    await expect(directory.find('ada')).rejects.toThrow(/nothing that was asked/)
  })

  it('hangs, at each step, for as long as it is given', async () => {
    const silent: Answering = () => {}
    for (const answering of [silent, served(silent)]) {
      const { directory } = await start(answering, {}, 150)
      await expect(directory.verify(ada, 'her password')).rejects.toThrow(/in time/)
      await expect(directory.find('ada')).rejects.toThrow(/in time/)
      await expect(directory.look(['of-ada'])).rejects.toThrow(/in time/)
    }
  })

  it('drips without end', async () => {
    const dripping = served((asked, socket) => {
      const drops = entry(asked.id, ada.dn, [attribute('uid', ['a'.repeat(100_000)])])
      let at = 0
      const timer = setInterval(() => {
        if (socket.destroyed) clearInterval(timer)
        else socket.write(drops.subarray(at, at + 1))
        at += 1
      }, 5)
    })
    const { directory, server } = await start(dripping, {}, 200)
    await expect(directory.find('ada')).rejects.toThrow(/in time/)
    await expect.poll(() => server.open()).toBe(0)
  })

  it('resets, at each step', async () => {
    const reset: Answering = (_asked, socket) => void socket.resetAndDestroy()
    for (const answering of [reset, served(reset)]) {
      const { directory } = await start(answering)
      await expect(directory.verify(ada, 'her password')).rejects.toThrow()
      await expect(directory.find('ada')).rejects.toThrow()
      await expect(directory.look(['of-ada'])).rejects.toThrow()
    }
  })

  it('sends more entries than were asked for, and is not read to the end', async () => {
    let sent = 0
    const flooding = served(async (asked, socket): Promise<void> => {
      const thousand = Buffer.concat(
        Array.from({ length: 1000 }, () => entry(asked.id, ada.dn, adas)),
      )
      for (let times = 0; times < 100 && !socket.destroyed; times += 1) {
        socket.write(thousand)
        sent += 1000
        await setImmediate()
        await setImmediate()
      }
      if (!socket.destroyed) socket.write(searched(asked.id))
    })
    const { directory, server } = await start(flooding)
    await expect(directory.find('ada')).rejects.toThrow(/more entries/)
    await expect(directory.look(['of-ada'])).rejects.toThrow(/more entries/)
    await expect.poll(() => server.open()).toBe(0)
    expect(sent).toBeLessThan(200_000)
  })

  it('sends one entry of 100 MB, of which a message at most is kept', async () => {
    let sent = 0
    const huge = served(async (asked, socket): Promise<void> => {
      const megabyte = Buffer.alloc(1024 * 1024, 'a')
      const head = Buffer.from([0x30, 0x84, 0x06, 0x40, 0x00, 0x00])
      socket.write(Buffer.concat([head, id(asked.id)]))
      for (let times = 0; times < 100 && !socket.destroyed; times += 1) {
        socket.write(megabyte)
        sent += 1
        await setImmediate()
      }
    })
    const { directory } = await start(huge)
    await expect(directory.find('ada')).rejects.toThrow(/too long/)
    expect(sent).toBeLessThan(100)
  })

  it('sends others than were asked for, who are left out', async () => {
    const { directory } = await start(good)
    expect(await directory.look(['of-ada', 'of-bo'])).toHaveLength(1)
    expect(await directory.look(['of-bo', 'of-cy'])).toEqual([])
  })

  it('refers to another host, which is never asked', async () => {
    const attacker = await startLdapServer((asked, socket) => socket.write(bound(asked.id)))
    const url = `${attacker.url}/${ada.dn}`
    const referral = (of: number, tag: number) =>
      message(
        of,
        node(tag, [node(0x0a, 10), node(0x04), node(0x04), node(0xa3, [node(0x04, url)])]),
      )
    const referring = served((asked, socket) =>
      socket.write(referral(asked.id, asked.kind === 'bind' ? 0x61 : 0x65)),
    )
    const { directory, server } = await start(referring)
    expect(await directory.verify(ada, 'her password')).toEqual({
      outcome: 'wrong',
      reason: 'refused',
    })
    await expect(directory.find('ada')).rejects.toThrow(/result 10/)
    server.answer(
      served((asked, socket) =>
        socket.write(Buffer.concat([reference(asked.id, url), searched(asked.id)])),
      ),
    )
    expect(await directory.find('ada')).toEqual([])
    expect(attacker.made()).toBe(0)
  })

  it('puts something between StartTLS and TLS', async () => {
    const injecting: Answering = (asked, socket) => {
      if (asked.kind === 'extended')
        socket.write(Buffer.concat([result(asked.id, 0x78, 0), bound(asked.id + 1)]))
      else socket.write(bound(asked.id))
    }
    const { directory, server } = await start(injecting, { startTls: true })
    await expect(directory.verify(ada, 'her password')).rejects.toThrow()
    const refusing: Answering = (asked, socket) => socket.write(result(asked.id, 0x78, 2))
    server.answer(refusing)
    await expect(directory.verify(ada, 'her password')).rejects.toThrow(/StartTLS/)
    expect(server.asked.map(({ kind }) => kind)).not.toContain('bind')
  })

  it.each([1, 2, 3, 4, 7, 8, 10, 11, 32, 50, 51, 52, 53, 80, 85])(
    'refuses the service with result %i, by which nobody is gone',
    async (code) => {
      const { directory, server } = await start(
        served((asked, socket) =>
          socket.write(Buffer.concat([entry(asked.id, ada.dn, adas), searched(asked.id, code)])),
        ),
      )
      await expect(directory.look(['of-ada', 'of-bo'])).rejects.toThrow(`result ${code}`)
      server.answer((asked, socket) => socket.write(bound(asked.id, code)))
      await expect(directory.find('ada')).rejects.toThrow(`the service was refused`)
    },
  )

  it.each([1, 2, 3, 7, 8, 11, 13, 51, 52, 80, 118])(
    'has a fault of its own, %i, which is no wrong password',
    async (code) => {
      const { directory } = await start((asked, socket) => socket.write(bound(asked.id, code)))
      await expect(directory.verify(ada, 'her password')).rejects.toThrow(`result ${code}`)
      await expect(directory.verify(null, 'her password')).rejects.toThrow(`result ${code}`)
    },
  )

  it('refuses the service, whose password is in no error', async () => {
    const echo: Answering = (asked, socket) => socket.write(bound(asked.id, 49, asked.password))
    const { directory } = await start(echo)
    const fault: unknown = await directory.find('ada').catch((error: unknown) => error)
    expect(String((fault as Error).stack)).not.toContain(service.password)
    expect(JSON.stringify(await directory.check?.('ada'))).not.toContain(service.password)
    expect(await directory.verify(ada, 'hers')).toEqual({
      outcome: 'wrong',
      reason: 'wrong-password',
    })
  })

  it('finds an entry without a subject, or without a name of its own', async () => {
    for (const [dn, attributes] of [
      [ada.dn, [attribute('uid', ['ada'])]],
      [ada.dn, [attribute('entryUUID', ['of-ada'])]],
      [ada.dn, [attribute('entryUUID', ['x'.repeat(256)]), attribute('uid', ['ada'])]],
      [ada.dn, [attribute('entryUUID', [raw('ff fe')]), attribute('uid', ['ada'])]],
    ] as const) {
      const { directory } = await start(
        served((asked, socket) =>
          socket.write(Buffer.concat([entry(asked.id, dn, attributes), searched(asked.id)])),
        ),
      )
      await expect(directory.find('ada')).rejects.toThrow(/has no (?:entryUUID|uid)/)
    }
  })
})
