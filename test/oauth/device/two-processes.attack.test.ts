// Devices are signed in once, however many decide and ask at the same moment in two processes: by
// the device grant, and by a picture.
import { describe, expect, it } from 'vitest'
import { createLinkSecrets } from '../../../src/device-links/link-secrets.js'
import { joseSigner, type OAuthClient } from '../../../src/index.js'
import { manualClock } from '../../../src/testing/manual-clock.js'
import { begin, type NewDevice } from '../../device-links/link-host.js'
import { bearer, logIn } from '../../support/client.js'
import { tally } from '../../support/guessing.js'
import { encryptionKey, password } from '../../support/host.js'
import { deviceLinksOptions } from '../../support/mounted-device-links.js'
import {
  openShared,
  type SharedKind,
  sharedKinds,
  signingKey,
  startProcesses,
} from '../../support/oauth-processes.js'
import { openPageBrowser } from '../page-browser.js'
import { issuer, ownResource } from '../relying-party.js'
import { type Asked, cli, deviceGrant, page, startDevices } from './device-host.js'

const callers = 50
const client: OAuthClient = { ...cli, resources: [ownResource] }

type Json = Readonly<Record<string, unknown>>
interface Answer {
  readonly status: number
  readonly body: Json
}

async function answerOf(answering: Promise<Response>): Promise<Answer> {
  const answer = await answering
  return { status: answer.status, body: (await answer.json()) as Json }
}

/** A host on the stores, whose clock a test may advance, and two processes on the same. */
async function start(kind: SharedKind) {
  const { stores, oauthStores, reached } = await openShared(kind)
  if (reached === null) throw new Error('no process reaches these')
  const clock = manualClock(new Date())
  const signer = joseSigner({ issuer, audience: ownResource, keys: [signingKey], clock })
  const shared = { ...deviceLinksOptions(), pagesOrigin: issuer }
  const { codes, sessions, tickets, deviceCodes } = stores
  const devices = await startDevices({
    oauth: { ...oauthStores, clients: [client] },
    options: {
      ...shared,
      ...{ codes, sessions, tickets, deviceCodes },
      ...{ clock, signer, storeTimeout: 20_000 },
    },
  })
  const urls = await startProcesses(reached, {
    clients: [client],
    audience: ownResource,
    options: shared,
    oauth: { deviceFlow: true },
  })
  const { host } = devices
  const sessionsOf = async (of: string) =>
    (await sessions.listForUser('u-alice', new Date())).filter(({ kind: one }) => one === of)

  /** The same from all callers at once, each at one of the processes. */
  const race = <T>(ask: (url: string, turn: number) => Promise<T>) =>
    Promise.all(
      Array.from({ length: callers }, (_none, turn) => ask(urls[turn % 2] as string, turn)),
    )

  /** A browser in which alice has opened a device; from now on it asks both processes in turns. */
  async function openDevice({ user_code }: Asked) {
    let asksAt: readonly string[] = [host.url]
    let turn = 0
    const browser = openPageBrowser(issuer, (url) => {
      turn += 1
      return url.replace(`${issuer}/api/v1`, asksAt[turn % asksAt.length] as string)
    })
    const signIn = await browser.open(page)
    const typed = await browser.send(signIn, { username: 'alice', password })
    const asked = await browser.send(typed, { user_code })
    expect(asked.page?.text).toContain('Is this your device?')
    asksAt = urls
    return (fields: Record<string, string>) => browser.send(asked, fields)
  }

  const poll = ({ device_code }: Asked, url: string) => {
    const form = { grant_type: deviceGrant, client_id: client.id, device_code }
    const body = new URLSearchParams(form)
    return answerOf(fetch(`${url}/oauth/token`, { method: 'POST', body }))
  }

  return { ...devices, stores, urls, race, openDevice, poll, sessionsOf }
}

const linkSecrets = createLinkSecrets([Buffer.from(encryptionKey, 'base64')], false)

