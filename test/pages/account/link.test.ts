// The page on which a signed-in user links a new device.
import { describe, expect, it } from 'vitest'
import { AuthConfigError } from '../../../src/errors.js'
import { checkCodeOn, startLinks, wrongCode } from '../../device-links/link-host.js'
import { startHost } from '../../support/host.js'
import { startMounted } from '../mounted/mounted-host.js'
import { tagsOf } from '../support/markup.js'
import { choicesOn } from './account-visitor.js'
import { openLinkPage, showLink, startLinkPages, typePassword } from './link-pages.js'

describe('the page of linked devices', () => {
  it('is where the picture leads, and signs the device in that shows the digits', async () => {
    const host = await startLinkPages()
    const device = await showLink(host)
    expect(device.qr).toBe(`${host.base}/account/link#${device.link}`)
    const { visitor, page } = await openLinkPage(host)
    expect(page.heading).toBe('Sign in a device')
    expect((await device.ask()).body.error).toBe('authorization_pending')

    // As it is pasted from the screen of the device.
    const asked = await visitor.fill(page, { link: ` ${device.qr} ` })
    expect(asked.heading).toBe('Is this your device?')
    expect(asked.url).toBe(`${host.base}/account/link?link=${device.linkId}`)
    for (const told of [
      'It calls itself: <bdi>Living room TV</bdi>',
      'Device: <bdi>Firefox on Linux</bdi>',
      'Network address: <bdi>198.51.100.7</bdi>',
      'in another network than this browser',
      'could read your messages',
    ])
      expect(asked.text).toContain(told)
    expect(choicesOn(asked)).toEqual(['deny'])

    const checkCode = await checkCodeOn(device)
    const done = await visitor.fill(asked, { check_code: ` ${checkCode} ` })
    expect([done.status, done.heading]).toEqual([200, 'Done'])
    const { status, body } = await device.ask()
    expect([status, body.data.me.username]).toEqual([200, 'alice'])
    const sessions = await host.host().auth.sessions.list('u-alice')
    expect(sessions.map(({ kind, name }) => [kind, name])).toContainEqual([
      'login',
      'Living room TV',
    ])
  })

  it('stays where it is when it is loaded again, and in another language', async () => {
    const host = await startLinkPages()
    const device = await showLink(host)
    const { visitor, page } = await openLinkPage(host)
    const asked = await visitor.fill(page, { link: device.link })
    const german = await visitor.open(`${asked.url}&language=de`)
    expect(german.heading).toBe('Ist das Dein Gerät?')
    const done = await visitor.fill(german, { check_code: await checkCodeOn(device) })
    expect(done.heading).toBe('Fertig')
  })

  it('says no to the device', async () => {
    const host = await startLinkPages()
    const device = await showLink(host)
    const { visitor, page } = await openLinkPage(host)
    const asked = await visitor.fill(page, { link: device.link })
    const said = await visitor.fill(asked, { choice: 'deny' })
    expect(said.heading).toBe('The device is not signed in')
    expect((await device.ask()).body.error).toBe('access_denied')
  })

  it('takes three wrong codes, and what can be none costs no try', async () => {
    const host = await startLinkPages()
    const device = await showLink(host)
    const { visitor, page } = await openLinkPage(host)
    let asked = await visitor.fill(page, { link: device.link })
    const checkCode = await checkCodeOn(device)
    for (const check_code of [
      '',
      '12',
      'abcd',
      '12345',
      wrongCode(checkCode),
      wrongCode(checkCode),
    ]) {
      asked = await visitor.fill(asked, { check_code })
      expect([asked.status, asked.heading]).toEqual([422, 'Is this your device?'])
      expect(asked.text).toContain('The device shows other digits.')
    }
    const over = await visitor.fill(asked, { check_code: wrongCode(checkCode) })
    expect([over.status, over.heading]).toEqual([422, 'Sign in a device'])
    expect(over.text).toContain('is not valid any more')
    expect((await device.ask()).body.error).toBe('access_denied')
  })

  it('has no answer but one to links that are wrong, too long, too old, or another user’s', async () => {
    const host = await startLinkPages()
    const old = await showLink(host)
    host.clock.advance(181)
    const theirs = await showLink(host)
    const bob = await openLinkPage(host, 'bob')
    await bob.visitor.fill(bob.page, { link: theirs.link })
    const { visitor, page } = await openLinkPage(host)
    const links = [old.link, theirs.link, theirs.linkId, 'mar_dl_', '#', 'x'.repeat(900)]
    const answers = []
    for (const link of links) {
      const { status, text, heading } = await visitor.fill(page, { link })
      const [csrf = ''] = /name="csrf" value="[^"]+"/.exec(text) ?? []
      answers.push({ status, heading, text: text.replaceAll(csrf, '') })
    }
    expect(answers[0]).toMatchObject({ status: 422, heading: 'Sign in a device' })
    for (const answer of answers) expect(answer).toEqual(answers[0])
    // Nor is it shown to whoever knows the id of a link that somebody else has opened.
    const shown = await visitor.open(`${host.base}/account/link?link=${theirs.linkId}`)
    expect(shown.heading).toBe('Sign in a device')
    expect(shown.text).not.toContain('Living room TV')
  })

  it('takes eight letters where the option says so', async () => {
    const host = await startLinkPages({ options: { deviceLinks: { shortCode: true } } })
    const device = await showLink(host)
    expect(device.link).toMatch(/^[A-Z]{4}-[A-Z]{4}$/)
    const { visitor, page } = await openLinkPage(host)
    const asked = await visitor.fill(page, { link: device.link.toLowerCase().replace('-', ' ') })
    expect(asked.heading).toBe('Is this your device?')
    const done = await visitor.fill(asked, { check_code: await checkCodeOn(device) })
    expect(done.heading).toBe('Done')
  })

  it('has a script, the only one that its policy allows, and needs none', async () => {
    const host = await startLinkPages()
    const { visitor, page } = await openLinkPage(host)
    const scripts = tagsOf(page.text).filter(({ name }) => name === 'script')
    const [src = ''] = scripts.map(({ attributes }) => attributes['src'] ?? '')
    expect(scripts).toHaveLength(1)
    expect(page.headers['content-security-policy']).toContain(`script-src ${src};`)
    const script = await visitor.get(src)
    expect([script.status, script.headers['content-type']]).toEqual([
      200,
      'text/javascript; charset=utf-8',
    ])
    // Opening tells the device who the user is: that takes a press.
    expect(script.text).not.toMatch(/submit|fetch/)
  })

  it('is there without the account page', async () => {
    const host = await startLinkPages({ options: { pages: { account: false } } })
    const { page } = await openLinkPage(host)
    expect(page.heading).toBe('Sign in a device')
  })
})

