// The devices on the account page: each browser once, with the apps that were signed in to there.
import { describe, expect, it } from 'vitest'
import type { OwnSession } from '../../../src/account/own-sessions.js'
import { groupDevices } from '../../../src/browser/account-page.js'
import { startOffice } from '../mounted/app-with-apis.js'
import type { MountedHost } from '../mounted/mounted-host.js'
import { choicesOn, openAccount, sessionsOf } from './account-visitor.js'

async function startWithApp() {
  const { host, visitor, allow, exchange, refresh } = await startOffice()
  const [browserId] = await sessionsOf(host)
  const { json } = await exchange((await allow({}))['code'])
  const appId = (await sessionsOf(host)).find((id) => id !== browserId)
  const isAlive = async () => (await refresh(json['refresh_token'])).status === 200
  return { host, visitor, browserId, appId, isAlive }
}

const account = ({ base }: MountedHost) => `${base}/account`

describe('the devices on the account page', () => {
  it('show an app below the browser in which the user signed in to it', async () => {
    const { host, visitor, browserId, appId } = await startWithApp()
    const here = await visitor.open(account(host))
    expect(choicesOn(here)).toEqual([`end ${appId}`, 'end-others', 'revoke office'])
    expect(here.text).toContain('Signed in from here:')
    const { page } = await openAccount(host)
    expect(choicesOn(page)).toEqual([
      `end ${browserId}`,
      `end ${appId}`,
      'end-others',
      'revoke office',
    ])
  })

  it('end one app alone', async () => {
    const { host, visitor, browserId, appId, isAlive } = await startWithApp()
    await visitor.fill(await visitor.open(account(host)), { choice: `end ${appId}`, sure: 'yes' })
    expect(await sessionsOf(host)).toEqual([browserId])
    expect(await isAlive()).toBe(false)
  })

  it('end a browser with its apps, of which one with a refresh token would live on', async () => {
    const { host, visitor, browserId, isAlive } = await startWithApp()
    const other = await openAccount(host)
    await other.visitor.fill(other.page, { choice: `end ${browserId}`, sure: 'yes' })
    expect(await sessionsOf(host)).toHaveLength(1)
    expect(await isAlive()).toBe(false)
    expect((await visitor.open(account(host))).heading).toBe('Sign in')
  })
})

function session(id: string, kind: OwnSession['kind'], openedBy: string | null = null): OwnSession {
  const lastSeenAt = new Date(Date.UTC(2030, 0, Number(id)))
  const seen = { createdAt: lastSeenAt, lastSeenAt }
  const current = id === '3'
  return { id, kind, openedBy, actor: null, name: `of ${id}`, ip: null, ...seen, current }
}

describe('sessions grouped by device', () => {
  it('put a cookie and its apps under the login that opened it', () => {
    const [device, ...others] = groupDevices([
      session('1', 'login'),
      session('2', 'pkce', '1'),
      session('3', 'browser', '1'),
      session('4', 'oauth', '3'),
    ])
    // It is used where one of its sessions is, and was last used when one of them was.
    expect(device).toMatchObject({ id: '1', current: true, sessionIds: ['1', '3', '4'] })
    expect(device?.lastSeenAt.getUTCDate()).toBe(4)
    expect(device?.apps.map(({ id, name }) => [id, name])).toEqual([['4', 'of 4']])
    // A code may have gone to another device.
    expect(others.map(({ id }) => id)).toEqual(['2'])
  })

  it('show an app alone whose browser is signed out, and end with rows that name one another', () => {
    const alone = groupDevices([session('4', 'oauth', 'gone')])
    expect(alone).toMatchObject([{ id: '4', name: 'of 4', apps: [] }])
    const circle = [session('1', 'browser', '2'), session('2', 'browser', '1')]
    expect(groupDevices(circle).flatMap(({ sessionIds }) => sessionIds)).toHaveLength(2)
  })
})
