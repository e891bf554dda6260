// `directory check` and `directory watch`, as an operator's shell runs them.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { authority, openPlace, tlsUrl } from '../directories/support/slapd.js'
import { ldapUrl } from '../support/services.js'
import { runProgram, scratchFolder } from './running-program.js'

const folder = scratchFolder()
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs `directory` with a file of this text. */
function run(text: string, ...args: string[]) {
  writeFileSync(join(folder, 'auth-admin.mjs'), text)
  return runProgram({ cwd: folder, env: process.env }, ['directory', ...args])
}

/** A directory whose people are these, and a session of u-ada, who is connected. */
const fileWith = (look: string, check = '[]') => `
import { memoryStores } from 'messaging-auth-router/stores/memory'
const stores = memoryStores()
const [at, later] = [new Date(), new Date(Date.now() + 3_600_000)]
await stores.sessions.create({
  id: 'AAAAAAAAAAAAAAAAAAAAAA', userId: 'u-ada', kind: 'login', scope: '*', methods: ['pwd'],
  authenticatedAt: at, createdAt: at, lastSeenAt: at, idleExpiresAt: later, expiresAt: later,
  refresh: null, ip: null, userAgent: null, endedAt: null, endReason: null,
})
const provider = 'directory:corp'
await stores.identities.link({
  id: 'i-1', provider, issuer: provider, subject: 'guid-ada', userId: 'u-ada', label: 'ada',
  passwordMark: null, createdAt: at, lastUsedAt: null,
})
const ada = { subject: 'guid-ada', dn: 'uid=ada', username: 'ada', groups: [], disabled: false }
const corp = {
  id: 'corp', name: 'Example Ltd', find: async () => [ada], look: async () => ${look},
  verify: async () => ({ outcome: 'wrong', reason: 'refused' }), close: async () => {},
  check: async () => ${check},
}
const allowed = ({ groups }) => groups.length > 0 || 'You are in no \\u001b[2J group.'
export default { stores, directories: { list: [corp], allowed }, onEvent() {} }
`
const down = '{ throw new Error("mar-secret") }'

describe('directory watch', () => {
  it('ends the sessions of who has left, and shows how many', async () => {
    const { code, out, err } = await run(fileWith('[]'), 'watch', '--once')
    const table = 'directory  people  left\ncorp       1       1\n'
    expect([code, out, err]).toEqual([0, table, ''])
    const asked = await run(fileWith('[ada]'), 'watch', '--once', '--json')
    // Nobody is allowed.
    expect(JSON.parse(asked.out)).toEqual([{ directory: 'corp', people: 1, left: 1 }])
  })

  it('exits with 1 where it could not look, and ends nobody', async () => {
    const { code, out, err } = await run(fileWith(down), 'watch', '--once')
    expect([code, out]).toEqual([1, 'directory  people  left\ncorp       -       -\n'])
    expect(err).toContain('could not be looked at: corp')
    expect(err).toContain('directories.corp.look')
    expect(err).not.toContain('mar-secret')
  })

  it('does not stay and watch', async () => {
    const { code, out, err } = await run(fileWith('[ada]'), 'watch')
    expect([code, out, err]).toEqual([2, '', expect.stringContaining('--once')])
  })
})

describe('directory check', () => {
  it('shows each step with its fault and remedy, harmlessly, and exits with 1', async () => {
    const steps = `[{ step: 'connect', ok: true, found: 'connected' },
      { step: 'bind', ok: false, found: '\\u001b[2J', remedy: 'check bind.' }]`
    const { code, out } = await run(fileWith('[]', steps), 'check')
    expect([code, out]).toEqual([
      1,
      'corp: ok: connect: connected\ncorp: fault: bind: \\u{1b}[2J; check bind.\n',
    ])
  })

  it('ends with what the rule says of somebody', async () => {
    const { code, out } = await run(fileWith('[]'), 'check', '--user', 'ada')
    expect([code, out]).toEqual([1, expect.stringContaining('You are in no \\u{1b}[2J group.')])
  })

  it('says which directory there is not, and what the file lacks', async () => {
    const other = await run(fileWith('[]'), 'check', '--directory', 'school')
    expect([other.code, other.err]).toEqual([2, expect.stringContaining('no such directory')])
    const bare = `import { memoryStores } from 'messaging-auth-router/stores/memory'
export default { stores: memoryStores() }`
    const without = await run(bare, 'check')
    expect([without.code, without.err]).toEqual([2, expect.stringContaining('directories')])
  })
})

describe.skipIf(ldapUrl === null)('directory check of OpenLDAP', () => {
  const fileOf = (options: object, rest = '') => `
import { ldapDirectory } from 'messaging-auth-router/directories'
import { memoryStores } from 'messaging-auth-router/stores/memory'
const list = [ldapDirectory(${JSON.stringify(options)})]
export default { stores: memoryStores(), directories: { list${rest} } }`

  async function place() {
    const opened = await openPlace()
    onTestFinished(opened.close)
    const options = { ...opened.options, urls: [tlsUrl()], tls: { ca: authority() } }
    await opened.group('chat', [await opened.person('ada')])
    return options
  }

  it('goes from the connection to the rule, and shows no password', async () => {
    const options = await place()
    const rule = ', allowed: ({ groups }) => groups.some((dn) => dn.startsWith("cn=chat,"))'
    const { code, out, err } = await run(fileOf(options, rule), 'check', '--user', 'ada', '--json')
    const steps = JSON.parse(out) as { step: string; ok: boolean; found: string }[]
    expect([code, err, steps.filter(({ ok }) => !ok)]).toEqual([0, '', []])
    expect(steps.map(({ step }) => step.split(' ')[0])).toEqual([
      'connect',
      'check',
      'bind',
      'read',
      'find',
      'read',
      'read',
      'ask',
    ])
    expect(steps.at(-3)?.found).toContain('cn=chat,')
    expect(out).not.toContain(options.bind.password)
  })

  it('ends with a fault for somebody who is disabled, and exits with 1', async () => {
    const opened = await openPlace()
    onTestFinished(opened.close)
    await opened.person('iris', { pwdAccountLockedTime: '000001010000Z' })
    const { code, out } = await run(fileOf(opened.options), 'check', '--user', 'iris')
    const last = out.trimEnd().split('\n').at(-1)
    expect([code, last]).toEqual([1, expect.stringMatching(/^corp: fault: .*: disabled/)])
  })

  it('names what to do about a refused service, and shows no password', async () => {
    const options = await place()
    const bind = { ...options.bind, password: 'mistyped by the operator' }
    const { code, out, err } = await run(fileOf({ ...options, bind }), 'check', '--user', 'ada')
    expect([code, out]).toEqual([1, expect.stringContaining('check bind.dn and bind.password')])
    expect(out.trimEnd().split('\n').at(-1)).toMatch(/^corp: fault: bind as /)
    expect(`${out}${err}`).not.toContain(bind.password)
  })
})
