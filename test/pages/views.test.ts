// What stands on each page, and in which form.
import '../support/steps.js'
import { describe, expect, it } from 'vitest'
import { passkeyScript, passwordScript } from '../../src/pages/assets/scripts.js'
import { createStylesheet } from '../../src/pages/assets/stylesheet.js'
import { html } from '../../src/pages/html.js'
import { type PageFault, pageHeaders, pageHeadersFor } from '../../src/pages/show-page.js'
import { createTexts } from '../../src/pages/texts.js'
import { stepsOf } from '../support/steps.js'
import { pageOf, stateOf, tagsOf } from './support/markup.js'
import { service, shellIn, states } from './support/states.js'
import { action } from './support/states-of.js'
import { contentOf, type View, type ViewOf } from './support/views.js'

const everyState = Object.keys(states)
const named = (markup: string, name: string) => tagsOf(markup).filter((tag) => tag.name === name)

/** What the policy of a page allows to run. */
function scriptsOf(name: string): readonly string[] {
  const { scripts = [] } = contentOf(states[name] as View, shellIn('en'))
  return scripts.filter((address) => address !== null)
}

const isOfPasskeys = (address: string) => address.includes('/passkeys-')

/** The fields of a page by name, without those that nobody sees or types in. */
function fieldsOf(markup: string) {
  return named(markup, 'input')
    .map(({ attributes }) => attributes)
    .filter(({ type }) => type !== 'hidden')
}

describe('The headers of a page', () => {
  it('are those that were decided', () => {
    const scripts = ['https://chat.example.com/a;b.js', 'https://chat.example.com/c,d.js']
    expect(pageHeadersFor('de', scripts)).toEqual({
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy':
        "default-src 'none'; style-src 'self'; script-src https://chat.example.com/a%3Bb.js " +
        "https://chat.example.com/c%2Cd.js; img-src 'self'; " +
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
        "require-trusted-types-for 'script'",
      'X-Frame-Options': 'DENY',
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'same-origin',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Permissions-Policy':
        'publickey-credentials-get=(self), publickey-credentials-create=(self), camera=(), ' +
        'microphone=(), geolocation=()',
      'Content-Language': 'de',
      Vary: 'Cookie, Accept-Language',
    })
  })

  it('allow no script where there is none', () => {
    const policy = pageHeadersFor('de')['Content-Security-Policy']
    expect(policy).toContain("script-src 'none'")
    expect(pageHeaders['Content-Security-Policy']).toBe(policy)
    expect(Object.isFrozen(pageHeaders)).toBe(true)
  })
})

