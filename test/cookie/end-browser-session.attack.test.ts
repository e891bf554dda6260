import supertest from 'supertest'
import { describe, expect, it } from 'vitest'
import { afterAttack } from '../support/after-attack.js'
import { cookieName, cookieOf, ownPage, pagesOrigin, signInByPage } from '../support/pages.js'
import { startBrowserSessions } from './browser-session-host.js'

const evil = 'https://evil.example'

describe('DELETE /auth/browser-session', () => {
  it.each<[string, Record<string, string>]>([
    ['of another site', { 'Sec-Fetch-Site': 'cross-site', Origin: evil }],
    ['that says it is of ours', { 'Sec-Fetch-Site': 'cross-site', Origin: pagesOrigin }],
    ['of a neighbour', { 'Sec-Fetch-Site': 'same-site', Origin: 'https://blog.example.com' }],
    ['of nobody’s page', { 'Sec-Fetch-Site': 'none' }],
    ['of another origin, in an old browser', { Origin: evil }],
    ['of no origin that can be told', { Origin: 'null' }],
    ['of our host in the clear', { Origin: pagesOrigin.replace('https', 'http') }],
    ['that names no origin', {}],
  ])('is 403 to a page %s, and signs nobody out', async (_what, headers) => {
    const { host, isAlive } = await startBrowserSessions()
    const { Cookie, session, value } = await signInByPage(host)
    const request = supertest(host.url).delete('/auth/browser-session')
    const answer = await request.set({ ...headers, Cookie })
    expect([answer.status, answer.body.error, cookieOf(answer)]).toEqual([403, 'forbidden', null])
    expect(await isAlive(session)).toBe(true)
    await afterAttack(host, answer, [value])
  })

  it('is no form’s: neither a POST with another method in it, nor a link', async () => {
    const { host, isAlive } = await startBrowserSessions()
    const { Cookie, session } = await signInByPage(host)
    const foreign = { 'Sec-Fetch-Site': 'cross-site', Origin: evil, Cookie }
    const form = { _method: 'DELETE' }
    const asked = [
      await supertest(host.url)
        .post('/auth/browser-session?_method=DELETE')
        .set({ ...foreign, 'X-HTTP-Method-Override': 'DELETE' })
        .type('form')
        .send(form),
      await supertest(host.url)
        .get('/auth/browser-session')
        .set({ ...ownPage, Cookie }),
    ]
    expect(asked.map(({ status }) => status)).toEqual([403, 405])
    expect(await isAlive(session)).toBe(true)
  })

  it('lets no page of another origin even ask, whatever the option cors says', async () => {
    const { host } = await startBrowserSessions({ options: () => ({ cors: { origins: [evil] } }) })
    const headers = { Origin: evil, 'Access-Control-Request-Method': 'DELETE' }
    const answer = await fetch(`${host.url}/auth/browser-session`, { method: 'OPTIONS', headers })
    expect(answer.status).toBe(405)
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-'))).toEqual([])
  })

  it('ends no session whose secret is not the one that was given', async () => {
    const { host, isAlive } = await startBrowserSessions()
    const { session, value } = await signInByPage(host)
    const guessed = `${value.slice(0, -4)}AAAA`
    const sent = [guessed, `${session}.`, `${session}.${'A'.repeat(43)}`, session]
    for (const one of [...sent, `${value}; ${cookieName}=${value}`]) {
      const request = supertest(host.url).delete('/auth/browser-session')
      const answer = await request.set({ ...ownPage, Cookie: `${cookieName}=${one}` })
      expect(answer.status).toBe(204)
    }
    expect(await isAlive(session)).toBe(true)
    const wrong = { ...ownPage, 'Sec-Fetch-Site': 'cross-site', Cookie: `${cookieName}=${guessed}` }
    const refused = await supertest(host.url).delete('/auth/browser-session').set(wrong)
    await afterAttack(host, refused, [value, guessed])
  })
})
