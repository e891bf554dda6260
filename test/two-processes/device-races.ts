// Devices without a keyboard: by the device grant, and by a picture.
import { expect } from 'vitest'
import { createLinkSecrets } from '../../src/device-links/links.js'
import type { DeviceCodeRecord, OAuthClient } from '../../src/index.js'
import { type Asked, cli, deviceGrant, page } from '../oauth/device/device-host.js'
import { openPageBrowser } from '../oauth/page-browser.js'
import { issuer, ownResource } from '../oauth/relying-party.js'
import { logInAt } from '../support/account-steps.js'
import { pkcePair } from '../support/client.js'
import { encryptionKey, password } from '../support/host.js'
import type { Answer, ServerProcess, UserRow } from '../support/server-processes.js'
import { askForTokens } from './app-races.js'
import { atOnce, isLetIn, type Race, type Servers, told } from './races.js'

/** A program in a terminal. */
export const terminal: OAuthClient = { ...cli, resources: [ownResource] }

/** How many sessions of a kind somebody has. */
export async function sessionsOf(
  { other }: Servers,
  { id }: UserRow,
  kind: string,
): Promise<number> {
  const listed = await other.call<readonly { kind: string }[]>('auth.sessions.list', id)
  return listed.filter((one) => one.kind === kind).length
}

async function beginDevice({ url }: ServerProcess): Promise<Asked> {
  const body = new URLSearchParams({ client_id: terminal.id })
  const answer = await fetch(`${url}/oauth/device_authorization`, { method: 'POST', body })
  expect(answer.status).toBe(200)
  return (await answer.json()) as Asked
}

/** A browser in which somebody has opened a device; it asks each server in turn. */
async function openDevice({ all }: Servers, user: UserRow, { user_code }: Asked) {
  let turn = 0
  const browser = openPageBrowser(issuer, (url) => {
    turn += 1
    return url.replace(`${issuer}/api/v1`, all[turn % all.length]?.url as string)
  })
  const signIn = await browser.open(page)
  const typed = await browser.send(signIn, { username: user.username, password })
  const asked = await browser.send(typed, { user_code })
  expect(asked.page?.text).toContain('Is this your device?')
  return (fields: Record<string, string>) => browser.send(asked, fields)
}

const poll = (server: ServerProcess, { device_code }: Asked) =>
  askForTokens(server, { grant_type: deviceGrant, client_id: terminal.id, device_code })

async function startDevice(servers: Servers) {
  const user = await servers.addUser()
  const asked = await beginDevice(servers.one)
  return { user, asked, decide: await openDevice(servers, user, asked) }
}

const grants: readonly Race[] = [
  {
    title: 'ask for an approved device: one gets a session',
    async prepare(servers) {
      const { user, asked, decide } = await startDevice(servers)
      await decide({ seen: 'yes' })
      return {
        send: (server) => poll(server, asked),
        refusals: ['400 slow_down'],
        after: async () => expect(await sessionsOf(servers, user, 'oauth')).toBe(1),
      }
    },
  },
  {
    title: 'say yes and no to a device: one decides, and all servers keep to it',
    async prepare(servers) {
      const { user, asked, decide } = await startDevice(servers)
      const done = { seen: 'Done', denied: 'The device is not signed in' }
      return {
        async send(_server, caller) {
          const shown = await decide(caller % 3 === 0 ? { choice: 'deny' } : { seen: 'yes' })
          const { status = 0, text = '' } = shown.page ?? {}
          const said = Object.entries(done).find(([, words]) => text.includes(words))?.[0]
          return said === undefined
            ? { status: Math.max(status, 400), error: 'too late', data: {} }
            : { status, error: undefined, data: said }
        },
        refusals: ['422 too late', '429 too late'],
        async after([winner]) {
          const isApproved = winner?.data === 'seen'
          const polls = told(await atOnce(servers, (server) => poll(server, asked)))
          expect(polls['200 done'] ?? 0).toBe(isApproved ? 1 : 0)
          expect(Object.keys(polls).every((said) => /^(200|400) /.test(said))).toBe(true)
          expect(await sessionsOf(servers, user, 'oauth')).toBe(isApproved ? 1 : 0)
        },
      }
    },
  },
]

const linkSecrets = createLinkSecrets([Buffer.from(encryptionKey, 'base64')], false)