describe('Every page', () => {
  it.each(everyState)('is one document with one heading and its landmarks: %s', (name) => {
    const markup = stateOf(name, 'de')
    expect(markup).toMatch(/^<!doctype html>\n<html lang="de" dir="ltr">/)
    for (const once of ['title', 'header', 'main', 'h1', 'footer', 'nav'])
      expect(named(markup, once), once).toHaveLength(1)
    const ids = tagsOf(markup).flatMap(({ attributes }) => attributes['id'] ?? [])
    expect(new Set(ids).size).toBe(ids.length)
  })

  it.each(everyState)('names each of its fields, and says what is wrong with it: %s', (name) => {
    const tags = tagsOf(stateOf(name))
    const ids = new Set(tags.flatMap(({ attributes }) => attributes['id'] ?? []))
    const labelled = new Set(tags.flatMap(({ attributes }) => attributes['for'] ?? []))
    for (const { id, type, 'aria-hidden': hidden } of fieldsOf(stateOf(name)))
      if (type !== 'checkbox' && hidden !== 'true') expect(labelled).toContain(id)
    for (const { attributes } of tags)
      for (const described of attributes['aria-describedby']?.split(' ') ?? [])
        expect(ids).toContain(described)
  })

  it.each(everyState)(
    'runs and styles nothing by itself, and has one focus at most: %s',
    (name) => {
      const tags = tagsOf(stateOf(name))
      const active = tags.filter((tag) => tag.name === 'script' || tag.name === 'style')
      const expected = scriptsOf(name).map((src) => {
        return { name: 'script', attributes: { src, defer: '' } }
      })
      expect(active).toEqual(expected)
      const inline = tags.flatMap(({ attributes }) =>
        Object.keys(attributes).filter((key) => key === 'style' || key.startsWith('on')),
      )
      expect(inline).toEqual([])
      const focused = tags.filter(({ attributes }) => 'autofocus' in attributes)
      expect(focused.length).toBeLessThanOrEqual(1)
    },
  )

  it.each(everyState)('posts to where it should, with what it carries: %s', (name) => {
    const forms = named(stateOf(name), 'form')
    for (const { attributes } of forms)
      expect([attributes['method'], attributes['action']]).toEqual(['post', action])
    const carried = named(stateOf(name), 'input').filter(
      ({ attributes }) => attributes['name'] === 'csrf',
    )
    expect(carried).toHaveLength(forms.length)
  })

  it.each(everyState)('says first in its title that something is wrong: %s', (name) => {
    const title = /<title>([^<]*)<\/title>/.exec(stateOf(name))?.[1]
    const isFaulty = stateOf(name).includes('role="alert"')
    expect(title?.startsWith('Error: ')).toBe(isFaulty)
    expect(title?.endsWith(' · Example Chat')).toBe(true)
  })

  it('is in the direction of its language', () => {
    const arabic = createTexts({ ar: { 'language.name': 'العربية' } }, service).get('ar')
    const shell = arabic === undefined ? {} : { texts: arabic }
    const view = states['sign-in'] as ViewOf<'sign-in'>
    expect(pageOf(view, 'en', shell)).toContain('<html lang="ar" dir="rtl">')
  })

  it('leads to the host’s own pages, and marks the language that it is in', () => {
    const links = named(stateOf('sign-in', 'de'), 'a').map(({ attributes }) => attributes)
    const outside = links.flatMap(({ href = '' }) => (href.startsWith('https:') ? [href] : []))
    expect(outside).toEqual([
      'https://chat.example.com/help',
      'https://chat.example.com/privacy',
      'https://chat.example.com/terms',
    ])
    const current = links.filter((link) => link['aria-current'] === 'true')
    expect(current.map(({ lang }) => lang)).toEqual(['de'])
  })

  it.each(everyState)('has a picture for its tab, so that no browser looks for one: %s', (name) => {
    const icons = named(stateOf(name), 'link').filter(({ attributes: { rel } }) => rel === 'icon')
    expect(icons.map(({ attributes: { href } }) => href)).toEqual(['/icon.svg'])
  })

  it.each(everyState)('describes a field that was wrong by what is said of it: %s', (name) => {
    const markup = stateOf(name)
    const wrong = fieldsOf(markup).filter((field) => field['aria-invalid'] === 'true')
    for (const field of wrong) expect(field['aria-describedby']?.split(' ')).toContain('fault')
    // It has the focus, so that the next try can be typed at once.
    if (wrong.length > 0) expect(wrong.filter((field) => 'autofocus' in field)).toHaveLength(1)
    // Else what is said has it.
    const focused = tagsOf(markup).filter(({ attributes }) => 'autofocus' in attributes)
    if (markup.includes('role="alert"')) expect(focused).toHaveLength(1)
  })

  it('has the logo, or the first letter of the name', () => {
    const logo = { file: '/srv/logo.svg', alt: 'Ünder', width: 120, height: 40 }
    const view = states['signed-out'] as ViewOf<'sign-in'>
    const withLogo = pageOf(view, 'en', { logo: '/logo.svg?v=1', brand: { name: 'Ünder', logo } })
    expect(withLogo).toContain('<img src="/logo.svg?v=1" alt="Ünder" width="120" height="40">')
    const without = pageOf(view, 'en', { brand: { name: 'e\u0301clair' } })
    expect(without).toContain('<span class="mark" aria-hidden="true">E\u0301</span>')
    expect(without).not.toContain('<img')
  })
})

