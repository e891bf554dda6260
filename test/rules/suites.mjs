// What `npm run test:all` runs, in this order, and which part of the project each suite is about.
// Each starts what `npm run build` has made, the example too: test-all.mjs builds before.

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
const node = (...args) => ['node', ...args]
const vitest = (folder) => [
  'node_modules/.bin/vitest',
  'run',
  '--root',
  '.',
  '--config',
  `test/${folder}/vitest.config.ts`,
]
const tier = (name) => node('test/rules/test.mjs', name)
/** What runs on a server: a new capability is among them. */
const elsewhere = ['client', 'openapi', 'pages', 'testing']
const server = readdirSync(join(import.meta.dirname, '../../src'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !elsewhere.includes(entry.name))
  .map(({ name }) => `src/${name}/`)
const signIn = ['src/errors.ts', 'src/sign-in.ts', 'src/sign-in-again.ts', 'src/sign-in-factor.ts']

/** @type {readonly Suite[]} */
export const suites = [
  { name: 'check', command: node('test/rules/check.mjs'), rooms: everything },
  { name: 'test', command: ['npm', 'test'], rooms: everything },
  { name: 'rest', command: tier('rest'), rooms: everything },
  { name: 'long', command: tier('long'), rooms: everything },
  {
    name: 'further',
    command: tier('further'),
    rooms: [...common, 'src/', 'docs/', 'example-app/', 'test/'],
  },
  {
    name: 'alone',
    command: node('test/rules/test-alone.mjs'),
    rooms: [...common, 'src/', 'test/', 'example-app/'],
  },
  {
    name: 'rounds',
    command: tier('rounds'),
    rooms: [...common, 'src/', 'test/'],
  },
  {
    name: 'engines',
    command: tier('engines'),
    rooms: [...common, 'src/stores/', 'src/testing/', 'src/sessions/', 'docs/examples/mongodb/'],
  },
  {
    name: 'packed',
    command: node('test/surface/packed/run.mjs'),
    rooms: [...common, 'src/', 'test/surface/', 'README.md'],
  },
  {
    name: 'recipes',
    command: node('test/recipes/run.mjs'),
    rooms: [...common, 'docs/', 'src/index.ts', 'src/passwords/', 'src/users/', 'test/recipes/'],
  },
  {
    name: 'hosts',
    command: node('test/hosts/run.mjs'),
    rooms: [...common, ...server, ...signIn, 'src/index.ts', 'test/hosts/'],
  },
  {
    name: 'oauth-clients',
    command: node('test/oauth-clients/run.mjs'),
    rooms: [...common, ...server, ...signIn, 'src/pages/', 'example-app/', 'test/oauth-clients/'],
  },
  {
    name: 'openapi-clients',
    command: node('test/openapi-clients/run.mjs'),
    rooms: [
      ...common,
      ...server,
      ...signIn,
      'src/openapi/',
      'src/router/operations.ts',
      'openapi.json',
      'example-app/',
      'test/openapi-clients/',
    ],
  },
  {
    name: 'readme',
    command: node('test/surface/readme-walk.mjs'),
    rooms: [...common, ...server, ...signIn, 'README.md', 'docs/', 'example-app/', 'test/surface/'],
  },
  {
    name: 'smoke',
    command: node('test/rules/smoke.mjs'),
    rooms: [...common, ...server, ...signIn, 'src/audit/', 'test/outages/'],
  },
  {
    name: 'outages',
    command: vitest('outages'),
    rooms: [...common, ...server, ...signIn, 'src/audit/', 'example-app/', 'test/outages/'],
  },
  {
    name: 'timing',
    command: vitest('timing'),
    rooms: [...common, ...server, ...signIn, 'src/audit/', 'test/timing/'],
  },
  {
    name: 'soak',
    command: node('test/soak/soak.mjs'),
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
