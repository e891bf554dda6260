// What `npm run test:all` runs, in this order, and which part of the project each suite is about.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * @typedef {object} Suite
 * @property {string} name As in `--only`, and in the table at the end.
 * @property {readonly string[]} command
 * @property {readonly string[]} rooms What it is about: files, or folders with a slash at the end.
 *   With `--since` it runs where one of them has changed.
 */

const everything = ['']
/** Whoever changes these may change any suite. */
const common = ['package.json', 'package-lock.json', 'tsconfig.json', '.ci/', 'test/support/']
const npm = (script) => ['npm', 'run', '--silent', script]
/** What runs on a server: a new capability is among them. */
const elsewhere = ['client', 'openapi', 'pages', 'testing']
const server = readdirSync(join(import.meta.dirname, '../../src'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !elsewhere.includes(entry.name))
  .map(({ name }) => `src/${name}/`)
const signIn = ['src/errors.ts', 'src/sign-in.ts', 'src/sign-in-again.ts', 'src/sign-in-factor.ts']

/** @type {readonly Suite[]} */
export const suites = [
  { name: 'check', command: npm('check'), rooms: everything },
  { name: 'test', command: ['npm', 'test'], rooms: everything },
  { name: 'long', command: npm('test:long'), rooms: everything },
  {
    name: 'further',
    command: npm('test:further'),
    rooms: [...common, 'src/', 'docs/', 'example-app/', 'test/'],
  },
  {
    name: 'alone',
    command: npm('test:alone'),
    rooms: [...common, 'src/', 'test/', 'example-app/'],
  },
  {
    name: 'rounds',
    command: npm('test:rounds'),
    rooms: [...common, 'src/', 'test/'],
  },
  {
    name: 'engines',
    command: npm('test:engines'),
    rooms: [...common, 'src/stores/', 'src/testing/', 'src/sessions/', 'docs/examples/mongodb/'],
  },
  {
    name: 'packed',
    command: npm('test:packed'),
    rooms: [...common, 'src/', 'test/surface/', 'README.md'],
  },
  {
    name: 'recipes',
    command: npm('test:recipes'),
    rooms: [...common, 'docs/', 'src/index.ts', 'src/passwords/', 'src/users/', 'test/recipes/'],
  },
  {
    name: 'hosts',
    command: npm('test:hosts'),
    rooms: [...common, ...server, ...signIn, 'src/index.ts', 'test/hosts/'],
  },
  {
    name: 'oauth-clients',
    command: npm('test:oauth-clients'),
    rooms: [...common, ...server, ...signIn, 'src/pages/', 'test/oauth-clients/'],
  },
  {
    name: 'openapi-clients',
    command: npm('test:openapi-clients'),
    rooms: [
      ...common,
      ...server,
      ...signIn,
      'src/openapi/',
      'openapi.json',
      'example-app/',
      'test/openapi-clients/',
    ],
  },
  {
    name: 'readme',
    command: npm('test:readme'),
    rooms: [...common, ...server, ...signIn, 'README.md', 'docs/', 'example-app/', 'test/surface/'],
  },
  {
    name: 'outages',
    command: npm('test:outages'),
    rooms: [...common, ...server, ...signIn, 'src/audit/', 'example-app/', 'test/outages/'],
  },
  {
    name: 'timing',
    command: npm('test:timing'),
    rooms: [...common, ...server, ...signIn, 'src/audit/', 'test/timing/'],
  },
  {
    name: 'soak',
    command: npm('test:soak'),
    rooms: [...common, ...server, ...signIn, 'src/audit/', 'test/soak/'],
  },
]

/** The suites that changes of these files concern. */
export function suitesOf(changed) {
  return suites.filter(({ rooms }) =>
    rooms.some((room) => changed.some((file) => file === room || isBelow(file, room))),
  )
}

function isBelow(file, room) {
  return (room === '' || room.endsWith('/')) && file.startsWith(room)
}
