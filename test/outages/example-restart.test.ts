import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { totpCode } from '../../src/testing/testing.js'
import {
  alice,
  bob,
  bobsSecret,
  buildExample,
  type Example,
  environmentIn,
  launchExample,
  startExample,
  temporaryFolder,
} from '../support/example.js'
import { bearer, refresh, request, signIn, signInSecondDevice } from '../support/example-client.js'

async function startIn(folder: string, env: Record<string, string> = {}): Promise<Example> {
  const app = await startExample({ ...environmentIn(folder), ...env })
  onTestFinished(async () => void (await app.stop('SIGKILL')))
  return app
}

function inDatabase<T>(folder: string, work: (database: Database.Database) => T): T {
  const database = new Database(join(folder, 'chat.db'))
  try {
    return work(database)
  } finally {
    database.close()
  }
}

const usersIn = (folder: string) =>
  inDatabase(folder, (database) =>
    database.prepare('select * from chat_users order by id').all(),
  ) as { id: string }[]

beforeAll(buildExample, 60_000)

describe('after a restart', () => {
  test.each(['SIGTERM', 'SIGKILL'] as const)(
    'by %s, alice is signed in as before, and her messages are there',
    async (signal) => {
      const folder = temporaryFolder()
      const before = await startIn(folder)
      const credentials = await signIn(before.url, alice)
      const device = await signInSecondDevice(before.url, credentials)
      const posted = await request(
        before.url,
        'POST',
        '/api/v1/rooms/general/messages',
        { text: 'still here? 👋' },
        credentials,
      )
      await before.stop(signal)

      const { url } = await startIn(folder)
      expect((await request(url, 'GET', '/api/v1/me', undefined, credentials)).json).toMatchObject({
        _id: 'id-alice',
      })
      expect(
        (await request(url, 'GET', '/api/v1/rooms', undefined, bearer(device.access_token))).status,
      ).toBe(200)
      const { json } = await request(
        url,
        'GET',
        '/api/v1/rooms/general/messages',
        undefined,
        credentials,
      )
      expect(json.messages).toEqual([posted.json.message])
      const refreshed = await refresh(url, device.refresh_token)
      expect(refreshed.status).toBe(200)
      expect(
        (await request(url, 'GET', '/api/v1/me', undefined, bearer(refreshed.json.access_token)))
          .status,
      ).toBe(200)
    },
  )

  test('by SIGKILL right after the answer, a logout holds', async () => {
    const folder = temporaryFolder()
    const before = await startIn(folder)
    const credentials = await signIn(before.url, alice)
    expect(
      (await request(before.url, 'POST', '/api/v1/logout', undefined, credentials)).status,
    ).toBe(200)
    await before.stop('SIGKILL')
    const { url } = await startIn(folder)
    expect((await request(url, 'GET', '/api/v1/me', undefined, credentials)).status).toBe(401)
  })

  test('bob cannot use his last code again', async () => {
    const folder = temporaryFolder()
    const before = await startIn(folder)
    const code = totpCode(bobsSecret, new Date())
    await signIn(before.url, { ...bob, code })
    await before.stop()
    const { url } = await startIn(folder)
    const again = await request(url, 'POST', '/api/v1/login', { ...bob, code })
    expect([again.status, again.json.error]).toEqual([401, 'totp-invalid'])
  })

  test('nobody is seeded again: what has changed stays, and whoever is new is added', async () => {
    const folder = temporaryFolder()
    await (await startIn(folder, { SEED_USERS: '2' })).stop()
    inDatabase(folder, (database) =>
      database.exec(
        "update chat_users set password_hash = 'changed', name = 'Álice' where id = 'id-alice'",
      ),
    )
    const changed = usersIn(folder)
    await (await startIn(folder, { SEED_USERS: '2' })).stop()
    expect(usersIn(folder)).toEqual(changed)
    await (await startIn(folder, { SEED_USERS: '3' })).stop()
    expect(usersIn(folder).filter(({ id }) => id !== 'id-user3')).toEqual(changed)
  })

  test('a start that was cut short is made good', async () => {
    const folder = temporaryFolder()
    await (await startIn(folder)).stop()
    inDatabase(folder, (database) => database.exec("delete from chat_users where id = 'id-bob'"))
    const { url } = await startIn(folder)
    expect((await request(url, 'POST', '/api/v1/login', bob)).json.error).toBe('totp-required')
    await signIn(url, { ...bob, code: totpCode(bobsSecret, new Date()) })
  })
})

describe('the encryption key', () => {
  test('is made once, in a file that only its owner can read, and nothing else is left beside it', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'kept', 'encryption.key')
    const env = { AUTH_ENCRYPTION_KEY_FILE: file }
    await (await startIn(folder, env)).stop()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(join(folder, 'kept')).mode & 0o777).toBe(0o700)
    expect(readdirSync(join(folder, 'kept'))).toEqual(['encryption.key'])
    const key = readFileSync(file, 'utf8')
    await (await startIn(folder, env)).stop()
    expect(readFileSync(file, 'utf8')).toBe(key)
  })

  const another = Buffer.from('another key of exactly 32 bytes!').toString('base64')

  test.each([
    [
      'in the environment',
      'AUTH_ENCRYPTION_KEYS',
      (_folder: string) => ({ AUTH_ENCRYPTION_KEYS: another }),
    ],
    [
      'in its file',
      'AUTH_ENCRYPTION_KEY_FILE',
      (folder: string) => {
        writeFileSync(join(folder, 'encryption.key'), another)
        return {}
      },
    ],
  ])('is missed in one line when another one is found %s', async (_where, setting, replaceKey) => {
    const folder = temporaryFolder()
    await (await startIn(folder)).stop()
    const { output, exited } = launchExample({ ...environmentIn(folder), ...replaceKey(folder) })
    expect(await exited).toBe(1)
    expect(output.stderr).toMatch(
      new RegExp(`^${setting}: [^\\n]+sealed with another key[^\\n]+\\n$`),
    )
    expect(output.stdout).toBe('')
  })

  test('is missed as well where the signing key is given', async () => {
    const folder = temporaryFolder()
    await (await startIn(folder)).stop()
    const { output, exited } = launchExample({
      ...environmentIn(folder),
      AUTH_ENCRYPTION_KEYS: another,
      AUTH_SIGNING_KEY: '{}',
    })
    expect(await exited).toBe(1)
    expect(output.stderr).toMatch(/^AUTH_ENCRYPTION_KEYS: /)
  })
})
