import '../support/steps.js'
import { describe, expect, it } from 'vitest'
import { parseMailAddress } from '../../src/lib/addresses.js'
import { stepsOf } from '../support/steps.js'

const domainOf = (chars: number) =>
  'd'
    .repeat(60)
    .concat('.')
    .repeat(10)
    .slice(0, chars - 2)

const mostSteps = (chars: number) => 1000 + 100 * (chars > 254 ? 0 : chars)

describe('a mail address', () => {
  it.each([
    'ada@mail.example',
    'ada+chat+2026@mail.example',
    'Ada.Lovelace@mail.example',
    "o'brien_{x}=y/z@mail.example",
    'a@b',
    'root@localhost',
    'ada%chat@mail.example',
    'ada@1and1.example',
    'ada@xn--bcher-kva.example',
    'дада@mail.example',
    `${'a'.repeat(64)}@mail.example`,
    `${'a'.repeat(64)}@${domainOf(189)}`,
  ])('is kept as it is: %s', (address) => {
    expect(parseMailAddress(address)).toBe(address)
  })

  it('has its domain in lower case and in ASCII, and nothing else', () => {
    expect(parseMailAddress('Ada+Chat@Mail.EXAMPLE')).toBe('Ada+Chat@mail.example')
    expect(parseMailAddress('ada@BÜCHER.example')).toBe('ada@xn--bcher-kva.example')
    expect(parseMailAddress('用户@例子.中国')).toBe('用户@xn--fsqu00a.xn--fiqs8s')
  })

  it.each<[string, unknown]>([
    ['no text', undefined],
    ['no text', { toString: () => 'ada@mail.example' }],
    ['a list', ['ada@mail.example']],
    ['nothing', ''],
    ['a carriage return', 'ada@mail.example\r\nBcc: eve@evil.example'],
    ['a line feed', 'ada\n@mail.example'],
    ['a line feed at the end', 'ada@mail.example\n'],
    ['a NUL', 'ada\0@mail.example'],
    ['a line separator', 'ada\u2028@mail.example'],
    ['a next line', 'ada\u0085@mail.example'],
    ['two addresses', 'ada@mail.example,eve@evil.example'],
    ['two addresses', 'ada@mail.example;eve@evil.example'],
    ['two addresses', 'ada@mail.example eve@evil.example'],
    ['two @', 'ada@mail.example@evil.example'],
    ['a name', 'Ada <ada@mail.example>'],
    ['angle brackets', '<ada@mail.example>'],
    ['quotes', '"ada"@mail.example'],
    ['quotes with an @', '"eve@evil.example,"@mail.example'],
    ['a comment', 'ada(eve@evil.example)@mail.example'],
    ['a backslash', 'ada\\@mail.example'],
    ['a blank', 'ada @mail.example'],
    ['a blank before', ' ada@mail.example'],
    ['a no-break space', 'ada\u00a0@mail.example'],
    ['no local part', '@mail.example'],
    ['no domain', 'ada@'],
    ['no @', 'ada.mail.example'],
    ['a dot first', '.ada@mail.example'],
    ['a dot last', 'ada.@mail.example'],
    ['two dots', 'ada..l@mail.example'],
    ['an option of sendmail', '-oQ/tmp@mail.example'],
    ['a dot at the end of the domain', 'ada@mail.example.'],
    ['an empty label', 'ada@mail..example'],
    ['a hyphen first in a label', 'ada@-mail.example'],
    ['a hyphen last in a label', 'ada@mail-.example'],
    ['an underscore in the domain', 'ada@ma_il.example'],
    ['an encoded line feed in the domain', 'ada@mail%0a.example'],
    ['an IP address', 'ada@127.0.0.1'],
    ['an IP address in brackets', 'ada@[127.0.0.1]'],
    ['an IP address of version 6', 'ada@[IPv6:::1]'],
    ['a number', 'ada@2130706433'],
    ['a port', 'ada@mail.example:25'],
    ['a path', 'ada@mail.example/x'],
    ['a route', '@evil.example:ada@mail.example'],
    ['a mark that turns the direction', 'ada@mail.example\u202e'],
    ['a mark that turns the direction inside', 'a\u202eda@mail.example'],
    ['an isolate', '\u2066ada@mail.example'],
    ['a zero-width space', 'ad\u200ba@mail.example'],
    ['a zero-width joiner in the domain', 'ada@ma\u200dil.example'],
    ['a soft hyphen', 'ada@ma\u00adil.example'],
    ['a byte order mark', '\ufeffada@mail.example'],
    ['a private character', 'ada\ue000@mail.example'],
    ['a lone surrogate', 'ada\ud800@mail.example'],
    ['a decomposed letter', 'ada@bu\u0308cher.example'],
    ['wide letters', 'ａda@mail.example'],
    ['a wide comma', 'ada，eve@mail.example'],
    ['a wide @', 'ada＠mail.example'],
    ['a wide dot', 'ada@mail．example'],
    ['an ideographic dot', 'ada@mail。example'],
    ['circled letters', 'ada@ⓜail.example'],
    ['the Kelvin sign', 'ada@\u212aail.example'],
    ['a capital that is two letters in lower case', 'ada@\u0130stanbul.example'],
    ['broken Punycode', 'ada@xn--a.example'],
    ['Punycode of what is not allowed', 'ada@xn--ls8h--.example'],
    ['Punycode of another domain', 'ada@xn--google-.example'],
    ['a mark that the domain name loses', 'ada@mail\ufe0f.example'],
    ['255 octets in Punycode', `${'a'.repeat(64)}@${'ü'.repeat(30).concat('.').repeat(5)}example`],
    ['65 characters before the @', `${'a'.repeat(65)}@mail.example`],
    ['65 octets before the @', `${'é'.repeat(33)}@mail.example`],
    ['a label of 64 characters', `ada@${'d'.repeat(64)}.example`],
    ['a label of 64 characters in Punycode', `ada@${'ü'.repeat(60)}.example`],
    ['255 characters', `${'a'.repeat(64)}@${domainOf(192)}`],
    ['255 octets', `ada@${'é'.repeat(60).concat('.').repeat(2)}example`.padEnd(200, 'é')],
    ['300 characters', `ada@${'d.'.repeat(148)}`],
  ])('is refused with %s: %j', (_what, given) => {
    expect(parseMailAddress(given)).toBe(null)
  })

  it('is one recipient: no other text has the same address', () => {
    const parsed = ['ada@mail.example', 'ADA@mail.example', 'ada@MAIL.example', 'a.da@mail.example']
    expect(new Set(parsed.map(parseMailAddress)).size).toBe(3)
  })

  it.each([
    ['letters', 'a'],
    ['dots and letters', 'a.'],
    ['marks', '\u0301\u0323'],
    ['hyphens', 'a-'],
    ['@', '@'],
    ['owls', '🦉'],
  ])(
    'takes no more than 100 steps for each of 254 characters, and is not read beyond: %s',
    (_what, unit) => {
      for (const chars of [127, 254, 1_000_000, 2_000_000]) {
        const many = unit.repeat(Math.ceil(chars / unit.length)).slice(0, chars)
        for (const given of [many, `a@${many}`.slice(0, chars), `${many.slice(0, -2)}@a`])
          expect(stepsOf(() => parseMailAddress(given))).toBeLessThan(mostSteps(chars))
      }
    },
  )
})