describe('What password managers and phones go by', () => {
  it.each<[string, string, string | undefined, string]>([
    ['sign-in', 'username', 'text', 'username webauthn'],
    ['sign-in', 'password', 'password', 'current-password'],
    ['sign-in', 'stay', 'checkbox', ''],
    ['second-factor', 'username', 'text', 'username'],
    ['second-factor', 'code', 'text', 'one-time-code'],
    ['second-factor-recovery', 'username', 'text', 'username'],
    ['second-factor-recovery', 'code', 'text', 'off'],
    ['enrol', 'code', 'text', 'one-time-code'],
  ])('on %s the field %s is %s, %s', (state, name, type, autocomplete) => {
    const field = fieldsOf(stateOf(state)).find((one) => one['name'] === name)
    expect([field?.['type'], field?.['autocomplete'] ?? '']).toEqual([type, autocomplete])
  })

  it('is one form with both fields in their order, and nothing that cuts or spells', () => {
    const tags = tagsOf(stateOf('sign-in'))
    const order = tags.map(({ name, attributes }) => attributes['name'] ?? name)
    const form = order.slice(order.indexOf('form'), order.lastIndexOf('stay') + 3)
    expect(form.filter((name) => !/^(?:div|label|span)$/.test(name))).toEqual([
      'form',
      'csrf',
      'username',
      'password',
      'button',
      'script',
      'stay',
      'button',
    ])
    const [username, password] = fieldsOf(stateOf('sign-in'))
    expect(username).toMatchObject({
      id: 'username',
      autocapitalize: 'none',
      autocorrect: 'off',
      spellcheck: 'false',
    })
    expect(password).toMatchObject({ id: 'current-password' })
    expect(stateOf('sign-in')).not.toMatch(/maxlength|onpaste/)
  })

  it('knows whose code it is without showing the name twice', () => {
    const [username, code] = fieldsOf(stateOf('second-factor'))
    expect(username).toMatchObject({
      value: 'alice@mail.example',
      class: 'unseen',
      tabindex: '-1',
      'aria-hidden': 'true',
      readonly: '',
    })
    expect(code).toMatchObject({
      id: 'one-time-code',
      inputmode: 'numeric',
      pattern: '[0-9 ]*',
    })
  })
})

