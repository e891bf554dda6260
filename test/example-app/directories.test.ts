// The example with a directory: its people sign in, and become users of the example.
import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runProgram, scratchFolder } from '../admin/running-program.js'
import { openPlace } from '../directories/support/slapd.js'
import {
  alice,
  buildExample,
  environmentIn,
  launchExample,
  startExample,
  temporaryFolder,
} from '../support/example.js'
import { ldapUrl } from '../support/services.js'

test.skipIf(ldapUrl === null)('people of a directory sign in to the example', async () => {
  buildExample()
  const place = await openPlace()
  onTestFinished(() => place.close())
  await place.person('ada')
  await place.entry(`uid=eve,${place.people}`, {
    objectClass: ['inetOrgPerson'],
    cn: 'Eve',
    sn: 'Eve',
    userPassword: 'password of eve',
  })
  const { url, stop } = await startExample({
    ...environmentIn(temporaryFolder()),
    DIRECTORIES: JSON.stringify([place.options]),
  })
  onTestFinished(async () => void (await stop('SIGKILL')))
  const logIn = async (credentials: object) => {
    const headers = { 'Content-Type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(credentials) }
    const answer = await fetch(`${url}/api/v1/login`, init)
    const body = (await answer.json()) as { data?: { userId: string }; message?: string }
    return { status: answer.status, body }
  }
  const ada = { password: 'password of ada' }
  const first = await logIn({ username: 'ada', ...ada })
  expect(first).toMatchObject({ status: 200, body: { data: { me: { name: 'Name of ada' } } } })
  const again = await logIn({ email: 'ada@mail.example', ...ada })
  expect(again.body.data?.userId).toBe(first.body.data?.userId)
  expect((await logIn({ username: 'ada', password: 'wrong' })).status).toBe(401)
  expect((await logIn(alice)).status).toBe(200)
  expect(await logIn({ username: 'eve', password: 'password of eve' })).toMatchObject({
    status: 403,
    body: { message: 'Your entry in the directory has no address.' },
  })
})

const file = join(import.meta.dirname, '../../example-app/auth-admin.mjs')

test.skipIf(ldapUrl === null)('an operator checks it, and looks who has left', async () => {
  buildExample()
  const place = await openPlace()
  onTestFinished(() => place.close())
  const dn = await place.person('ada')
  const env = {
    ...environmentIn(temporaryFolder()),
    DIRECTORIES: JSON.stringify([place.options]),
  }
  const { url, stop } = await startExample(env)
  onTestFinished(async () => void (await stop('SIGKILL')))
  const credentials = { username: 'ada', password: 'password of ada' }
  const headers = { 'Content-Type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify(credentials) }
  expect((await fetch(`${url}/api/v1/login`, init)).status).toBe(200)
  const run = async (...args: string[]) => {
    const command = ['directory', ...args, '--json', '--config', file]
    const { code, out } = await runProgram({ cwd: import.meta.dirname, env }, command)
    return [code, JSON.parse(out)]
  }
  const [code, steps] = await run('check', '--user', 'ada')
  expect([code, steps.at(-1)]).toMatchObject([0, { step: 'ask allowed', found: 'yes' }])
  expect(await run('watch', '--once')).toEqual([0, [{ directory: 'corp', people: 1, left: 0 }]])
  await place.set(dn, { pwdAccountLockedTime: '000001010000Z' })
  expect(await run('watch', '--once')).toEqual([0, [{ directory: 'corp', people: 1, left: 1 }]])
})

test('an operator who has never started the example is told so', async () => {
  const folder = scratchFolder()
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'example-app'))
  const copy = join(folder, 'example-app/auth-admin.mjs')
  copyFileSync(file, copy)
  const given = ['directory', 'check', '--config', copy]
  const { code, err } = await runProgram({ cwd: folder, env: {} }, given)
  expect([code, err]).toEqual([2, expect.stringContaining('start it once with npm start')])
})

test('a directory that cannot be used is a line that names the variable', async () => {
  buildExample()
  const { output, exited } = launchExample({
    ...environmentIn(temporaryFolder()),
    DIRECTORIES: '[{"id":"corp","name":"Example Ltd","urls":["ldap://dc1.example.com"]}]',
  })
  expect(await exited).toBe(1)
  expect(output.stderr).toContain('DIRECTORIES: ')
})
