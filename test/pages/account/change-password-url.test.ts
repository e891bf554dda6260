// Where password managers look for the page for a new password (W3C, change-password-url).
import { expect, it } from 'vitest'
import { startMounted } from '../mounted/mounted-host.js'
import { openVisitor } from '../mounted/visitor.js'
import { openAccount } from './account-visitor.js'
import { type MailSettings, startMailPages } from './mail-host.js'

const path = '/.well-known/change-password'
const after: MailSettings['after'] = (app, auth) => void app.use(auth.wellKnown)

it('leads a signed-in user to the page for a new password', async () => {
  const host = await startMailPages({ after })
  const { visitor } = await openAccount(host)
  const first = await visitor.get(host.origin + path)
  expect([first.status, first.headers.location, first.text]).toEqual([
    303,
    `${host.base}/account/password`,
    '',
  ])
  expect((await visitor.open(host.origin + path)).heading).toBe('Change the password')
  const stranger = await openVisitor(host).open(`${host.origin}${path}?from=manager`)
  expect(stranger.heading).toBe('Sign in')
  expect(stranger.url).toContain('return_to=/api/v1/account/password')
})

it('leads to the page for a forgotten one where there is no account page', async () => {
  const host = await startMailPages({ after, pages: { account: false } })
  const visitor = openVisitor(host)
  expect((await visitor.open(host.origin + path)).heading).toBe('Forgot your password?')
})

it('is nobody’s where users set no passwords here, and is only read', async () => {
  const readOnly = (users: object) => Object.assign(users, { updatePasswordHash: undefined })
  for (const host of [
    await startMounted({ after }),
    await startMailPages({ after, users: readOnly }),
  ])
    expect((await openVisitor(host).get(host.origin + path)).status).toBe(404)
  const host = await startMailPages({ after })
  const visitor = openVisitor(host)
  const head = await visitor.get(host.origin + path, {}, 'HEAD')
  expect([head.status, head.headers.location]).toEqual([303, `${host.base}/account/password`])
  const posted = await visitor.get(host.origin + path, {}, 'POST')
  expect([posted.status, posted.headers.allow]).toEqual([405, 'GET, HEAD'])
  for (const near of [`${path}/`, `${path}s`, `/x${path}`, path.toUpperCase()])
    expect((await visitor.get(host.origin + near)).status).toBe(404)
  const metadata = await visitor.get(`${host.origin}/.well-known/openid-configuration`)
  expect(metadata.status).toBe(200)
})

it('names the host as the option does, whatever the request calls it', async () => {
  const host = await startMailPages({ after })
  const named = { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example' }
  const answer = await openVisitor(host).get(host.origin + path, named)
  expect(answer.headers.location).toBe(`${host.base}/account/password`)
})
