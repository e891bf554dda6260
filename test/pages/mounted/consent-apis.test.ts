// The page of consent says at which APIs an app could act.
import { describe, expect, it } from 'vitest'
import { files, office, own, payments, startOffice } from './app-with-apis.js'
import type { PageAnswer } from './visitor.js'

const listIn = ({ text }: PageAnswer, by: string) =>
  [...text.matchAll(new RegExp(`aria-labelledby="${by}">(.*?)</ul>`, 'gs'))]
    .flatMap(([, list = '']) => [...list.matchAll(/<li>(.*?)<\/li>/gs)])
    .map(([, item]) => item)

describe('The page of consent', () => {
  it.each<[string, string[], string[]]>([
    ['no API, where none is asked for', [], []],
    ['none, where it is the host’s own', [own], []],
    ['another by its host', [files], ['<bdi>files.example.com</bdi>']],
    [
      'several, the host’s own among them by the name of the service',
      [payments, own, files],
      [
        '<bdi>Example Chat</bdi>',
        '<bdi>files.example.com</bdi>',
        '<bdi>payments.example.com</bdi>',
      ],
    ],
  ])('names %s', async (_what, at, apis) => {
    const { open } = await startOffice()
    const page = await open({ at })
    expect(listIn(page, 'scopes')).toEqual(['<bdi>Read your messages</bdi>'])
    expect(listIn(page, 'apis')).toEqual(apis)
    expect(page.text.includes('It could do this at:')).toBe(apis.length > 0)
  })

  it.each([
    ['en', 'It could do this at:', ['Your &lt;b&gt;files&lt;/b&gt; &amp; photos', 'Payments']],
    ['de', 'Das dürfte sie bei:', ['Deine Dateien', 'Payments']],
  ])('calls them as the host does, in %s', async (ui_locales, lead, names) => {
    const resources = {
      [files]: { en: 'Your <b>files</b> & photos', de: 'Deine Dateien' },
      [payments]: 'Payments',
    }
    const { open } = await startOffice('memory', { resources })
    const page = await open({ at: [files, payments], change: { ui_locales } })
    expect(listIn(page, 'apis')).toEqual(names.map((name) => `<bdi>${name}</bdi>`))
    expect(page.text).toContain(lead)
  })

  it.each([
    ['https://api.example.com/files', 'api.example.com/files'],
    ['https://api.example.com:8443/', 'api.example.com:8443'],
    ['https://api.example.com/a/?b=<&c', 'api.example.com/a/?b=&lt;&amp;c'],
    ['urn:example:files', 'urn:example:files'],
    ['http://127.0.0.1:9000/', 'http://127.0.0.1:9000/'],
  ])('calls %s %s', async (resource, shown) => {
    const resources = [resource]
    const { open } = await startOffice('memory', { clients: [{ ...office, resources }] })
    // It is also the one that is meant where none is named.
    for (const at of [[resource], []])
      expect(listIn(await open({ at }), 'apis')).toEqual([`<bdi>${shown}</bdi>`])
  })
})
