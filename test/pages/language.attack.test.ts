// Which language a page is in: by what was asked for, however much of it there is.
import '../support/steps.js'
import { describe, expect, it } from 'vitest'
import { type AskedLanguages, acceptedLanguages, chooseLanguage } from '../../src/pages/texts.js'
import { stepsOf } from '../support/steps.js'

const available = ['en', 'de', 'pt-BR', 'zh-Hant']
const nothing: AskedLanguages = { uiLocales: [], userLocale: null, acceptLanguage: undefined }
const chosen = (given: Partial<AskedLanguages>) =>
  chooseLanguage({ ...nothing, ...given }, available, 'en')

describe('The language of a page', () => {
  it('is what the client asks for, before what the browser says', () => {
    expect(chosen({ uiLocales: ['de'], acceptLanguage: 'pt-BR' })).toBe('de')
    expect(chosen({ uiLocales: ['fr', 'de'], acceptLanguage: 'pt-BR' })).toBe('de')
    expect(chosen({ uiLocales: ['fr'], acceptLanguage: 'pt-BR' })).toBe('pt-BR')
    expect(chosen({})).toBe('en')
    expect(chooseLanguage(nothing, available, 'de')).toBe('de')
  })

  it('is the user’s, after what the client asks for and before what the browser says', () => {
    expect(chosen({ userLocale: 'de', acceptLanguage: 'pt-BR' })).toBe('de')
    expect(chosen({ uiLocales: ['pt-BR'], userLocale: 'de' })).toBe('pt-BR')
    expect(chosen({ userLocale: 'de_AT', acceptLanguage: 'pt-BR' })).toBe('de')
    expect(chosen({ userLocale: 'fr', acceptLanguage: 'pt-BR' })).toBe('pt-BR')
  })

  it.each([null, undefined, '', 7, {}, ['de'], '__proto__', 'x-'.repeat(1_000_000)])(
    'is the browser’s where the host says nothing of the user’s that can be read: %#',
    (userLocale) => {
      expect(chosen({ userLocale, acceptLanguage: 'de' })).toBe('de')
    },
  )

  it('is found by the beginning of what is asked for, in any case', () => {
    expect(chosen({ acceptLanguage: 'de-AT-1996' })).toBe('de')
    expect(chosen({ acceptLanguage: 'ZH-hant-TW' })).toBe('zh-Hant')
    expect(chosen({ acceptLanguage: 'den' })).toBe('en')
    expect(chosen({ acceptLanguage: 'pt-PT' })).toBe('en')
  })

  it('is the one that the browser wants most', () => {
    expect(acceptedLanguages('en;q=0.5, de , fr;q=0.9,*;q=0.1, it;q=0')).toEqual(['de', 'fr', 'en'])
    expect(acceptedLanguages('de;q=0.8,en;q=0.8')).toEqual(['de', 'en'])
  })

  it.each([
    '',
    ',',
    ';q=1',
    'de;q=2',
    'de;q=',
    'de;q=0.1234',
    '<b>',
    '*',
    'de--at',
    '\0',
    '__proto__',
  ])('is the own one for a header that says nothing: %j', (acceptLanguage) => {
    expect(acceptedLanguages(acceptLanguage)).toEqual([])
    expect(chosen({ acceptLanguage })).toBe('en')
  })

  it('is none of those that an object has by itself', () => {
    for (const tag of ['constructor', 'toString', '__proto__'])
      expect(chosen({ uiLocales: [tag] })).toBe('en')
  })

  it('is looked for in the beginning of a header, however long it is', () => {
    const header = `${' '.repeat(1_000_000)},de`
    const tag = 'x-'.repeat(1500)
    expect(chosen({ acceptLanguage: header, uiLocales: [tag] })).toBe('en')
    expect(acceptedLanguages(header)).toEqual([])
    const choose = () => chosen({ acceptLanguage: header, uiLocales: [tag] })
    expect(stepsOf(choose)).toBeLessThan(10_000)
    expect(stepsOf(() => acceptedLanguages(header))).toBeLessThan(10_000)
    expect(acceptedLanguages('aa,'.repeat(60)).length).toBe(20)
  })
})