/** A new device that shows a picture, and somebody on another one. */
async function startLink(servers: Servers) {
  const user = await servers.addUser()
  const token = await logInAt(servers.one, user.username)
  const { codeVerifier, codeChallenge } = pkcePair()
  const { status, data } = await servers.one.post('/auth/device-links', { codeChallenge })
  expect(status).toBe(200)
  const { linkId, qr } = data as { linkId: string; qr: string }
  const link = decodeURIComponent(qr.split('#')[1] ?? '')
  const ask = (server: ServerProcess, path: string, body: object) =>
    server.post(`/auth/device-links${path}`, body, token)
  const row = async () => {
    const found = await servers.other.call<DeviceCodeRecord | null>(
      'stores.deviceCodes.find',
      linkId,
    )
    if (found === null) throw new Error('no link')
    return found
  }
  return {
    ...{ user, row },
    open: (server: ServerProcess) => ask(server, '/open', { link }),
    approve: (server: ServerProcess, checkCode: string) =>
      ask(server, '/approve', { linkId, checkCode }),
    deny: (server: ServerProcess) => ask(server, '/deny', { linkId }),
    collect: (server: ServerProcess) =>
      server.post('/auth/device-links/collect', { linkId, codeVerifier, confirm: true }),
    // Computed, so that the first question of the device is the one that is raced.
    checkCode: async () => linkSecrets.checkCodeOf(await row()),
  }
}

export async function startOpened(servers: Servers) {
  const link = await startLink(servers)
  expect((await link.open(servers.one)).status).toBe(200)
  return { ...link, right: await link.checkCode() }
}

const proofRefused = ['400 proof-refused']
const triesLeftIn = (answers: readonly Answer[]) =>
  answers.flatMap(({ data }) => (data.details === undefined ? [] : [data.details.triesLeft]))

const links: readonly Race[] = [
  {
    title: 'open a link for one account: all are shown the device',
    async prepare(servers) {
      const { open } = await startLink(servers)
      return { send: (server) => open(server), wins: 50, refusals: [] }
    },
  },
  {
    title: 'approve a link by its check code: one does',
    async prepare(servers) {
      const { approve, right } = await startOpened(servers)
      return { send: (server) => approve(server, right), refusals: proofRefused }
    },
  },
  {
    title: 'collect an approved link: one gets a session',
    async prepare(servers) {
      const { user, approve, collect, right, row } = await startOpened(servers)
      expect((await approve(servers.other, right)).status).toBe(200)
      return {
        send: (server) => collect(server),
        refusals: ['400 slow_down'],
        async after() {
          expect(await sessionsOf(servers, user, 'login')).toBe(2)
          // Slowed down by all the others.
          expect((await row()).interval).toBe(1 + 49 * 5)
        },
      }
    },
  },
]

const decisions: readonly Race[] = [
  {
    title: 'guess the check code of a link: three are judged, and then it takes a no and no yes',
    async prepare(servers) {
      const { user, approve, deny, collect, right } = await startOpened(servers)
      const wrong = String((Number(right) + 1) % 10_000).padStart(4, '0')
      return {
        send: (server) => approve(server, wrong),
        wins: 0,
        refusals: proofRefused,
        async after(_won, answers) {
          const left = triesLeftIn(answers)
          // What a store answers may already show the tries of others.
          expect(left).toHaveLength(3)
          expect(left.every((tries) => [0, 1, 2].includes(tries as number))).toBe(true)
          expect(left).toContain(0)
          const late = await atOnce(servers, (server, caller) =>
            Math.floor(caller / 2) % 2 === 0 ? deny(server) : approve(server, right),
          )
          expect(told(late)).toEqual({ '200 done': 26, '400 proof-refused': 24 })
          expect((await collect(servers.one)).error).toBe('access_denied')
          expect(await sessionsOf(servers, user, 'login')).toBe(1)
        },
      }
    },
  },
  {
    title: 'say yes and no to a link: one decides',
    async prepare(servers) {
      const { user, approve, deny, collect, right } = await startOpened(servers)
      // Each server hears both.
      const saysNo = (caller: number) => Math.floor(caller / 2) % 2 === 0
      return {
        send: (server, caller) => (saysNo(caller) ? deny(server) : approve(server, right)),
        wins: null,
        refusals: proofRefused,
        async after(_won, answers) {
          const no = answers.filter((answer, caller) => saysNo(caller) && isLetIn(answer)).length
          const yes = answers.filter((answer, caller) => !saysNo(caller) && isLetIn(answer)).length
          // Whoever says no once more is told that it is so.
          expect([yes, no]).toEqual(yes === 1 ? [1, 0] : [0, 26])
          const { status, error } = await collect(servers.one)
          expect([status, error]).toEqual(yes === 1 ? [200, undefined] : [400, 'access_denied'])
          expect(await sessionsOf(servers, user, 'login')).toBe(1 + yes)
        },
      }
    },
  },
]

// Of one network, 20 devices are begun in a quarter of an hour, and ten of their codes are typed.
export const deviceRaces: readonly Race[] = [...grants, ...links, ...decisions].map((race) => ({
  ...race,
  mostRounds: 2,
}))
