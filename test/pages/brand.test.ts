// What a host may make the pages look like: whatever it chooses can be read.
import { describe, expect, it } from 'vitest'
import {
  contrastOf,
  createStylesheet,
  legibleOn,
  textOn,
} from '../../src/pages/assets/stylesheet.js'
import { type BrandOptions, checkBrand } from '../../src/pages/pages-options.js'

const logo = { file: '/srv/logo.svg', alt: '', width: 120, height: 40 }
const steps = [0, 25, 51, 76, 102, 118, 119, 120, 127, 128, 153, 178, 204, 229, 255]
const hex = (...parts: number[]) =>
  `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`
const colours = steps.flatMap((red) =>
  steps.flatMap((green) => steps.map((blue) => hex(red, green, blue))),
)

describe('The contrast of two colours', () => {
  it.each([
    ['#000000', '#ffffff', 21],
    ['#ffffff', '#ffffff', 1],
    ['#767676', '#ffffff', 4.54],
    ['#ff0000', '#ffffff', 4],
    ['#0b57d0', '#ffffff', 6.39],
  ])('of %s and %s is %s:1', (one, other, contrast) => {
    expect(contrastOf(one, other)).toBeCloseTo(contrast, 1)
    expect(contrastOf(other, one)).toBe(contrastOf(one, other))
  })

  it('is enough on every accent, in black or in white', () => {
    const worst = Math.min(...colours.map((accent) => contrastOf(textOn(accent), accent)))
    expect(worst).toBeGreaterThanOrEqual(4.5)
  })

  it('is enough for every accent that is written with', () => {
    for (const background of ['#f3f4f7', '#ffffff', '#1a1d23', '#0f1115'])
      for (const colour of colours)
        expect(contrastOf(legibleOn(background, colour), background)).toBeGreaterThanOrEqual(4.5)
  })

  it('leaves an accent as it is that is legible', () => {
    expect(legibleOn('#ffffff', '#0b57d0')).toBe('#0b57d0')
  })
})

describe('The style sheet', () => {
  it('has another version when anything in it is another', () => {
    const versions = [
      createStylesheet(),
      createStylesheet('#7a2e8e'),
      createStylesheet('#7a2e8e', 'h1{color:red}'),
    ].map(({ version }) => version)
    expect(new Set(versions).size).toBe(3)
    expect(createStylesheet().version).toBe(versions[0])
  })

  it('ends with what the host adds, so that it counts', () => {
    expect(createStylesheet(undefined, 'h1{color:red}').css.endsWith('\nh1{color:red}')).toBe(true)
  })

  it('asks nobody for anything', () => {
    expect(createStylesheet().css).not.toMatch(/url\(|@import|@font-face|https?:/)
  })
})

describe('A brand', () => {
  it('is kept as it is, and by itself', () => {
    const given = {
      name: 'Grünwald & Söhne',
      accent: '#0B57D0',
      logo,
      links: { privacy: 'https://a.example/privacy' },
    }
    const brand = checkBrand(given)
    expect(brand).toEqual(given)
    expect(Object.isFrozen(brand) && Object.isFrozen(brand.logo)).toBe(true)
  })

  it.each<[string, unknown]>([
    ['pages.brand', 'Example Chat'],
    ['pages.brand.name', {}],
    ['pages.brand.name', { name: '' }],
    ['pages.brand.name', { name: ' ' }],
    ['pages.brand.name', { name: 'a'.repeat(61) }],
    ['pages.brand.name', { name: 'a\nb' }],
    ['pages.brand.name', { name: 'a\u202Eb' }],
    ['pages.brand.name', { name: 'a\uD800' }],
    ['pages.brand.accent', { name: 'a', accent: 'blue' }],
    ['pages.brand.accent', { name: 'a', accent: '#0b57d080' }],
    ['pages.brand.accent', { name: 'a', accent: '#abc' }],
    ['pages.brand.accent', { name: 'a', accent: '#0b57d0;}*{display:none' }],
    ['pages.brand.logo.file', { name: 'a', logo: { ...logo, file: '/etc/passwd' } }],
    ['pages.brand.logo.file', { name: 'a', logo: { ...logo, file: '.svg' } }],
    ['pages.brand.logo.file', { name: 'a', logo: { ...logo, file: 'a\0.svg' } }],
    ['pages.brand.logo.alt', { name: 'a', logo: { ...logo, alt: 'a\nb' } }],
    ['pages.brand.logo.width', { name: 'a', logo: { ...logo, width: 321 } }],
    ['pages.brand.logo.height', { name: 'a', logo: { ...logo, height: 0 } }],
    ['pages.brand.links.privacy', { name: 'a', links: { privacy: 'javascript:alert(1)' } }],
    ['pages.brand.links.privacy', { name: 'a', links: { privacy: '/privacy' } }],
    ['pages.brand.links.terms', { name: 'a', links: { terms: 'http://a.example/' } }],
    ['pages.brand.links.help', { name: 'a', links: { help: 'https://a@a.example/' } }],
    ['pages.brand.links.help', { name: 'a', links: { help: 'https://:b@a.example/' } }],
    ['pages.brand.colour', { name: 'a', colour: '#000000' }],
  ])('is refused by the name of what is wrong: %s of %j', (option, given) => {
    expect(() => checkBrand(given as BrandOptions)).toThrow(
      expect.objectContaining({ name: 'AuthConfigError', option }),
    )
  })

  it('takes nothing from what all objects have', () => {
    const given = Object.create({ name: 'a' })
    expect(() => checkBrand(given)).toThrow(/pages\.brand\.name/)
  })
})
