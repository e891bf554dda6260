// Whether each page is HTML as its standard has it: what may stand in what, what must be closed,
// which values attributes take. Browsers mend what is not, each in its way.
import { HtmlValidate, StaticConfigLoader } from 'html-validate'
import { describe, expect, it } from 'vitest'
import { pageOf, stateOf } from './support/markup.js'
import { states } from './support/states.js'

const conforming = new HtmlValidate(
  new StaticConfigLoader({ root: true, extends: ['html-validate:standard'] }),
)

/** What the checker says of a page, each with the rule that it is of. */
async function faultsOf(markup: string): Promise<string[]> {
  const { results } = await conforming.validateString(markup)
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, line }) => `${ruleId} in line ${line}: ${message}`),
  )
}

describe('The markup of a page', () => {
  // In one language: the others differ by texts, in which there is no markup.
  it.each(Object.keys(states))('conforms to the standard: %s', async (name) => {
    expect(await faultsOf(stateOf(name))).toEqual([])
  })

  it('conforms with a logo, and with nothing of the host but its name', async () => {
    const view = states['signed-out-alone']
    if (view === undefined) throw new Error('no such state')
    const logo = { file: '/srv/logo.svg', alt: '', width: 120, height: 40 }
    const brand = { name: 'Ünder & Söhne' }
    const withLogo = pageOf(view, 'de', { logo: '/logo.svg?v=1', brand: { ...brand, logo } })
    const bare = pageOf(view, 'de', { brand, home: null, languages: [] })
    expect([await faultsOf(withLogo), await faultsOf(bare)]).toEqual([[], []])
  })

  it.each([
    ['an id twice', 'no-dup-id', '<h1>', '<h1 id="username">'],
    ['an element that is never closed', 'close-order', '</main>', ''],
    ['an attribute twice', 'no-dup-attr', '<h1>', '<h1 title="a" title="b">'],
    ['a label of no field', 'valid-for', 'for="username">', 'for="b"><b id="b"></b>'],
    ['a block within a line', 'element-permitted-content', '<h1>', '<h1><div></div>'],
    ['an element that there is not', 'element-name', '<h1>', '<tick></tick><h1>'],
    ['an autocomplete that there is not', 'valid-autocomplete', '"username webauthn"', '"name me"'],
  ])('does not conform with %s', async (_name, rule, from, to) => {
    const faults = await faultsOf(stateOf('sign-in').replace(from, to))
    expect(faults.filter((fault) => fault.startsWith(`${rule} in `))).not.toEqual([])
  })
})
