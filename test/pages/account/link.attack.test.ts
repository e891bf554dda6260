// The page of linked devices, as those use it who want to be signed in as somebody else.
import { describe, expect, it } from 'vitest'
import { checkCodeOn, deviceOf, wrongCode } from '../../device-links/link-host.js'
import { logIn } from '../../support/client.js'
import { password } from '../../support/host.js'
import { givePasskey, startPasskeyPages } from '../mounted/passkey-host.js'
import { formOf, openVisitor } from '../mounted/visitor.js'
import { openLinkPage, showLink, startLinkPages, typePassword } from './link-pages.js'

describe('a link that a stranger has sent', () => {
  it('tells its device nothing until somebody presses a button', async () => {
    const host = await startLinkPages()
    const device = await showLink(host)
    const { visitor } = await openLinkPage(host)
    for (const query of [`?link=${device.linkId}`, `?link=${device.link}`, `?${device.link}`])
      for (const method of ['GET', 'HEAD'])
        await visitor.get(`${host.base}/account/link${query}`, {}, method)
    expect((await device.ask()).body.error).toBe('authorization_pending')
  })

  it('is not opened by the form of another site, of another user, or of nobody', async () => {
    const host = await startLinkPages()
    const device = await showLink(host)
    const { visitor, page } = await openLinkPage(host)
    const mallory = await openLinkPage(host, 'dora')
    const typed = { link: device.link }
    const foreign = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://elsewhere.example' }
    expect((await visitor.post(page, typed, foreign)).status).toBe(403)
    const { fields } = formOf(mallory.page)
    const swapped = await visitor.post(page, { ...typed, csrf: fields['csrf'] ?? '' })
    expect(swapped.status).toBe(403)
    const nobody = await openVisitor(host).post(page, typed)
    expect(nobody.text).toContain('Sign in here first')
    expect((await device.ask()).body.error).toBe('authorization_pending')
  })

  it('signs nobody in without the digits, which are on the screen of the stranger', async () => {
    const host = await startLinkPages()
    const device = await showLink(host)
    const { visitor, page } = await openLinkPage(host)
    const asked = await visitor.fill(page, { link: device.link })
    const code = await checkCodeOn(device)
    const guesses = Array.from({ length: 50 }, (_, n) => wrongCode(String(Number(code) + n)))
    const answers = await Promise.all(
      guesses.map((check_code) => visitor.post(asked, { check_code })),
    )
    expect(answers.filter(({ heading }) => heading === 'Done').length).toBe(0)
    expect((await visitor.post(asked, { check_code: code })).heading).not.toBe('Done')
    expect((await device.ask()).body.error).toBe('access_denied')
  })

  it('does nothing for another user than the one who has opened it', async () => {
    const host = await startLinkPages()
    const device = await showLink(host)
    const { visitor, page } = await openLinkPage(host)
    await visitor.fill(page, { link: device.link })
    const checkCode = await checkCodeOn(device)
    const dora = await openLinkPage(host, 'dora')
    const at = await dora.visitor.open(`${host.base}/account/link?link=${device.linkId}`)
    expect(at.text).not.toContain('Living room TV')
    for (const typed of [{ check_code: checkCode }, { choice: 'deny' }, { link: device.link }])
      expect((await dora.visitor.post(at, typed)).status).toBe(422)
    expect((await device.ask()).body.error).toBe('opened')
  })
})

