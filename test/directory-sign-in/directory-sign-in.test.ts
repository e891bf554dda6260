import { describe, expect, it } from 'vitest'
import type { Mail } from '../../src/index.js'
import { totpCode } from '../../src/testing/testing.js'
import { bearer, get, logIn, post } from '../support/client.js'
import { password, passwordHash, totpSecret } from '../support/host.js'
import { memoryDirectory } from '../support/memory-directory.js'
import { accountsOptions, tokenIn } from '../support/mounted-accounts.js'
import { rightPassword, startDirectories } from './directory-host.js'

const asAda = { username: 'ada', password: rightPassword }

describe('a user who is connected with an entry', () => {
  it('signs in with the password of the directory, and the session belongs to the entry', async () => {
    const host = await startDirectories()
    const { status, body } = await post(host, '/login', asAda)
    expect([status, body.data.userId]).toEqual([200, 'u-ada'])
    const [session] = await host.stores.sessions.listForUser('u-ada', host.clock())
    expect(session).toMatchObject({ methods: ['pwd'], upstream: /^directory:corp [\w-]{43}$/ })
  })

  it('has no other password: a hash that the host still has is never compared, nor replaced', async () => {
    const host = await startDirectories()
    host.users.change('u-ada', { passwordHash })
    expect((await post(host, '/login', { username: 'ada', password })).status).toBe(401)
    expect((await post(host, '/login', asAda)).status).toBe(200)
    expect(host.users.rows.get('u-ada')?.passwordHash).toBe(passwordHash)
  })

  it('has the new password from the moment at which the directory has it', async () => {
    const host = await startDirectories()
    await logIn(host, asAda)
    host.directory.setPassword('ada', 'another one of the company')
    expect((await post(host, '/login', asAda)).status).toBe(401)
    const now = { username: 'ada', password: 'another one of the company' }
    expect((await post(host, '/login', now)).status).toBe(200)
  })

  it('proves the password of the directory in a session, too', async () => {
    const host = await startDirectories({ options: accountsOptions() })
    const token = (await logIn(host, asAda)).authToken
    host.clock.advance(3600)
    const totp = (given: string) => post(host, '/auth/totp', { password: given }, bearer(token))
    expect((await totp(password)).status).toBe(401)
    expect((await totp(rightPassword)).status).toBe(200)
  })

  it('is not let in by an outage, which is 503 with the time to wait', async () => {
    const host = await startDirectories()
    host.directory.down(true)
    const answer = await post(host, '/login', asAda)
    expect(answer.status).toBe(503)
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    host.directory.down(false)
    expect((await post(host, '/login', asAda)).status).toBe(200)
  })

  it('whose password is over learns where it is changed, after the right one alone', async () => {
    const directory = memoryDirectory({ changePasswordUrl: 'https://sspr.example.com' })
    const host = await startDirectories({ directory })
    directory.setVerdict('ada', { outcome: 'must-change' })
    const { status, body } = await post(host, '/login', asAda)
    expect([status, body]).toMatchObject([
      403,
      { error: 'password-expired', details: { url: 'https://sspr.example.com' } },
    ])
    expect((await post(host, '/login', { ...asAda, password: 'wrong one' })).status).toBe(401)
    expect(host.events).toContainEqual(
      expect.objectContaining({
        type: 'directory.refused',
        reason: 'must-change',
        userId: 'u-ada',
      }),
    )
  })

  it('is refused by `allowed` with its text, after the right password alone', async () => {
    const host = await startDirectories({
      directories: { allowed: ({ groups }) => groups.includes('cn=chat') || 'Not in the group.' },
    })
    const { status, body } = await post(host, '/login', asAda)
    expect([status, body.message]).toEqual([403, 'Not in the group.'])
    expect((await post(host, '/login', { ...asAda, password: 'wrong one' })).status).toBe(401)
    host.directory.setGroups('ada', ['cn=chat'])
    expect((await post(host, '/login', asAda)).status).toBe(200)
  })

  it('signs in by every name of the entry, also by one that the host does not know', async () => {
    const host = await startDirectories()
    host.directory.add({
      username: 'ada',
      subject: 'guid-ada',
      email: 'ada.lovelace@corp.example',
      password: rightPassword,
    })
    const byAddress = { email: 'ada.lovelace@corp.example', password: rightPassword }
    const { status, body } = await post(host, '/login', byAddress)
    expect([status, body.data?.userId]).toEqual([200, 'u-ada'])
  })

  it('is handed to `signedIn` with the entry, which is awaited', async () => {
    const seen: unknown[] = []
    const host = await startDirectories({
      directories: { signedIn: async (userId, entry) => void seen.push([userId, entry.subject]) },
    })
    await logIn(host, asAda)
    expect(seen).toEqual([['u-ada', 'guid-ada']])
  })

  it('shows a second factor after the password of the directory, as everybody does', async () => {
    const host = await startDirectories()
    await host.auth.secondFactors.importTotp({ userId: 'u-ada', secret: totpSecret })
    expect((await post(host, '/login', asAda)).body.error).toBe('totp-required')
    const code = totpCode(totpSecret, host.clock())
    expect((await post(host, '/login', { ...asAda, code })).status).toBe(200)
  })

  it('sets none by a link that was mailed before, either', async () => {
    const mails: Mail[] = []
    const host = await startDirectories({ options: accountsOptions(mails) })
    host.users.change('u-alice', { emailVerified: true })
    await post(host, '/auth/password/forgot', { username: 'alice' })
    await expect.poll(() => mails.map(({ kind }) => kind)).toContain('reset-password')
    await host.auth.identities.connect({ userId: 'u-alice', directory: 'corp', subject: 'guid-a' })
    const token = tokenIn(mails.find(({ kind }) => kind === 'reset-password')?.url)
    const given = { token, password: 'quite another passphrase' }
    const { status, body } = await post(host, '/auth/password/reset', given)
    expect([status, body.error]).toEqual([403, 'password-elsewhere'])
    expect(host.users.rows.get('u-alice')?.passwordHash).toBe(passwordHash)
  })

  it('changes no password here, and is told where', async () => {
    const mails: Mail[] = []
    const directory = memoryDirectory({ changePasswordUrl: 'https://sspr.example.com' })
    const host = await startDirectories({ directory, options: accountsOptions(mails) })
    host.users.change('u-ada', { emailVerified: true })
    const token = (await logIn(host, asAda)).authToken
    const newPassword = 'quite another passphrase'
    const asked = { password: rightPassword, newPassword }
    const { status, body } = await post(host, '/auth/password/change', asked, bearer(token))
    expect([status, body]).toMatchObject([
      403,
      { error: 'password-elsewhere', details: { url: 'https://sspr.example.com' } },
    ])
    expect((await post(host, '/auth/password/forgot', { username: 'ada' })).status).toBe(202)
    await expect.poll(() => mails.map(({ kind }) => kind)).toContain('password-elsewhere')
    const mail = mails.find(({ kind }) => kind === 'password-elsewhere')
    expect(mail).toMatchObject({ to: 'ada@example.com', url: 'https://sspr.example.com' })
    expect(mail?.text).toContain('https://sspr.example.com')
    expect(host.users.rows.get('u-ada')?.passwordHash).toBeNull()
  })
})

