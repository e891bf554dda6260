// The rotation of encryption keys as docs/operations.md tells it, walked with the example.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Kysely, SqliteDialect } from 'kysely'
import Libsql from 'libsql'
import { keyRing } from 'messaging-auth-router'
import { sqlStores } from 'messaging-auth-router/stores/sql'
import { beforeAll, expect, test } from 'vitest'
import { totpCode } from '../../src/testing/testing.js'
import {
  alice,
  bob,
  bobsSecret,
  buildExample,
  environmentIn,
  launchExample,
  startExample,
  temporaryFolder,
} from '../support/example.js'
import { request } from '../support/example-client.js'

const [older, newer] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')]
/** Bob's code of now, or the one after it, which the server takes as well. */
const codeOf = (step: 0 | 1) => totpCode(bobsSecret, new Date(Date.now() + 30_000 * step))

/** As an operator asks, with the example's auth-admin.mjs. */
function askWhatIsSealed(env: Record<string, string>) {
  const args = ['dist/cli.js', 'sealed', '--json', '--config', 'example-app/auth-admin.mjs']
  const cwd = join(import.meta.dirname, '../..')
  const found = JSON.parse(execFileSync(process.execPath, args, { cwd, env, encoding: 'utf8' }))
  return found.map(({ what, encryptionKey, count }: Record<string, unknown>) => [
    what,
    encryptionKey,
    count,
  ])
}

beforeAll(buildExample)

test('encryption keys are replaced one step at a time, and nobody is signed out', {
  timeout: 240_000,
}, async () => {
  const folder = temporaryFolder()
  const { DATABASE_URL } = environmentIn(folder)
  const file = String(DATABASE_URL).slice('sqlite:'.length)
  const rows = (query: string) => {
    const database = new Libsql(file)
    const found = database.prepare(query).all() as { sealed: string }[]
    database.close()
    return found.map(({ sealed }) => sealed)
  }
  const withKeys = async (keys: Record<string, string>, work: (url: string) => Promise<void>) => {
    const app = await startExample({ DATABASE_URL: String(DATABASE_URL), ...keys })
    try {
      await work(app.url)
    } finally {
      await app.stop()
    }
  }
  const signIn = async (url: string, body: object) => {
    const { status, json } = await request(url, 'POST', '/api/v1/login', body)
    expect(status).toBe(200)
    return json.data.authToken as string
  }
  const sealedKeys = () =>
    rows('select distinct substr(sealed_key, 1, 11) as sealed from mar_signing_keys')
  const sealedSeed = () =>
    rows('select substr(sealed_seed, 1, 11) as sealed from mar_second_factors')
  let token = ''
  const isSignedIn = async (url: string) => {
    const { status } = await request(url, 'GET', '/api/v1/me', undefined, {
      Authorization: `Bearer ${token}`,
    })
    expect(status).toBe(200)
  }

  await withKeys({ AUTH_ENCRYPTION_KEYS: older }, async (url) => {
    token = await signIn(url, alice)
  })
  const [before] = sealedSeed()
  const keysBefore = sealedKeys()
  await withKeys({ AUTH_ENCRYPTION_KEYS: `${older},${newer}` }, isSignedIn)
  expect(sealedSeed()).toEqual([before])
  await withKeys({ AUTH_ENCRYPTION_KEYS: `${newer}, ${older}` }, async (url) => {
    await isSignedIn(url)
    await signIn(url, { ...bob, code: codeOf(0) })
  })
  expect(sealedSeed()).not.toEqual([before])
  // The seed has followed; the signing key goes when it is over.
  const AUTH_ENCRYPTION_KEYS = `${newer},${older}`
  expect(askWhatIsSealed({ DATABASE_URL: String(DATABASE_URL), AUTH_ENCRYPTION_KEYS })).toEqual([
    ['totp-seeds', 1, 1],
    ['totp-seeds', 2, 0],
    ['signing-keys', 1, 0],
    ['signing-keys', 2, 1],
    ['id-token-keys', null, null],
  ])
  expect(sealedKeys()).toEqual(keysBefore)

  // The signing keys are not sealed anew, but replaced: too early is refused before anybody is
  // served.
  const early = launchExample({ DATABASE_URL: String(DATABASE_URL), AUTH_ENCRYPTION_KEYS: newer })
  expect(await early.exited).toBe(1)
  expect(early.output.stderr).toMatch(/^AUTH_ENCRYPTION_KEYS: .*sealed with another key/)
  await replaceSigningKeys(file)
  expect(sealedKeys()).not.toContain(keysBefore[0])
  await withKeys(
    { AUTH_ENCRYPTION_KEYS: newer },
    async (url) => void (await signIn(url, { ...bob, code: codeOf(1) })),
  )
})

// What happens by itself within 30 days and the lifetime of the tokens, told by a clock that runs
// ahead.
async function replaceSigningKeys(file: string): Promise<void> {
  const day = 24 * 3600 * 1000
  const database = new Libsql(file)
  const { keys } = sqlStores(new Kysely<object>({ dialect: new SqliteDialect({ database }) }))
  let ahead = 0
  const ring = keyRing({
    store: keys,
    encryptionKeys: [newer, older],
    clock: () => new Date(Date.now() + ahead),
  })
  await ring.rotate()
  for (ahead of [1 * day, 120 * day]) await ring.rotate({ ifOlderThan: 365 * 24 * 3600 })
  database.close()
}
