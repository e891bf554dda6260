// Somebody else's browser, address or form must neither sign anybody in nor connect anything.
import { describe, expect, it } from 'vitest'
import { ada, fakeProvider } from '../../provider-sign-in/provider-host.js'
import { password } from '../../support/host.js'
import {
  callbackOf,
  comeBack,
  connect,
  leave,
  linkIn,
  signInAt,
  startProviderPages,
} from './provider-visits.js'
import { openVisitor, type PageAnswer, type Visitor, wayTo } from './visitor.js'

const own = { 'Sec-Fetch-Site': 'same-origin' }

const isStale = (page: PageAnswer) => {
  expect([page.status, page.heading]).toEqual([400, 'This does not work'])
  expect(page.text).toContain('too old, or was begun in another browser')
}
const isSignedIn = (page: PageAnswer) =>
  expect(wayTo(page)?.searchParams.get('code')).toMatch(/^mar_oc_/)
const hasSession = ({ cookies }: Visitor) =>
  [...cookies.keys()].some((name) => /session/.test(name))

async function withAlice(...given: Parameters<typeof startProviderPages>) {
  const host = await startProviderPages(...given)
  await connect(host, 'u-alice')
  return host
}

/** Where the attacker's callback leads on: the address with the ticket. */
async function ticketAddress(host: Awaited<ReturnType<typeof withAlice>>, from?: Visitor) {
  const { visitor, callback } = await leave(host, from)
  const { headers } = await visitor.get(callback)
  expect(headers.location).toContain('&ticket=mar_vt_')
  expect(headers['referrer-policy']).toBe('strict-origin')
  return { visitor, url: headers.location ?? '' }
}

describe('The address of an attacker in the browser of a victim', () => {
  it('of the callback: nobody is signed in, and the attacker’s own flow goes on', async () => {
    const host = await withAlice()
    const { visitor: attacker, callback } = await leave(host)
    const victim = openVisitor(host)
    isStale(await victim.open(callback))
    // With a cookie of its own, from a flow that it has begun.
    await leave(host, victim)
    isStale(await victim.open(callback))
    expect(hasSession(victim)).toBe(false)
    isSignedIn(await attacker.open(callback))
  })

  it('with the ticket: nobody is signed in, and the attacker’s own flow goes on', async () => {
    const host = await withAlice()
    const { visitor: attacker, url } = await ticketAddress(host)
    const victim = openVisitor(host)
    const page = await victim.open(url)
    isStale(page)
    expect(linkIn(page, /oauth\/sign-in/)).not.toContain('ticket')
    expect(page.headers['referrer-policy']).toBe('strict-origin')
    await leave(host, victim)
    isStale(await victim.open(url))
    expect(hasSession(victim)).toBe(false)
    isSignedIn(await attacker.open(url))
  })

  it('with the ticket, where somebody is signed in: stays who that is', async () => {
    const host = await withAlice()
    const { url } = await ticketAddress(host)
    const victim = openVisitor(host)
    await victim.fill(await victim.open(signInAt(host)), { username: 'dora', password })
    isSignedIn(await victim.open(url))
    expect(await host.stores.sessions.listForUser('u-alice', host.clock())).toEqual([])
  })

  it('with the flow of the name: nothing is made', async () => {
    const host = await startProviderPages({ unknown: 'create' })
    const identity = { ...ada, username: 'alice' }
    host.provider.answer = { outcome: 'identified', identity }
    const { page } = await comeBack(host)
    const victim = openVisitor(host)
    await leave(host, victim)
    const stolen = await victim.open(page.url)
    expect(stolen.heading).toBe('Sign in')
    const sent = await victim.post(page, { username: 'mallory' })
    expect(sent.heading).toBe('Sign in')
    expect(await host.stores.identities.find('fake', ada.subject)).toBeNull()
  })

  it('to be connected with the attacker: not by the attacker’s flow in the victim’s browser', async () => {
    const host = await startProviderPages({ unknown: 'connect' })
    const { page } = await comeBack(host)
    expect(page.text).toContain('you can connect')
    const victim = openVisitor(host)
    const shown = await victim.open(page.url)
    expect(shown.text).not.toContain('you can connect')
    isSignedIn(await victim.fill(shown, { username: 'dora', password }))
    expect(await host.stores.identities.listForUser('u-dora')).toEqual([])
  })
})

