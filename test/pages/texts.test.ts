// Every text in every language, and what hosts may change of them.
import { describe, expect, it } from 'vitest'
import type { AuthConfigError } from '../../src/errors.js'
import { html, markupOf } from '../../src/pages/html.js'
import { de } from '../../src/pages/texts/de.js'
import { en } from '../../src/pages/texts/en.js'
import { mailDe } from '../../src/pages/texts/mail-de.js'
import { mailEn } from '../../src/pages/texts/mail-en.js'
import { createTexts, type PageTexts, type TextOptions } from '../../src/pages/texts.js'

function textsIn(tag: string, given?: TextOptions): PageTexts {
  const texts = createTexts(given, 'Example Chat').get(tag)
  if (texts === undefined) throw new Error(`no texts in ${tag}`)
  return texts
}

const placeholdersOf = (text: string) => [...text.matchAll(/\{[^}]*\}/g)].map(String).sort()
const catalogues = [
  ['of pages', en, de],
  ['of mails', mailEn, mailDe],
] as const

describe.each<
  readonly [string, Readonly<Record<string, string>>, Readonly<Record<string, string>>]
>(catalogues)('The German texts %s', (_what, english, german) => {
  const keys = Object.keys(english)
  it('name what the English ones name', () => {
    for (const key of keys)
      expect(placeholdersOf(german[key] ?? ''), key).toEqual(placeholdersOf(english[key] ?? ''))
  })

  it('are all there, and none of them is English', () => {
    expect(Object.keys(german)).toEqual(keys)
    const same = keys.filter((key) => german[key] === english[key])
    expect(same).toEqual([])
  })

  it('speak to one person, by Du', () => {
    const all = Object.values(german).join(' ')
    expect(all).not.toMatch(/\b(?:Sie|Ihre?[mnrs]?|Ihnen)\b(?! werden nur)/)
    expect(all).not.toMatch(/\b(?:du|dich|dir|deine?[mnrs]?)\b/)
  })
})

describe('A text', () => {
  it('puts each name into an isolation of its own', () => {
    const text = textsIn('en').html('continue.question', { client: '<Wiki>', account: 'Alice' })
    expect(markupOf(text)).toBe(
      'Do you want to continue to <bdi>&lt;Wiki&gt;</bdi> as <bdi>Alice</bdi>?',
    )
  })

  it('knows the name of the service by itself', () => {
    expect(markupOf(textsIn('de').html('sign-in.lead'))).toBe('bei <bdi>Example Chat</bdi>')
    expect(textsIn('en').plain('page.home')).toBe('Go to Example Chat')
  })

  it('takes markup that was made for it', () => {
    const host = html`<b>a.example</b>`
    expect(markupOf(textsIn('en').html('consent.site', { host }))).toBe(
      'You will be sent to <b>a.example</b>.',
    )
  })

  it('does not read names of texts in names', () => {
    const text = textsIn('en').html('sign-in.lead-client', { client: '{service}' })
    expect(markupOf(text)).toBe('to continue to <bdi>{service}</bdi>')
  })

  it.each([
    [0, '1 second', '1 Sekunde'],
    [0.2, '1 second', '1 Sekunde'],
    [30, '30 seconds', '30 Sekunden'],
    [91, '2 minutes', '2 Minuten'],
    [300.5, '6 minutes', '6 Minuten'],
    [5401, '2 hours', '2 Stunden'],
  ])('says how long to wait, never too short: %s', (seconds, english, german) => {
    expect(textsIn('en').wait(seconds)).toBe(english)
    expect(textsIn('de').wait(seconds)).toBe(german)
  })
})

describe('Texts of the host', () => {
  it('replace single ones of ours', () => {
    const texts = textsIn('de', { de: { 'sign-in.submit': 'Los geht’s bei {service}' } })
    expect(texts.plain('sign-in.submit')).toBe('Los geht’s bei Example Chat')
    expect(texts.plain('sign-in.title')).toBe('Anmelden')
  })

  it('add a language, which is English where they say nothing', () => {
    const texts = textsIn('fr', {
      fr: { 'language.name': 'Français', 'sign-in.title': 'Connexion' },
    })
    expect(texts.plain('sign-in.title')).toBe('Connexion')
    expect(texts.plain('sign-in.password')).toBe('Password')
    expect(texts.direction).toBe('ltr')
  })

  it.each(['ar', 'he', 'fa-IR', 'ur', 'ckb'])('are written from right to left in %s', (tag) => {
    expect(textsIn(tag, { [tag]: { 'language.name': 'x' } }).direction).toBe('rtl')
  })

  it.each<[string, unknown, string]>([
    ['fr', { 'sign-in.title': 'Connexion' }, 'pages.texts.fr'],
    ['de', { 'sign-in.titel': 'Anmelden' }, 'pages.texts.de.sign-in.titel'],
    ['de', { 'sign-in.title': '' }, 'pages.texts.de.sign-in.title'],
    ['de', { 'sign-in.title': undefined }, 'pages.texts.de.sign-in.title'],
    ['de', { 'sign-in.title': 'Hallo {client}' }, 'pages.texts.de.sign-in.title'],
    ['de', { 'sign-in.title': '{constructor}' }, 'pages.texts.de.sign-in.title'],
    ['de', { 'sign-in.title': 'a\nb' }, 'pages.texts.de.sign-in.title'],
    ['de', { 'sign-in.title': 'a'.repeat(601) }, 'pages.texts.de.sign-in.title'],
    ['de', null, 'pages.texts.de'],
    ['deutsch', { 'language.name': 'a' }, 'pages.texts.deutsch'],
    ['fr-ab-cd', { 'language.name': 'a' }, 'pages.texts.fr-ab-cd'],
    ['d"', { 'language.name': 'a' }, 'pages.texts.d"'],
    ['de', { toString: 'a' }, 'pages.texts.de.toString'],
  ])('are refused by name: %s %j', (tag, texts, option) => {
    const given = { [tag]: texts } as TextOptions
    expect(() => createTexts(given, 'Example Chat')).toThrow(
      expect.objectContaining({ name: 'AuthConfigError', option }) as AuthConfigError,
    )
  })
})
