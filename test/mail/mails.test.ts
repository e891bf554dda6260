import { describe, expect, it } from 'vitest'
import type { RequestContext } from '../../src/audit/events.js'
import type { Mail, MailKind, TextOptions } from '../../src/index.js'
import { mailEn } from '../../src/pages/texts/mail-en.js'
import { because, context, mailing, request } from './mailing.js'

const kinds = Object.keys(mailEn).flatMap((key) => {
  const found = /^mail\.([\w-]+)\.subject$/.exec(key)
  return found === null ? [] : [found[1] as MailKind]
})
const proof = { code: '12345678', expiresAt: new Date('2026-03-04T05:16:07Z') }
const url = 'https://chat.example.com/#/reset/mar_pr_secret'

async function written(
  change: Partial<typeof request>,
  texts?: TextOptions,
  from: RequestContext = context,
): Promise<Mail> {
  const { mailer, mails, settled } = mailing(undefined, texts === undefined ? {} : { texts })
  mailer.send({ ...request, ...change }, from)
  await settled()
  return mails[0] as Mail
}

describe('a mail', () => {
  it('says in plain words what happened, when, where, and what to do', async () => {
    expect(await written({})).toEqual({
      kind: 'password-changed',
      to: 'ada@mail.example',
      locale: 'en',
      subject: 'Your password at Example Chat was changed',
      text: [
        'Hello Ada Lovelace,',
        '',
        'The password of your account at Example Chat was changed.',
        '',
        'Time: March 4, 2026 at 5:06:07 AM UTC',
        'Device: Firefox on Linux',
        'Network address: 192.0.2.7',
        '',
        'If that was not you, ask for a new password at once. Then look through your sessions, ' +
          'passkeys and second factors, and remove what is not yours.',
        '',
      ].join('\n'),
      user: { id: 'u-ada', name: 'Ada Lovelace' },
      because,
    })
  })

  it('leads to the pages of a forgotten password and of the account, if it tells of a change', async () => {
    const accountUrl = 'https://chat.example.com/account'
    const pages = { forgotUrl: `${accountUrl}/forgot`, accountUrl }
    const { mailer, mails, settled } = mailing(undefined, { pages })
    mailer.send(request, context)
    mailer.send({ ...request, ...proof, kind: 'sign-in-code' }, context)
    await settled()
    const told = mails.map(({ text }) => text)
    expect(told[0]).toContain(
      `Set a new password: ${pages.forgotUrl}\nYour account: ${accountUrl}\n`,
    )
    expect(told[1]).not.toContain('https://')
  })

  it('is in the language of the user', async () => {
    const { locale, subject, text } = await written({ locale: 'de_AT' })
    expect([locale, subject]).toEqual(['de', 'Dein Passwort bei Example Chat wurde geändert'])
    expect(text).toContain('Hallo Ada Lovelace,')
    expect(text).toContain('Zeit: 4. März 2026 um 05:06:07 UTC\nGerät: Firefox on Linux')
    for (const unknown of [null, 'tlh', 'x'.repeat(100_000)])
      expect((await written({ locale: unknown })).locale).toBe('en')
  })

  it('has the texts of the host', async () => {
    const texts = {
      en: { 'mail.password-changed.subject': 'Changed at {service}' },
      fr: { 'language.name': 'Français', 'mail.greeting': 'Bonjour {name},' },
    }
    expect((await written({}, texts)).subject).toBe('Changed at Example Chat')
    const french = await written({ locale: 'fr' }, texts)
    expect(french.text).toMatch(/^Bonjour Ada Lovelace,\n\nThe password/)
  })

  it.each(kinds)('of every kind is whole in both languages: %s', async (kind) => {
    for (const locale of ['en', 'de']) {
      const { subject, text } = await written({ kind, locale, ...proof, url })
      expect(subject).toMatch(/^[^{}\n]{10,78}$/)
      expect(subject).toContain('Example Chat')
      expect(text).not.toMatch(/[{}]|undefined|null|\n\n\n|\r/)
      expect(text).toContain('Example Chat')
      expect(text).toMatch(/2026/)
    }
  })

  it('shows a code in two parts, a link in a line of its own, and until when they work', async () => {
    const mail = await written({ kind: 'verify-address', ...proof })
    expect(mail).toMatchObject(proof)
    expect(mail.text).toContain('\n\n1234 5678\n\nIt works once, until March 4, 2026 at 5:16:07')
    const reset = await written({ kind: 'reset-password', url, expiresAt: proof.expiresAt })
    expect(reset).toMatchObject({ url, expiresAt: proof.expiresAt })
    expect(reset.text).toContain(`open this link:\n\n${url}\n\nIt works once`)
    const both = await written({ kind: 'change-address', ...proof, url })
    expect(both.text).toContain(
      `\n\n1234 5678\n\nOr open this link in the browser where you started:\n\n${url}\n\n`,
    )
    for (const { subject } of [mail, reset, both]) expect(subject).not.toMatch(/1234|mar_/)
  })

  it('leaves out what is not known', async () => {
    const unknown = { requestId: 'r-1', ip: null, userAgent: null }
    const { text, user } = await written({ user: null }, undefined, unknown)
    expect(user).toBe(null)
    expect(text).toMatch(/^Hello,\n\n/)
    expect(text).not.toMatch(/Device|Network/)
  })

  it('cannot be changed by who is handed it', async () => {
    const mail = await written({})
    expect(Object.isFrozen(mail)).toBe(true)
    expect(Object.isFrozen(mail.because)).toBe(true)
  })
})
