// What an operator's command says of an event that nobody has taken, and whose file it runs.
import { chmodSync, chownSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { runProgram, scratchFolder } from './running-program.js'

const folder = scratchFolder()
const file = join(folder, 'auth-admin.mjs')
afterAll(() => rmSync(folder, { recursive: true }))

/** A file with one session of u-alice, and this `onEvent`. */
function write(onEvent: string): void {
  writeFileSync(
    file,
    `import { memoryStores } from 'messaging-auth-router/stores/memory'
const { sessions } = memoryStores()
const at = new Date()
const later = new Date(Date.now() + 3_600_000)
await sessions.create({
  id: 'AAAAAAAAAAAAAAAAAAAAAA', userId: 'u-alice', kind: 'login', scope: '*', methods: ['pwd'],
  authenticatedAt: at, createdAt: at, lastSeenAt: at, idleExpiresAt: later, expiresAt: later,
  refresh: null, ip: null, userAgent: null, endedAt: null, endReason: null,
})
export default { stores: { sessions }, storeTimeout: 200, ${onEvent} }
`,
  )
}

const end = ['sessions', 'end', '--user', 'u-alice', '--yes']
const run = (...args: string[]) => runProgram({ cwd: folder, env: process.env }, args)

describe('an event of an operator’s command', () => {
  it.each([
    ['rejects', 'onEvent: async () => { throw new Error("insert into x values (secret)") }'],
    ['throws', 'onEvent() { throw new Error("secret") }'],
    ['says nothing', 'onEvent: () => new Promise(() => {})'],
  ])('that is lost, since its sink %s, is told of, and the exit code is 3', async (_how, sink) => {
    write(sink)
    const { code, out, err } = await run(...end)
    expect([code, out]).toEqual([3, 'ended: 1\n'])
    expect(err).toContain('the event is lost: onEvent has not taken it')
    expect(err).not.toContain('secret')
  })

  it('that nobody is told of is no fault, but said', async () => {
    write('')
    const err = 'messaging-auth-router: no onEvent: nobody is told\n'
    expect(await run(...end)).toEqual({ code: 0, out: 'ended: 1\n', err })
    // Who only reads has nothing to tell.
    expect(await run('sessions', 'list', '--user', 'u-alice')).toMatchObject({ code: 0, err: '' })
  })

  it('that is taken is not talked of', async () => {
    write('onEvent() {}')
    expect(await run(...end)).toEqual({ code: 0, out: 'ended: 1\n', err: '' })
  })
})

describe.skipIf(process.getuid === undefined)('a file of somebody else', () => {
  it('that others may write is not run, unless it is named', async () => {
    write('onEvent() {}')
    chmodSync(file, 0o666)
    const refused = await run(...end)
    expect([refused.code, refused.out]).toEqual([2, ''])
    expect(refused.err).toContain('belongs to another user, or others may write it')
    expect((await run(...end, '--config', 'auth-admin.mjs')).code).toBe(0)
  })

  it.skipIf(process.getuid?.() !== 0)('that another user owns is not run', async () => {
    rmSync(file)
    write('onEvent() {}')
    chownSync(file, 65_534, 65_534)
    expect((await run(...end)).code).toBe(2)
  })
})
