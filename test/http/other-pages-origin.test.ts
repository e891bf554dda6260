// A wrong `pagesOrigin` is the first mistake of a server with cookies: its log names both origins.
import { expect, it } from 'vitest'
import { createPages } from '../../src/http/page-origin.js'

function warningsFor(own: string, headers: Record<string, string>): string[] {
  const said: string[] = []
  const pages = createPages(own, ({ message }) => void said.push(message))
  const rawHeaders = Object.entries(headers).flat()
  const request = { method: 'POST', headers, rawHeaders }
  expect(() => pages.requireOwnPage(request as never)).toThrow()
  return said
}

it.each([
  [
    'another name of the machine',
    'http://localhost:3000',
    'http://127.0.0.1:3000',
    'localhost:3000',
  ],
  [
    'the host that is asked',
    'https://chat.example.com',
    'https://www.example.com',
    'www.example.com',
  ],
])('a page of %s is refused with a line that names both', (_what, own, origin, host) => {
  expect(warningsFor(own, { origin, host })).toEqual([
    `a page of ${origin} was refused: pagesOrigin is ${own}`,
  ])
})

it.each([
  ['another site', { origin: 'https://evil.example', host: 'chat.example.com' }],
  ['no origin that pages can have', { origin: 'null', host: 'chat.example.com' }],
  ['what is no address', { origin: 'http://[', host: 'http://[' }],
  ['no origin at all', { host: 'chat.example.com' }],
])('a page of %s is refused without a line', (_what, headers) => {
  expect(warningsFor('https://chat.example.com', headers)).toEqual([])
})