describe('a user who is connected with no entry', () => {
  it('signs in with the hash of the host, also while the directory is down', async () => {
    const host = await startDirectories()
    host.directory.down(true)
    expect((await post(host, '/login', { username: 'alice', password })).status).toBe(200)
    expect((await post(host, '/login', { username: 'alice', password: 'wrong' })).status).toBe(401)
    // Nobody waits for it twice.
    expect(host.directory.calls).toMatchObject({ find: 2, verify: 0 })
  })

  it('is never taken over by an entry of the same name, which is reported', async () => {
    const host = await startDirectories({ directories: { unknown: 'create' } })
    host.directory.add({ username: 'alice', password: rightPassword })
    const asAlice = { username: 'alice', password: rightPassword }
    expect((await post(host, '/login', asAlice)).status).toBe(401)
    expect(host.events).toContainEqual(
      expect.objectContaining({
        type: 'directory.name-taken',
        userId: 'u-alice',
        directory: 'corp',
      }),
    )
    expect(await host.stores.identities.listForUser('u-alice')).toEqual([])
  })

  it('has no password at all where the directories are the only ones', async () => {
    const host = await startDirectories({ directories: { only: true } })
    expect((await post(host, '/login', { username: 'alice', password })).status).toBe(401)
    expect((await post(host, '/login', asAda)).status).toBe(200)
  })
})

