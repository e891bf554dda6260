// The pages, byte by byte. `npx vitest run test/pages --update` writes them anew: see what changed.
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { passkeyScript, passwordScript } from '../../src/pages/assets/scripts.js'
import { createStylesheet, passkeyCss } from '../../src/pages/assets/stylesheet.js'
import { stateOf } from './support/markup.js'
import { states } from './support/states.js'
import { action } from './support/states-of.js'

const digestOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16)
const names = Object.keys(states)
const documentsIn = (tag: string) => names.map((name) => stateOf(name, tag)).join('')

/** What a view says, without the long values that the digests below hold. */
function mainOf(markup: string): string {
  const main = markup.slice(markup.indexOf('<main>'), markup.indexOf('</main>'))
  return main.replaceAll(action.replaceAll('&', '&amp;'), 'ACTION').replace(/ d="[^"]*"/, ' d="QR"')
}

it('What each page says is what was looked at', async () => {
  const head = stateOf('sign-in').split('<main>', 1)
  const mains = names.map((name) => `<!-- ${name} -->\n${mainOf(stateOf(name))}</main>\n`)
  await expect([...head, ...mains].join('')).toMatchFileSnapshot('snapshots/pages.txt')
})

it('No byte of a document, of the style sheet or of a script has changed', () => {
  expect({
    en: digestOf(documentsIn('en')),
    de: digestOf(documentsIn('de')),
    css: digestOf(createStylesheet('#7a2e8e', passkeyCss).css),
    passkeyScript: digestOf(passkeyScript),
    passwordScript: digestOf(passwordScript),
  }).toMatchInlineSnapshot(`
    {
      "css": "fcac30e01b58805f",
      "de": "4c112de1cc2f50df",
      "en": "b9f4b4f987f015dd",
      "passkeyScript": "af82c4615da7e35d",
      "passwordScript": "8cb1aaa8a80f690e",
    }
  `)
})