describe('The sign-in page', () => {
  const view = states['sign-in'] as ViewOf<'sign-in'>

  it('is not ticked to stay, unless that was chosen', () => {
    const ticked = (name: string) =>
      fieldsOf(stateOf(name)).map((field) => 'checked' in field && field['name'])
    expect(ticked('sign-in')).not.toContain('stay')
    expect(ticked('sign-in-stale')).toContain('stay')
  })

  it('has the name still in it when it comes again, and never the password', () => {
    const [username, password] = fieldsOf(stateOf('sign-in-wrong'))
    expect(username).toMatchObject({ value: 'alice@mial.example', 'aria-invalid': 'true' })
    expect(username?.['aria-describedby']).toBe('fault')
    expect(password).toMatchObject({ 'aria-invalid': 'true', 'aria-describedby': 'fault' })
    expect(password).not.toHaveProperty('value')
  })

  it('finds no fault with name and password where they are not what is wrong', () => {
    for (const name of ['sign-in-stale', 'sign-in-busy', 'sign-in-throttled', 'sign-in-refused'])
      expect(stateOf(name)).not.toMatch(/aria-invalid|aria-describedby/)
  })

  it('says the same of a wrong name and a wrong password', () => {
    expect(stateOf('sign-in-wrong')).toContain('>Wrong name or password.</p>')
  })

  it('offers what there is, and nothing else', () => {
    const none = { forgotten: null, register: null, byCode: null }
    const bare: ViewOf<'sign-in'> = { ...view, ...none, mayCancel: false }
    const markup = pageOf(bare)
    expect(markup).not.toMatch(/Forgot|Create an account|Cancel|class="links"/)
    expect(named(markup, 'form')).toHaveLength(1)
    expect(pageOf({ ...view, client: null })).not.toContain('Cancel')
  })

  it('does not say twice where it leads, where the app has the name of the service', () => {
    const lead = /class="lead"/
    expect(pageOf({ ...view, client: { name: service, host: 'chat.example.com' } })).not.toMatch(
      lead,
    )
    expect(pageOf(view)).toMatch(lead)
    expect(pageOf({ ...view, client: null })).toMatch(lead)
  })

  it('has a button that shows the password, behind the field and by its script alone', () => {
    const [button] = named(stateOf('sign-in'), 'button')
    expect(button?.attributes).toEqual({
      type: 'button',
      class: 'link reveal',
      hidden: '',
      'aria-pressed': 'false',
      'aria-controls': 'current-password',
      'data-reveals': 'current-password',
    })
    // A field that is shown is text: its spelling is nobody's to check.
    expect(fieldsOf(stateOf('sign-in'))[1]).toMatchObject({ spellcheck: 'false' })
    expect(Buffer.byteLength(passwordScript)).toBeLessThanOrEqual(1024)
    expect(passwordScript).not.toMatch(/innerHTML|eval|Function|import|https?:|fetch|XMLHttp|send/)
  })

  it('leaves a place for passkeys, in which nothing stands without them', () => {
    const passkey = html`<button type="button" hidden>Passkey</button>`
    const markup = pageOf({ ...view, passkey })
    expect(markup).toContain('</button><button type="button" hidden>Passkey</button>')
    expect(markup.replace('<button type="button" hidden>Passkey</button>', '')).toBe(pageOf(view))
  })

  it('says what was wrong with a passkey, and finds no fault with the fields', () => {
    const markup = stateOf('sign-in-passkey-wrong')
    expect(markup).toContain('>That passkey was not accepted. Please try again,')
    expect(markup).not.toContain('aria-invalid')
  })

  it('shows the button of passkeys only by its script, which has 3 KB at most', () => {
    for (const name of everyState.filter((state) => scriptsOf(state).some(isOfPasskeys))) {
      const [asking, ...others] = named(stateOf(name), 'button').filter(
        ({ attributes }) => 'data-passkey' in attributes,
      )
      expect(others).toEqual([])
      expect(asking?.attributes).toMatchObject({ type: 'button', hidden: '' })
    }
    expect(Buffer.byteLength(passkeyScript)).toBeLessThanOrEqual(3 * 1024)
    expect(passkeyScript).not.toMatch(/innerHTML|eval|Function|import|https?:/)
  })

  it('is at most 12 KB, style included', () => {
    const css = Buffer.byteLength(createStylesheet('#7a2e8e').css)
    for (const name of ['sign-in', 'sign-in-wrong', 'sign-in-throttled'])
      for (const tag of ['en', 'de'])
        expect(Buffer.byteLength(stateOf(name, tag)) + css, name).toBeLessThanOrEqual(12 * 1024)
  })

  it('takes no more than 100,000 steps', () => {
    stateOf('sign-in')
    expect(stepsOf(() => stateOf('sign-in'))).toBeLessThan(100_000)
  })
})

describe('The enrolment page', () => {
  it('draws the code module by module, with a border that cameras need', () => {
    const enrol = states['enrol']
    if (enrol?.page !== 'enrol' || enrol.qr === null) throw new Error('no QR code')
    const size = enrol.qr.length
    const svg = named(stateOf('enrol'), 'svg')[0]?.attributes
    expect(svg?.['viewBox']).toBe(`0 0 ${size + 8} ${size + 8}`)
    const drawn = Array.from({ length: size }, () => Array.from({ length: size }, () => false))
    const path = named(stateOf('enrol'), 'path')[0]?.attributes['d'] ?? ''
    for (const [, x, y, length] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\3z/g))
      drawn[Number(y) - 4]?.fill(true, Number(x) - 4, Number(x) - 4 + Number(length))
    expect(drawn).toEqual(enrol.qr.map((row) => [...row]))
    expect(path.replaceAll(/M\d+ \d+h\d+v1h-\d+z/g, '')).toBe('')
  })

  it('shows the secret in groups, and as a link for an app on this device', () => {
    const markup = stateOf('enrol-without-qr')
    expect(markup).toContain('>JBSW Y3DP EHPK 3PXP JBSW Y3DP EHPK 3PXP</code>')
    expect(named(markup, 'a').map(({ attributes }) => attributes['href'])).toContain(
      'otpauth://totp/Chat:alice?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Chat',
    )
    expect(markup).not.toContain('<svg')
  })
})