describe('a session in a browser', () => {
  it('that is older than a day signs in again, before it opens anything', async () => {
    const host = await startLinkPages()
    const visitor = openVisitor(host)
    const asked = await visitor.open(`${host.base}/account`)
    await visitor.fill(asked, { username: 'alice', password, stay: 'yes' })
    const page = await visitor.open(`${host.base}/account/link`)
    for (let hours = 0; hours < 25; hours += 1) {
      host.clock.advance(3600)
      expect((await visitor.open(`${host.base}/account`)).heading).toBe('Your account')
    }
    const device = await showLink(host)
    const answer = await visitor.post(page, { link: device.link })
    expect(answer.text).toContain('Sign in here first')
    expect((await device.ask()).body.error).toBe('authorization_pending')
  })

  it('whose sign-in is older than ten minutes repeats it before it approves', async () => {
    const host = await startLinkPages()
    const { visitor, page } = await openLinkPage(host)
    host.clock.advance(11 * 60)
    const device = await showLink(host)
    await visitor.post(page, { link: device.link })
    const asked = await visitor.open(`${host.base}/account/link?link=${device.linkId}`)
    const checkCode = await checkCodeOn(device)
    const led = await visitor.fill(asked, { check_code: checkCode })
    expect(led.heading).toBe('Sign in')
    expect((await device.ask()).body.error).toBe('opened')
    const back = await visitor.fill(led, { username: 'alice', password })
    expect((await visitor.fill(back, { check_code: checkCode })).heading).toBe('Done')
  })

  it('of a user with a factor who has not shown it since cannot approve', async () => {
    const host = await startPasskeyPages({ options: { deviceLinks: {} } })
    const { visitor, page } = await openLinkPage(host, 'dora')
    // This session has shown the password alone.
    await givePasskey(host, 'u-dora')
    host.clock.advance(1)
    const device = await showLink(host)
    await visitor.post(page, { link: device.link })
    const asked = await visitor.open(`${host.base}/account/link?link=${device.linkId}`)
    expect(asked.heading).toBe('Is this your device?')
    const checkCode = await checkCodeOn(device)
    const led = await visitor.fill(asked, { check_code: checkCode })
    expect(led.heading).toBe('Sign in')
    expect((await device.ask()).body.error).toBe('opened')
    const back = await typePassword(host, visitor, led, 'dora')
    expect((await visitor.fill(back, { check_code: checkCode })).heading).toBe('Done')
  })

  it('that another session has opened, and ends, signs in itself first', async () => {
    const host = await startLinkPages()
    const { authToken } = await logIn(host.host(), { username: 'alice', password })
    const visitor = openVisitor(host)
    const answer = await visitor.send(`${host.base}/auth/browser-session`, '{}', {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${authToken}`,
      'Sec-Fetch-Mode': 'cors',
      'Sec-Fetch-Dest': 'empty',
    })
    expect(answer.status).toBe(204)
    const page = await visitor.open(`${host.base}/account/link`)
    const device = await showLink(host)
    const led = await visitor.fill(page, { link: device.link })
    expect(led.heading).toBe('Sign in')
    const back = await typePassword(host, visitor, led, 'alice')
    const done = await visitor.fill(back, { check_code: await checkCodeOn(device) })
    expect(done.heading).toBe('Done')
  })

  it('that has ended since it opened the link approves nothing', async () => {
    const host = await startLinkPages()
    const device = await showLink(host)
    const { visitor, page } = await openLinkPage(host)
    const asked = await visitor.fill(page, { link: device.link })
    const checkCode = await checkCodeOn(device)
    await host.host().auth.sessions.revokeAllForUser('u-alice')
    const answer = await visitor.fill(asked, { check_code: checkCode })
    expect(answer.text).toContain('Sign in here first')
    expect((await device.ask()).body.error).toBe('opened')
  })
})

it('a page is no second set of guesses: links and pages share their counters', async () => {
  const host = await startLinkPages({ options: { deviceLinks: { shortCode: true } } })
  const { visitor, page } = await openLinkPage(host)
  const statuses = []
  for (let n = 0; n < 6; n += 1)
    statuses.push((await visitor.post(page, { link: 'BCDF-GHJK' })).status)
  expect(statuses).toEqual([422, 422, 422, 422, 422, 429])
  let judged = 0
  for (const _session of ['one', 'another']) {
    const { authToken } = await logIn(host.host(), { username: 'alice', password })
    const phone = deviceOf(host.host(), authToken, { 'X-Forwarded-For': '192.0.2.1' })
    for (let n = 0; n < 4; n += 1) if ((await phone.open('BCDF-GHJK')).status === 400) judged += 1
  }
  // Ten of this network in all.
  expect(judged).toBeLessThanOrEqual(5)
})
