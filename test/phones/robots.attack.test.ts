// What robots get out of the limits of text messages.
import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { AuthEvent } from '../../src/index.js'
import { newPassword } from '../accounts/account-host.js'
import { logIn, post } from '../support/client.js'
import { password, passwordHash } from '../support/host.js'
import { memoryLimiter } from '../support/memory-limiter.js'
import { changeTo, number, otherNumber, startPhones } from './phone-host.js'

const robot = { id: 'u-robot', username: 'robot', passwordHash, email: 'r@example.com' }
const byHeader = ({ headers }: IncomingMessage) => String(headers['x-forwarded-for'] ?? '192.0.2.1')
const from = (ip: string) => ({ 'X-Forwarded-For': ip })

async function as(host: Awaited<ReturnType<typeof startPhones>>, username: string) {
  const { authToken } = await logIn(host, { username, password })
  const headers = { Authorization: `Bearer ${authToken as string}` }
  return { headers, post: (path: string, body: object = {}) => post(host, path, body, headers) }
}

describe('robots', () => {
  it('keep no second factor away at home, by asking for codes to sign in elsewhere', async () => {
    const host = await startPhones({ options: { clientAddress: byHeader } })
    await logIn(host)
    host.users.change('u-alice', { phoneFactor: true })
    for (let at = 0; at < 3; at += 1)
      await post(host, '/auth/code', { phone: number }, from('203.0.113.7')).expect(202)
    await host.texted()
    const { body } = await post(host, '/login', { username: 'alice', password }, from('192.0.2.1'))
    expect(body.error).toBe('totp-required')
  })

  it('keep no code from a user at home, by using up those of the number elsewhere', async () => {
    const host = await startPhones({ options: { clientAddress: byHeader } })
    await logIn(host)
    const ask = (ip: string) => post(host, '/auth/code', { phone: number }, from(ip)).expect(202)
    for (let at = 0; at < 8; at += 1) await ask(`203.0.113.${at}`)
    expect(await host.texted()).toHaveLength(3)
    for (let at = 0; at < 3; at += 1) await ask('192.0.2.1')
    expect(await host.texted()).toHaveLength(6)
  })

  it('keep no second factor away at home, by asking for a change to that number', async () => {
    const host = await startPhones()
    await logIn(host)
    host.users.add(robot)
    host.users.change('u-alice', { phoneFactor: true })
    const asRobot = await as(host, 'robot')
    for (let at = 0; at < 3; at += 1)
      await asRobot.post('/auth/phone/change', { phone: number, password }).expect(202)
    const { body } = await post(host, '/login', { username: 'alice', password })
    expect(body.error).toBe('totp-required')
  })

  it("learn by no limit whether a number is somebody's", async () => {
    const host = await startPhones()
    host.users.add(robot)
    const asRobot = await as(host, 'robot')
    const ask = async (phone: string) => {
      await post(host, '/auth/code', { phone }).expect(202)
      await host.texted()
      const statuses: number[] = []
      for (let at = 0; at < 3; at += 1)
        statuses.push((await asRobot.post('/auth/phone/change', { phone, password })).status)
      return statuses
    }
    const ofAlice = await ask(number)
    expect(await ask(otherNumber)).toEqual(ofAlice)
  })

  it('are seen with counters in a store, too: a prefix is paused', async () => {
    const host = await startPhones({
      phones: { budget: { hour: 1000, day: 10_000 } },
      options: {
        throttle: {
          limiter: memoryLimiter as never,
          mail: {
            network: { points: 1000, duration: 3600 },
            address: { points: 1000, duration: 900 },
          },
        },
      },
    })
    const names = Array.from({ length: 8 }, (_one, at) => `robot-${at}`)
    for (const [i, username] of names.entries()) {
      host.users.add({ ...robot, id: username, username, email: `${username}@example.com` })
      const one = await as(host, username)
      for (let at = 0; at < 8; at += 1)
        await one.post('/auth/phone/change', { phone: `+4917012${i}${at}0000`, password })
    }
    const paused = (host.events as AuthEvent[]).filter(({ type }) => type === 'phone.prefix-paused')
    expect(paused).toHaveLength(1)
  })

  it('count one typed code for a message, however often they send it', async () => {
    const host = await startPhones({
      phones: { budget: { hour: 1000, day: 10_000 } },
      options: {
        throttle: {
          mail: {
            network: { points: 1000, duration: 3600 },
            address: { points: 1000, duration: 900 },
          },
        },
      },
    })
    // Two codes to a number of another account are each typed five times.
    host.users.add({ ...robot })
    const asRobot = await as(host, 'robot')
    for (let at = 0; at < 2; at += 1) {
      const { given } = await changeTo(host, number, Promise.resolve(asRobot as never))
      for (let times = 0; times < 5; times += 1) await asRobot.post('/auth/phone/confirm', given)
    }
    const names = Array.from({ length: 7 }, (_one, at) => `robot-${at}`)
    for (const [i, username] of names.entries()) {
      host.users.add({ ...robot, id: username, username, email: `${username}@example.com` })
      const one = await as(host, username)
      for (let at = 0; at < 7; at += 1)
        await one.post('/auth/phone/change', { phone: `+4917012${i}${at}0000`, password })
    }
    const paused = (host.events as AuthEvent[]).filter(({ type }) => type === 'phone.prefix-paused')
    expect(paused).toHaveLength(1)
  })

  it('get no message that is not counted', async () => {
    // One in an hour: the code itself.
    const host = await startPhones({ phones: { budget: { hour: 1, day: 1 } } })
    const { user, given } = await changeTo(host, otherNumber)
    await user.post('/auth/phone/confirm', given).expect(200)
    const token = (await host.mailed('phone-changed'))[0]?.url?.split('/').at(-1) ?? ''
    await post(host, '/auth/phone/undo', { token, password: newPassword }).expect(200)
    expect((await host.texted()).map(({ kind }) => kind)).toEqual(['change-address'])
  })
})

describe('a second factor at home', () => {
  it('costs no more than the budget, of however many accounts of a robot', async () => {
    const host = await startPhones({ phones: { budget: { hour: 10, day: 10 } } })
    let sent = 0
    for (let at = 0; at < 20; at += 1) {
      const username = `robot-${at}`
      const phone = `+4917012${String(at).padStart(2, '0')}0000`
      host.users.add({
        ...robot,
        id: username,
        username,
        email: `${username}@example.com`,
        phone,
        phoneVerified: true,
      })
      await logIn(host, { username, password })
      host.users.change(username, { phoneFactor: true })
      await post(host, '/login', { username, password })
      sent = (await host.texted()).length
    }
    expect(sent).toBeLessThanOrEqual(10)
  })
})