describe('Connecting on the account page', () => {
  async function leaving() {
    const host = await startProviderPages()
    const visitor = openVisitor(host)
    const page = await visitor.open(`${host.base}/account/identities`)
    const identities = await visitor.fill(page, { username: 'dora', password })
    return { host, visitor, identities }
  }

  it('the ticket of a sign-in connects nothing, and that of a connection signs nobody in', async () => {
    const { host, visitor, identities } = await leaving()
    const { url } = await ticketAddress(host, openVisitor(host))
    const ticket = /ticket=(.*)$/.exec(url)?.[1]
    isStale(await visitor.open(`${host.base}/account/identities?&ticket=${ticket}`))
    const there = await visitor.fill(identities, { choice: 'connect fake' })
    const { headers } = await visitor.get(callbackOf(host, there))
    const other = /ticket=(.*)$/.exec(headers.location ?? '')?.[1]
    for (const name of visitor.cookies.keys())
      if (/session/.test(name)) visitor.cookies.delete(name)
    isStale(
      await visitor.open(`${signInAt(host).replace('authorize', 'provider')}&ticket=${other}`),
    )
    expect(await host.stores.identities.listForUser('u-dora')).toEqual([])
  })

  it('by another user of the browser, or after the session has ended: nothing', async () => {
    const { host, visitor, identities } = await leaving()
    const there = await visitor.fill(identities, { choice: 'connect fake' })
    const { headers } = await visitor.get(callbackOf(host, there))
    const url = headers.location ?? ''
    const kept = new Map(visitor.cookies)
    for (const name of kept.keys()) if (/session/.test(name)) visitor.cookies.delete(name)
    isStale(await visitor.open(url))
    await visitor.fill(await visitor.open(signInAt(host)), { username: 'alice', password })
    isStale(await visitor.open(url))
    expect(await host.stores.identities.find('fake', ada.subject)).toBeNull()
  })

  it('by a form of another site: nothing is begun', async () => {
    const { host, visitor, identities } = await leaving()
    const foreign = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }
    const page = await visitor.post(identities, { choice: 'connect fake' }, foreign)
    expect(page.status).toBe(403)
    expect(host.provider.asked.start).toEqual([])
  })
})

describe('Two tabs, Back, and once more', () => {
  it('each tab ends the flow that it has begun', async () => {
    const host = await withAlice()
    const visitor = openVisitor(host)
    const first = await leave(host, visitor)
    const second = await leave(host, visitor)
    isSignedIn(await visitor.open(second.callback))
    isSignedIn(await visitor.open(first.callback))
  })

  it('back to the form, and to the provider again', async () => {
    const host = await withAlice()
    const { visitor, page, callback } = await leave(host)
    const again = await visitor.get(linkIn(page, /oauth\/providers\//))
    isSignedIn(await visitor.open(callbackOf(host, again)))
    isSignedIn(await visitor.open(callback))
  })

  it('the address of the ticket once more leads on, and signs nobody in again', async () => {
    const host = await withAlice()
    const { visitor, url } = await ticketAddress(host)
    isSignedIn(await visitor.open(url))
    isSignedIn(await visitor.open(url))
    expect(await host.stores.sessions.listForUser('u-alice', host.clock())).toHaveLength(1)
  })

  it('twenty at once with one ticket open one session', async () => {
    const host = await withAlice()
    const { visitor, url } = await ticketAddress(host)
    await Promise.all(Array.from({ length: 20 }, () => visitor.get(url, own)))
    expect(await host.stores.sessions.listForUser('u-alice', host.clock())).toHaveLength(1)
  })

  it('after eleven minutes at the provider the page is stale, and leads to a start', async () => {
    const host = await withAlice()
    const { visitor, callback } = await leave(host)
    host.clock.advance(11 * 60)
    const page = await visitor.open(callback)
    isStale(page)
    expect(page.text).toContain('Start again')
  })
})

describe('An answer by form_post', () => {
  it('comes without the session cookie, and ends the flow all the same', async () => {
    const provider = fakeProvider({ responseMode: 'form_post' })
    const host = await withAlice({}, {}, { provider })
    const { visitor, callback } = await leave(host)
    const { searchParams, origin, pathname } = new URL(callback)
    const lax = new Map([...visitor.cookies].filter(([name]) => !/mar_up/.test(name)))
    for (const name of lax.keys()) visitor.cookies.delete(name)
    const cross = { Origin: 'https://idp.example.com', 'Sec-Fetch-Site': 'cross-site' }
    const state = `state=${searchParams.get('state')}`
    const back = await visitor.send(`${origin}${pathname}`, state, cross)
    expect(back.status).toBe(303)
    for (const [name, value] of lax) visitor.cookies.set(name, value)
    isSignedIn(await visitor.open(back.headers.location ?? ''))
  })
})