describe('somebody of the directory who is no user', () => {
  const grace = { username: 'grace', subject: 'guid-grace', password: rightPassword }
  const asGrace = { username: 'grace', password: rightPassword }

  it('is refused like a wrong password, unless strangers become users', async () => {
    const host = await startDirectories()
    host.directory.add(grace)
    const right = await post(host, '/login', asGrace)
    const wrong = await post(host, '/login', { ...asGrace, password: 'wrong one' })
    expect([right.status, right.text]).toEqual([401, wrong.text])
  })

  it('stands in the events of a refusal by what was typed, so that a support desk finds it', async () => {
    const host = await startDirectories({
      directories: { unknown: 'create', allowed: () => 'Not you.' },
    })
    host.directory.add(grace)
    const { status } = await post(host, '/login', asGrace)
    for (let n = 0; n < 3; n += 1)
      await post(host, '/login', { ...asGrace, password: `guess ${n}` })
    const of = (type: string) => host.events.find((event) => event.type === type)
    const { identifierDigest } = of('login.failed') as { identifierDigest?: string }
    expect([status, identifierDigest]).toEqual([403, expect.any(String)])
    expect(of('directory.refused')).toMatchObject({ userId: null, identifierDigest })
    expect(of('login.throttled')).toMatchObject({ scope: 'directory', identifierDigest })
  })

  it('becomes one user of many calls at once, who is connected', async () => {
    const host = await startDirectories({ directories: { unknown: 'create', emailProven: true } })
    host.directory.add({ ...grace, displayName: 'Grace Hopper', email: 'grace@example.com' })
    const answers = await Promise.all(
      Array.from({ length: 3 }, () => post(host, '/login', asGrace)),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const [user, ...others] = [...host.users.rows.values()].filter(
      (one) => one.username === 'grace',
    )
    expect(others).toEqual([])
    expect(user).toMatchObject({ name: 'Grace Hopper', email: 'grace@example.com' })
    const row = await host.stores.identities.find('directory:corp', 'guid-grace')
    expect(row).toMatchObject({ userId: user?.id, issuer: 'directory:corp' })
  })

  it('has no address that the directory has not proven', async () => {
    const host = await startDirectories({ directories: { unknown: 'create' } })
    host.directory.add({ ...grace, email: 'grace@example.com' })
    await logIn(host, asGrace)
    const user = [...host.users.rows.values()].find((one) => one.username === 'grace')
    expect(user?.email).toBeNull()
  })

  it('is nobody if two directories have the name', async () => {
    const [one, other] = [memoryDirectory(), memoryDirectory({ id: 'labs' })]
    const host = await startDirectories({
      directory: one,
      directories: { list: [one, other], unknown: 'create' },
    })
    one.add(grace)
    other.add(grace)
    expect((await post(host, '/login', asGrace)).status).toBe(401)
    expect(host.events).toContainEqual(
      expect.objectContaining({ type: 'directory.ambiguous', directories: ['corp', 'labs'] }),
    )
  })
})

describe('an entry', () => {
  it('is connected with one user, and a user with one entry', async () => {
    const host = await startDirectories()
    const { connect } = host.auth.identities
    const taken = { userId: 'u-alice', directory: 'corp', subject: 'guid-ada' }
    await expect(connect(taken)).rejects.toMatchObject({ code: 'identity-in-use' })
    const second = { userId: 'u-ada', directory: 'corp', subject: 'guid-2' }
    await expect(connect(second)).rejects.toMatchObject({ code: 'identity-in-use' })
    await connect({ userId: 'u-ada', directory: 'corp', subject: 'guid-ada' })
    await expect(connect({ ...taken, directory: 'none' })).rejects.toMatchObject({ status: 400 })
    await expect(connect({ ...taken, userId: 'u-0' })).rejects.toMatchObject({ status: 400 })
  })

  it('is disconnected by the host, after which the hash of the host counts again', async () => {
    const host = await startDirectories()
    host.users.change('u-ada', { passwordHash })
    const entry = { userId: 'u-ada', directory: 'corp' }
    expect(await host.auth.identities.disconnect(entry)).toBe(true)
    expect(await host.auth.identities.disconnect(entry)).toBe(false)
    expect((await post(host, '/login', { username: 'ada', password })).status).toBe(200)
  })
})

describe('without the option', () => {
  it('auth.identities and auth.directories name it', async () => {
    const { startHost } = await import('../support/host.js')
    const { auth } = await startHost()
    const entry = { userId: 'u-alice', directory: 'corp', subject: 'guid' }
    await expect(auth.identities.connect(entry)).rejects.toMatchObject({ option: 'directories' })
    await expect(auth.directories.look()).rejects.toMatchObject({ option: 'directories' })
  })
})

describe('GET /me of a user of a directory', () => {
  it('answers as for every user', async () => {
    const host = await startDirectories()
    const token = (await logIn(host, asAda)).authToken
    expect((await get(host, '/me', bearer(token))).status).toBe(200)
  })
})