/** A new device, and alice's, of which each asks the process that it is told. */
async function startLink(kind: SharedKind) {
  const { host, stores, race, sessionsOf } = await start(kind)
  const { authToken } = await logIn(host)
  const device = await begin(host)
  const post = (url: string, path: string, body: object, headers = {}) =>
    answerOf(
      fetch(`${url}/auth/device-links${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    )
  const asAlice = (url: string, path: string, body: object) =>
    post(url, path, body, bearer(authToken))
  const collect = (url: string, { linkId, codeVerifier }: NewDevice = device) =>
    post(url, '/collect', { linkId, codeVerifier })
  // Computed, so that the first question of the device is the one that is raced.
  const checkCode = async () => {
    const row = await stores.deviceCodes.find(device.linkId)
    if (row === null) throw new Error('no link')
    return linkSecrets.checkCodeOf(row)
  }
  return { host, device, stores, race, sessionsOf, asAlice, collect, checkCode }
}

const statuses = (answers: readonly Answer[]) => tally(answers.map(({ status }) => status))

describe.each(sharedKinds)('in two processes on $name', (kind) => {
  it.skipIf(!kind.isThere)(
    'fifty questions of an approved device are one session',
    async () => {
      const { begin: beginDevice, openDevice, race, poll, sessionsOf } = await start(kind)
      for (let round = 1; round <= 3; round += 1) {
        const asked = await beginDevice(client)
        const decide = await openDevice(asked)
        await decide({ seen: 'yes' })
        const answers = await race((url) => poll(asked, url))
        expect(statuses(answers)).toEqual({ 200: 1, 400: callers - 1 })
        const errors = answers.map(({ body }) => body['error']).filter(Boolean)
        expect(new Set(errors)).toEqual(new Set(['slow_down']))
        expect(await sessionsOf('oauth')).toHaveLength(round)
      }
    },
    120_000,
  )

  it.skipIf(!kind.isThere)(
    'of fifty yes and no to a device one decides, and both processes keep to it',
    async () => {
      const { begin: beginDevice, openDevice, race, poll, eventsOf, sessionsOf } = await start(kind)
      const asked = await beginDevice(client)
      const decide = await openDevice(asked)
      const answers = await race((_url, turn) =>
        decide(turn % 3 === 0 ? { choice: 'deny' } : { seen: 'yes' }),
      )
      const told = answers.map(({ page: shown }) => shown?.text ?? '')
      const yes = told.filter((text) => text.includes('Done')).length
      const no = told.filter((text) => text.includes('The device is not signed in')).length
      expect(yes + no).toBe(1)
      // All were decided by the processes.
      expect([...eventsOf('device.approved'), ...eventsOf('device.denied')]).toEqual([])
      const polls = await race((url) => poll(asked, url))
      expect(statuses(polls)).toEqual(yes === 1 ? { 200: 1, 400: callers - 1 } : { 400: callers })
      expect(await sessionsOf('oauth')).toHaveLength(yes)
    },
    120_000,
  )

  it.skipIf(!kind.isThere)(
    'a link is opened for one account, approved once and collected once',
    async () => {
      const { host, device, stores, race, sessionsOf, asAlice, collect, checkCode } =
        await startLink(kind)
      const opened = await race((url) => asAlice(url, '/open', { link: device.link }))
      expect(statuses(opened)).toEqual({ 200: callers })
      const body = { linkId: device.linkId, checkCode: await checkCode() }
      const approved = await race((url) => asAlice(url, '/approve', body))
      expect(statuses(approved)).toEqual({ 200: 1, 400: callers - 1 })
      const collected = await race((url) => collect(url))
      expect(statuses(collected)).toEqual({ 200: 1, 400: callers - 1 })
      expect(await sessionsOf('login')).toHaveLength(2)
      const first = collected.find(({ status }) => status === 200)?.body['data'] as Json
      // Slowed down by all the others.
      const row = await stores.deviceCodes.find(device.linkId)
      expect(row?.interval).toBe(1 + (callers - 1) * 5)
      host.issued.add(String(first['refreshToken']))
    },
    120_000,
  )

  it.skipIf(!kind.isThere)(
    'a link takes three check codes, and one yes or no',
    async () => {
      const { device, race, asAlice, checkCode, sessionsOf, collect } = await startLink(kind)
      const { linkId } = device
      const url = (await race(async (one) => one))[0] as string
      expect((await asAlice(url, '/open', { link: device.link })).status).toBe(200)
      const right = await checkCode()
      const wrong = String((Number(right) + 1) % 10_000).padStart(4, '0')
      const guesses = await race((one) => asAlice(one, '/approve', { linkId, checkCode: wrong }))
      const left = guesses.flatMap(({ body }) =>
        body['details'] === undefined ? [] : [(body['details'] as Json)['triesLeft']],
      )
      // Three are judged. What a store answers may already show the tries of others.
      expect(left).toHaveLength(3)
      expect(left.every((tries) => [0, 1, 2].includes(tries as number))).toBe(true)
      expect(left).toContain(0)
      const late = await race((one, turn) =>
        turn % 2 === 0
          ? asAlice(one, '/deny', { linkId })
          : asAlice(one, '/approve', { linkId, checkCode: right }),
      )
      expect(statuses(late)).toEqual({ 200: callers / 2, 400: callers / 2 })
      expect((await collect(url)).body['error']).toBe('access_denied')
      expect(await sessionsOf('login')).toHaveLength(1)
    },
    120_000,
  )

  it.skipIf(!kind.isThere)(
    'of fifty yes and no to a link one decides',
    async () => {
      const { device, race, asAlice, checkCode, sessionsOf, collect } = await startLink(kind)
      const { linkId } = device
      const url = (await race(async (one) => one))[0] as string
      expect((await asAlice(url, '/open', { link: device.link })).status).toBe(200)
      const right = await checkCode()
      const answers = await race((one, turn) =>
        turn % 2 === 0
          ? asAlice(one, '/deny', { linkId })
          : asAlice(one, '/approve', { linkId, checkCode: right }),
      )
      const yes = answers.filter(({ status }, turn) => turn % 2 === 1 && status === 200).length
      const no = answers.filter(({ status }, turn) => turn % 2 === 0 && status === 200).length
      expect(yes === 1 ? no : [yes, no]).toEqual(yes === 1 ? 0 : [0, callers / 2])
      const { status, body } = await collect(url)
      expect([status, body['error']]).toEqual(yes === 1 ? [200, undefined] : [400, 'access_denied'])
      expect(await sessionsOf('login')).toHaveLength(1 + yes)
    },
    120_000,
  )
})