describe('whoever has more than a password', () => {
  it('approves with a sign-in of the last ten minutes that had all of it', async () => {
    const host = await startLinkPages()
    const { visitor, page } = await openLinkPage(host, 'bob')
    host.clock.advance(9 * 60)
    const device = await showLink(host)
    const asked = await visitor.fill(page, { link: device.link })
    expect(asked.heading).toBe('Is this your device?')
    const done = await visitor.fill(asked, { check_code: await checkCodeOn(device) })
    expect(done.heading).toBe('Done')
    const { body } = await device.ask()
    const rows = await host.stores.sessions.listForUser('u-bob', host.clock())
    const linked = rows.find(({ kind }) => kind === 'login')
    expect([body.data.me.username, linked?.methods]).toEqual(['bob', ['pwd', 'otp']])
  })

  it('signs in again after them, is told why, has the name there, and comes back', async () => {
    const host = await startLinkPages()
    const { visitor, page } = await openLinkPage(host, 'bob')
    host.clock.advance(11 * 60)
    const device = await showLink(host)
    const asked = await visitor.fill(page, { link: device.link })
    expect(asked.text).toContain('Confirm that it is you: this step needs a new sign-in.')
    const name = tagsOf(asked.text).find(({ attributes }) => attributes['id'] === 'username')
    expect(name?.attributes).toMatchObject({ value: 'bob', readonly: '' })
    const back = await typePassword(host, visitor, asked, 'bob')
    expect([back.heading, back.url]).toEqual([
      'Is this your device?',
      `${host.base}/account/link?link=${device.linkId}`,
    ])
    const done = await visitor.fill(back, { check_code: await checkCodeOn(device) })
    expect(done.heading).toBe('Done')
  })

  it('can take another account instead', async () => {
    const host = await startLinkPages()
    const { visitor, page } = await openLinkPage(host, 'bob')
    host.clock.advance(11 * 60)
    const asked = await visitor.fill(page, { link: (await showLink(host)).link })
    const other = await visitor.fill(asked, { choice: 'other' })
    const name = tagsOf(other.text).find(({ attributes }) => attributes['id'] === 'username')
    expect([other.heading, name?.attributes['value'], name?.attributes['readonly']]).toEqual([
      'Sign in',
      '',
      undefined,
    ])
  })
})

describe('the option', () => {
  it('leads to a page of the host’s, and then there is none of ours', async () => {
    const page = 'https://chat.example.com/link'
    const host = await startMounted({ options: { deviceLinks: { page } } })
    const device = await showLink(host)
    expect(device.qr).toBe(`${page}#${device.link}`)
    expect((await fetch(`${host.base}/account/link`)).status).toBe(404)
  })

  it('needs the one or the other', async () => {
    const none = startHost({ options: { deviceLinks: {} } })
    await expect(none).rejects.toThrow(AuthConfigError)
    await expect(none).rejects.toThrow('deviceLinks.page')
    await startLinks({ deviceLinks: { page: 'https://chat.example.com/link' } })
  })
})