describe('The pages that ask before a client gets anything', () => {
  const choices = (name: string) =>
    named(stateOf(name), 'button').flatMap(({ attributes: { value } }) => value ?? [])

  it('let the user choose', () => {
    expect(choices('continue')).toEqual(['continue', 'other', 'cancel'])
    expect(choices('consent')).toEqual(['allow', 'cancel', 'other'])
    for (const page of ['second-factor', 'second-factor-recovery', 'enrol', 'enrol-passkey'])
      expect(choices(page)).toEqual(['other', 'cancel'])
  })

  it('warn of an app on the device, and not of a site', () => {
    expect(stateOf('continue-device')).toContain('Only continue if you have just started it.')
    expect(stateOf('continue')).not.toContain('just started')
  })

  it('show where the answer goes, whatever the client calls itself', () => {
    expect(stateOf('consent')).toContain(
      'You will be sent to <b class="host" dir="ltr">build.example.net</b>.',
    )
    const consent = states['consent']
    if (consent?.page !== 'consent') throw new Error('no consent')
    const onDevice = pageOf({ ...consent, client: { name: 'Bank', host: null } })
    expect(onDevice).toContain('You will be sent to an app on this device.')
  })

  it('show every scope, and that the client is somebody else’s', () => {
    expect(named(stateOf('consent'), 'li')).toHaveLength(3)
    expect(stateOf('consent')).toContain('It is not made by <bdi>Example Chat</bdi>.')
  })
})

describe('The hand-over page', () => {
  const view: ViewOf<'hand-over'> = {
    page: 'hand-over',
    client: { name: 'Team wiki', host: 'wiki.example.com' },
    redirect: "https://wiki.example.com/cb?a='b'&code=mar_oc_1&state=x;url=y",
  }

  it('leads on at once, and by a link, to the same place', () => {
    const markup = pageOf(view)
    const [meta] = named(markup, 'meta').filter(({ attributes }) => 'http-equiv' in attributes)
    expect(meta?.attributes).toEqual({
      'http-equiv': 'refresh',
      content: `0; url=${view.redirect}`,
    })
    const hrefs = named(markup, 'a').map(({ attributes }) => attributes['href'])
    expect(hrefs).toContain(view.redirect)
  })

  it('says that the window may be closed where an app takes over', () => {
    expect(pageOf(view)).not.toContain('close this window')
    expect(stateOf('hand-over-device')).toContain('You can close this window.')
  })

  it.each(['javascript:alert(1)', 'data:text/html,a', "'https://a.example/", ''])(
    'leads nowhere else: %j',
    (redirect) => {
      expect(() => pageOf({ ...view, redirect })).toThrow(TypeError)
    },
  )
})

describe('The error page', () => {
  const error = states['error'] as ViewOf<'error'>
  const faults: readonly PageFault[] = [
    'unknown-client',
    'redirect-mismatch',
    'malformed',
    'repeated-parameter',
    'too-long',
    'clock',
    'refused',
    'not-found',
    'throttled',
    'busy',
  ]

  it('says something else of each fault, in each language', () => {
    const sentences = ['en', 'de'].flatMap((tag) =>
      faults.map((fault) => {
        const markup = pageOf({ ...error, fault, retryAfter: 30 }, tag)
        return /<p class="lead">(.*?)<\/p>/.exec(markup)?.[1]
      }),
    )
    expect(new Set(sentences).size).toBe(2 * faults.length)
  })

  it('has what to search the log by, and nothing that is not known', () => {
    expect(stateOf('error')).toContain(error.reference)
    expect(stateOf('error')).toContain('<code dir="ltr">client_id</code>')
    const bare = { ...error, reference: null, parameter: null }
    expect(pageOf(bare, 'en', { home: null })).not.toMatch(
      /<code|Reference|developers|class="links"/,
    )
    expect(pageOf({ ...bare, fault: 'redirect-mismatch' })).toContain('<bdi>The app</bdi> wants')
  })
})
