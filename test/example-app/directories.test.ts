// The example with a directory: its people sign in, and become users of the example.
import { expect, onTestFinished, test } from 'vitest'
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

test('a directory that cannot be used is a line that names the variable', async () => {
  buildExample()
  const { output, exited } = launchExample({
    ...environmentIn(temporaryFolder()),
    DIRECTORIES: '[{"id":"corp","name":"Example Ltd","urls":["ldap://dc1.example.com"]}]',
  })
  expect(await exited).toBe(1)
  expect(output.stderr).toContain('DIRECTORIES: ')
})
