// What a thief has added to an account, by the password or by a session, goes with a reset and with
// an undo; nothing of its owner does.
import { describe, expect, it } from 'vitest'
import { noticeKinds } from '../../src/accounts/mails.js'
import type { Mail } from '../../src/index.js'
import { assertion } from '../passkeys/authenticator.js'
import {
  begin as beginAt,
  browser,
  comeBack,
  fakeProvider,
  finish,
  lead,
  type ProviderHost,
  returnTo,
} from '../provider-sign-in/provider-host.js'
import { bearer, logIn, pkcePair, post } from '../support/client.js'
import { password, passwordHash, totpSecret } from '../support/host.js'
import { tokenIn } from '../support/mounted-accounts.js'
import { passkeyOptions } from '../support/mounted-passkeys.js'
import { oauthOf } from '../support/oauth-apps.js'
import { begin, codeOf, confirm, noon } from '../support/two-factor.js'
import {
  type AccountHost,
  type AccountSettings,
  newPassword,
  reset,
  startAccounts,
  tokenFor,
  undo,
} from './account-host.js'
import { addPasskey, signInBy } from './passkey-host.js'

type Host = AccountHost & Pick<ProviderHost, 'provider'>

async function start({ options, ...settings }: AccountSettings = {}) {
  const oauth = oauthOf()
  const provider = fakeProvider()
  const providers = { baseUrl: 'https://chat.example.com/api/v1', list: [provider] }
  const host = await startAccounts({
    now: noon,
    accounts: { deletion: true },
    ...settings,
    options: {
      ...passkeyOptions(),
      oauth,
      providers: { ...providers, returnTo: [returnTo] },
      ...options,
    },
  })
  host.issued.add('ada-1815')
  return { ...host, provider, consents: oauth.consents }
}

/** Connects alice's account with ada's at the provider. */
async function connect(host: Host, token: string): Promise<void> {
  const { codeVerifier, codeChallenge } = pkcePair()
  host.issued.add(codeVerifier)
  const asked = { returnTo, codeChallenge }
  const { body } = await post(host, '/auth/identities/fake', asked, bearer(token)).expect(200)
  const led = await lead(host, body.data.url, browser(host))
  const { ticket } = await comeBack({ codeVerifier, ...led })
  await post(host, '/auth/identities', { ticket, codeVerifier }, bearer(token)).expect(200)
}

async function signInAsAda(host: Host): Promise<number> {
  const begun = await beginAt(host)
  const { ticket } = await comeBack(begun)
  return (await finish(host, { ticket, codeVerifier: begun.codeVerifier })).status
}

/** Ways in that last: each is added in a session, and says whether it is there. */
const ways: Record<string, (host: Host, token: string) => Promise<() => Promise<boolean>>> = {
  'passkey-added': async (host, token) => {
    const passkey = await addPasskey(host, token)
    return async () => (await signInBy(host, passkey)).status === 200
  },
  'identity-linked': async (host, token) => {
    await connect(host, token)
    return async () => (await signInAsAda(host)) === 200
  },
  'factor-changed': async (host, token) => {
    await confirm(host, token, await begin(host, token))
    return async () => (await host.auth.secondFactors.status('u-alice')).enabled
  },
}

// Each opens sessions alone, which end: `held-things.ts` has them.
const sessionsAlone = ['device-linked', 'device-approved']
const noWayIn = [
  'password-changed',
  'passkey-removed',
  'identity-unlinked',
  'new-network',
  'acted-for',
  'clone-suspected',
]

it('every notice of something that was added is about a way in of this list', () => {
  expect(noticeKinds.toSorted()).toEqual(
    [...Object.keys(ways), ...sessionsAlone, ...noWayIn].toSorted(),
  )
})

async function changeAddress(host: AccountHost, token: string, email = 'thief@example.org') {
  const headers = bearer(token)
  const asked = await post(host, '/auth/email/change', { email, password }, headers).expect(202)
  const code = (await host.mailed('change-address')).at(-1)?.code ?? ''
  const given = { requestId: asked.body.data.requestId, code }
  await post(host, '/auth/email/confirm', given, headers).expect(200)
  return tokenIn((await host.mailed('address-changed')).at(-1)?.url)
}

describe('a thief of the password', () => {
  // TOTP stays: a mailbox must not take a factor away.
  it.each(['passkey-added', 'identity-linked'])(
    'loses with a reset what he has added: %s',
    async (name) => {
      const host = await start()
      const { authToken } = await logIn(host)
      const isThere = await (ways[name] as (typeof ways)[string])(host, authToken)
      expect(await isThere()).toBe(true)
      await reset(host, await tokenFor(host)).expect(200)
      expect(await isThere()).toBe(false)
    },
  )

  it('keeps it where the host has said so', async () => {
    const host = await start({ accounts: { resetKeepsWaysIn: true } })
    const { authToken } = await logIn(host)
    const isThere = await ways['passkey-added']?.(host, authToken)
    await reset(host, await tokenFor(host)).expect(200)
    expect(await isThere?.()).toBe(true)
  })

  it('a reset leaves a passkey that sign-in by password demands: it is the second factor', async () => {
    const host = await start({ options: passkeyOptions({ asSecondFactor: 'always' }) })
    const { authToken } = await logIn(host)
    await addPasskey(host, authToken)
    await reset(host, await tokenFor(host)).expect(200)
    const { body } = await post(host, '/login', { username: 'alice', password: newPassword })
    expect(body.error).toBe('totp-required')
  })

  it('a reset leaves what was added after a second factor was shown', async () => {
    const host = await start()
    await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
    const code = codeOf(host, totpSecret)
    const { authToken } = await logIn(host, { username: 'alice', password, code })
    const isThere = await ways['passkey-added']?.(host, authToken)
    await reset(host, await tokenFor(host)).expect(200)
    expect(await isThere?.()).toBe(true)
  })
})

describe('an undo', () => {
  it.each(Object.keys(ways))(
    'removes what was added since the sign-in that has changed the address: %s',
    async (name) => {
      for (const isBefore of [true, false]) {
        const host = await start()
        const { authToken } = await logIn(host)
        const plant = ways[name] as (typeof ways)[string]
        let isThere = isBefore ? await plant(host, authToken) : null
        // Who has TOTP shows it for a change, so its thief sets it up afterwards.
        if (isBefore && name === 'factor-changed') continue
        const link = await changeAddress(host, authToken)
        isThere ??= await plant(host, authToken)
        await undo(host, link).expect(200)
        expect([isBefore, await isThere()]).toEqual([isBefore, false])
        await logIn(host, { username: 'alice', password: newPassword })
      }
    },
  )

  it('leaves what its owner had before', async () => {
    const host = await start()
    host.users.change('u-alice', { passwordHash: null })
    host.users.change('u-alice', { passwordHash })
    await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
    const code = codeOf(host, totpSecret)
    const { authToken } = await logIn(host, { username: 'alice', password, code })
    const passkey = await addPasskey(host, authToken)
    host.clock.advance(73 * 3600)
    const asked = { password, code: codeOf(host, totpSecret) }
    const { authToken: later } = await logIn(host, { username: 'alice', ...asked })
    host.clock.advance(60)
    const proof = { password, code: codeOf(host, totpSecret), email: 'thief@example.org' }
    const { body } = await post(host, '/auth/email/change', proof, bearer(later)).expect(202)
    const mailed = (await host.mailed('change-address')).at(-1)?.code ?? ''
    const given = { requestId: body.data.requestId, code: mailed }
    await post(host, '/auth/email/confirm', given, bearer(later)).expect(200)
    await undo(host, tokenIn((await host.mailed('address-changed')).at(-1)?.url)).expect(200)
    expect((await signInBy(host, passkey)).status).toBe(200)
    expect((await host.auth.secondFactors.status('u-alice')).enabled).toBe(true)
  })

  it('takes consents back that were given since', async () => {
    const host = await start()
    const { authToken } = await logIn(host)
    const link = await changeAddress(host, authToken)
    const at = { grantedAt: host.clock(), updatedAt: host.clock() }
    await host.consents.grant({ userId: 'u-alice', clientId: 'wiki', scopes: ['openid'], ...at })
    await undo(host, link).expect(200)
    expect(await host.consents.listForUser('u-alice')).toEqual([])
  })

  it('works from whatever the address is by then', async () => {
    const host = await start()
    const { authToken } = await logIn(host)
    const link = await changeAddress(host, authToken)
    // As the host’s own code could do it, or a store whose rows were restored.
    host.users.change('u-alice', { email: 'elsewhere@example.org' })
    await undo(host, link).expect(200)
    expect(host.users.rows.get('u-alice')?.email).toBe('alice@example.com')
  })

  it('is not overtaken by a thief who changes the password in its very moment', async () => {
    const host = await start()
    const { authToken } = await logIn(host)
    const link = await changeAddress(host, authToken)
    const real = host.users.updatePasswordHash
    let overtaken = 0
    host.users.updatePasswordHash = async (...given) => {
      overtaken += 1
      if (overtaken <= 3) host.users.change('u-alice', { passwordHash: `of a thief ${overtaken}` })
      return real(...given)
    }
    await undo(host, link).expect(200)
    await logIn(host, { username: 'alice', password: newPassword })
  })

  it('of fifty at once with other passwords, one is done, and its password counts', async () => {
    const host = await start()
    const { authToken } = await logIn(host)
    const link = await changeAddress(host, authToken)
    const phraseOf = (i: number) => `${newPassword}, number ${i}`
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_none, i) => (await undo(host, link, phraseOf(i))).status),
    )
    expect(answers.filter((status) => status === 200)).toHaveLength(1)
    await logIn(host, { username: 'alice', password: phraseOf(answers.indexOf(200)) })
  })

  it('sets no password that the rules refuse, and none without one; neither takes a try', async () => {
    const host = await start()
    const { authToken } = await logIn(host)
    const link = await changeAddress(host, authToken)
    for (let i = 0; i < 8; i += 1) {
      expect((await undo(host, link, 'short').expect(400)).body.error).toBe('password-refused')
      const { body } = await post(host, '/auth/email/undo', { token: link }).expect(400)
      expect(body.details.issues[0].path).toBe('password')
    }
    expect(host.users.rows.get('u-alice')?.email).toBe('thief@example.org')
    await undo(host, link).expect(200)
  })

  it('of a user without a password sets none', async () => {
    const host = await start()
    const { authToken } = await logIn(host)
    host.users.change('u-alice', { passwordHash: null })
    const headers = bearer(authToken)
    host.clock.advance(31)
    const { body } = await post(host, '/auth/email/change', { email: 'b@example.org' }, headers)
    const code = (await host.mailed('change-address')).at(-1)?.code
    const given = { requestId: body.data.requestId, code }
    await post(host, '/auth/email/confirm', given, headers).expect(200)
    const token = tokenIn((await host.mailed('address-changed')).at(-1)?.url)
    await post(host, '/auth/email/undo', { token }).expect(200)
    expect(host.users.rows.get('u-alice')).toMatchObject({
      email: 'alice@example.com',
      passwordHash: null,
    })
  })
})

describe('while a change of the address can be undone', () => {
  it('the account is not deleted, neither by a code from before', async () => {
    const host = await start()
    const { authToken } = await logIn(host)
    const headers = bearer(authToken)
    const path = '/auth/account/delete'
    const asked = await post(host, path, { password }, headers).expect(202)
    const code = (await host.mailed('confirm-deletion')).at(-1)?.code
    const link = await changeAddress(host, authToken)
    const refused = await post(host, path, { password }, headers).expect(429)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(71 * 60 * 60)
    const given = { requestId: asked.body.data.requestId, code }
    expect((await post(host, `${path}/confirm`, given, headers)).status).toBeOneOf([400, 429])
    expect(host.users.rows.has('u-alice')).toBe(true)
    await undo(host, link).expect(200)
  })

  it('no other process and no restart forgets it', async () => {
    const host = await start()
    const { authToken } = await logIn(host)
    const link = await changeAddress(host, authToken)
    const { stores, users } = host
    const other = await start({ options: { ...stores, users } })
    const { authToken: there } = await logIn(other)
    const again = { email: 'thief2@example.org', password }
    await post(other, '/auth/email/change', again, bearer(there)).expect(429)
    await undo(other, link).expect(200)
    expect(users.rows.get('u-alice')?.email).toBe('alice@example.com')
  })

  it('the former address is nobody else’s: neither by a change nor by a registration', async () => {
    const host = await start({ accounts: { registration: 'open' } })
    host.users.add({ id: 'u-bob', username: 'bob', email: 'bob@example.com', passwordHash })
    const { authToken } = await logIn(host)
    const link = await changeAddress(host, authToken)
    const { authToken: bob } = await logIn(host, { username: 'bob', password })
    const asked = { email: 'Alice@example.com', password }
    await post(host, '/auth/email/change', asked, bearer(bob)).expect(202)
    const ada = { email: 'alice@example.com', username: 'ada', name: 'Ada' }
    await post(host, '/auth/register', ada).expect(202)
    expect(await host.mailed('register')).toEqual([])
    expect(await host.mailed('address-taken')).toHaveLength(2)
    await undo(host, link).expect(200)
    expect(host.users.rows.get('u-alice')?.email).toBe('alice@example.com')
    // Afterwards it may be anybody's again, once it is given up.
    host.users.change('u-alice', { email: 'a@example.org' })
    await post(host, '/auth/register', { ...ada, username: 'ada2' }).expect(202)
    expect(await host.mailed('register')).toHaveLength(1)
  })

  it('the former address hears of everything, beside the new one', async () => {
    const host = await start()
    const { authToken } = await logIn(host)
    await changeAddress(host, authToken)
    await addPasskey(host, authToken)
    const told = (await host.mailed('passkey-added')).map(({ to }) => to)
    expect(told.toSorted()).toEqual(['alice@example.com', 'thief@example.org'])
    host.clock.advance(72 * 60 * 60 + 1)
    const { authToken: later } = await logIn(host)
    await addPasskey(host, later)
    expect((await host.mailed('passkey-added')).slice(2).map(({ to }) => to)).toEqual([
      'thief@example.org',
    ])
  })

  it('a mail to it that finds no place is a 503, and the address stays; later the code works', async () => {
    const hung: (() => void)[] = []
    const mails: Mail[] = []
    const send = async (mail: Mail) => {
      mails.push(mail)
      if (mail.kind === 'factor-changed') await new Promise<void>((done) => hung.push(done))
    }
    const limits = { points: 5000, duration: 60 }
    const throttle = { mail: { address: limits, account: limits } }
    const host = await start({ accounts: { mail: { send } }, options: { throttle } })
    const { authToken } = await logIn(host)
    const headers = bearer(authToken)
    const asked = { email: 'b@example.org', password }
    const { body } = await post(host, '/auth/email/change', asked, headers).expect(202)
    await expect.poll(() => mails.at(-1)?.kind).toBe('change-address')
    const given = { requestId: body.data.requestId, code: mails.at(-1)?.code }
    host.issued.add(given.code ?? '')
    const confirmed = () => post(host, '/auth/email/confirm', given, headers)
    await fillPlaces(host)
    const refused = await confirmed()
    expect([refused.status, host.users.rows.get('u-alice')?.email]).toEqual([
      503,
      'alice@example.com',
    ])
    for (const done of hung.splice(0)) done()
    while (host.auth.stats().mail.waiting > 0) {
      for (const done of hung.splice(0)) done()
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    await confirmed().expect(200)
    await expect.poll(() => mails.at(-1)?.kind).toBe('address-changed')
    host.issued.add(tokenIn(mails.at(-1)?.url))
  })
})

/** As many mails that tell an owner something as wait at most: bob's, whom the host helps. */
async function fillPlaces(host: AccountHost): Promise<void> {
  host.users.add({ id: 'u-bob', username: 'bob', email: 'bob@example.com', emailVerified: true })
  while (host.auth.stats().mail.waiting < 1010) {
    await host.auth.secondFactors.reset('u-bob')
    await new Promise((resolve) => setTimeout(resolve))
  }
  // What is still prepared counts as well; then it waits, or was too much.
  await expect.poll(() => hasOverflown(host)).toBe(true)
}

function hasOverflown({ auth, events }: AccountHost): boolean {
  void auth.secondFactors.reset('u-bob')
  return events.some(({ type }) => type === 'mail.failed')
}

describe('the host', () => {
  it.each(['passwordChanged', 'revokeAllForUser', 'endEverything'] as const)(
    'removes with auth.%s what was added since a moment, and nothing older',
    async (call) => {
      const host = await start()
      const { authToken } = await logIn(host)
      const own = await addPasskey(host, authToken)
      host.clock.advance(3600)
      const addedSince = host.clock()
      const { authToken: stolen } = await logIn(host)
      const planted = await addPasskey(host, stolen)
      await connect(host, stolen)
      const waysIn = { addedSince }
      if (call === 'endEverything') await host.auth.accounts.endEverything('u-alice', { waysIn })
      else if (call === 'passwordChanged') await host.auth.passwordChanged('u-alice', { waysIn })
      else await host.auth.sessions.revokeAllForUser('u-alice', { waysIn })
      expect((await signInBy(host, planted)).status).toBe(401)
      expect(await signInAsAda(host)).toBe(401)
      expect((await signInBy(host, own)).status).toBe(200)
    },
  )

  it('is told where a user without a password would be left with nothing', async () => {
    const host = await start()
    const { authToken } = await logIn(host)
    await connect(host, authToken)
    host.users.change('u-alice', { passwordHash: null })
    const waysIn = { addedSince: new Date(0) }
    const call = host.auth.sessions.revokeAllForUser('u-alice', { waysIn })
    await expect(call).rejects.toMatchObject({ code: 'last-sign-in-method' })
    expect(await signInAsAda(host)).toBe(200)
  })
})

describe('a thief who washes what he adds', () => {
  it('by TOTP of his own and another sign-in loses it with the undo all the same', async () => {
    const host = await start()
    const { authToken } = await logIn(host)
    const secret = await begin(host, authToken)
    await confirm(host, authToken, secret)
    host.clock.advance(60)
    const asked = { username: 'alice', password, code: codeOf(host, secret) }
    const planted = await addPasskey(host, (await logIn(host, asked)).authToken)
    host.clock.advance(60)
    const again = { username: 'alice', password, code: codeOf(host, secret) }
    const headers = bearer((await logIn(host, again)).authToken)
    host.clock.advance(60)
    const proof = { password, code: codeOf(host, secret) }
    const change = { email: 'thief@example.org', ...proof }
    const { body } = await post(host, '/auth/email/change', change, headers).expect(202)
    const code = (await host.mailed('change-address')).at(-1)?.code ?? ''
    const given = { requestId: body.data.requestId, code }
    await post(host, '/auth/email/confirm', given, headers).expect(200)
    await undo(host, tokenIn((await host.mailed('address-changed')).at(-1)?.url)).expect(200)
    await logIn(host, { username: 'alice', password: newPassword })
    expect((await signInBy(host, planted)).status).toBe(401)
  })

  it('by an account at a provider loses what that has added with a reset', async () => {
    const host = await start()
    await connect(host, (await logIn(host)).authToken)
    const begun = await beginAt(host)
    const { ticket } = await comeBack(begun)
    const { body } = await finish(host, { ticket, codeVerifier: begun.codeVerifier })
    const planted = await addPasskey(host, body.data.authToken)
    await reset(host, await tokenFor(host)).expect(200)
    expect([await signInAsAda(host), (await signInBy(host, planted)).status]).toEqual([401, 401])
  })

  it('cannot show a passkey that he has just added in the place of the password', async () => {
    const host = await start()
    const { authToken } = await logIn(host)
    const headers = bearer(authToken)
    const passkey = await addPasskey(host, authToken)
    const asked = { '/auth/password/change': { newPassword }, '/auth/account/delete': {} }
    for (const [path, body] of Object.entries({
      ...asked,
      '/auth/email/change': { email: 'b@x.org' },
    })) {
      const { body: options } = await post(host, '/auth/passkey/options', {}, headers).expect(200)
      const response = assertion(passkey, options.data.challenge)
      expect((await post(host, path, { ...body, passkey: response }, headers)).status).not.toBe(200)
    }
    expect(host.users.rows.get('u-alice')).toMatchObject({
      email: 'alice@example.com',
      passwordHash,
    })
  })

  it('and is under way with a new password when the owner undoes loses that, too', async () => {
    const host = await start()
    const { authToken } = await logIn(host)
    const link = await changeAddress(host, authToken)
    const headers = bearer(authToken)
    const real = host.users.updatePasswordHash
    let thiefs: Promise<number> | null = null
    host.users.updatePasswordHash = async (...given) => {
      const done = await real(...given)
      // Between the owner's write and the end of the sessions.
      if (done && thiefs === null) {
        thiefs = Promise.resolve(0)
        const proof = { password: newPassword, newPassword: 'a phrase that the thief has chosen' }
        thiefs = post(host, '/auth/password/change', proof, headers).then(({ status }) => status)
        await thiefs
      }
      return done
    }
    await undo(host, link).expect(200)
    await logIn(host, { username: 'alice', password: newPassword })
  })
})

describe('who has no password', () => {
  it('is taken out of the hands of a thief with the only account that is connected', async () => {
    const host = await start()
    const { authToken } = await logIn(host)
    const own = await addPasskey(host, authToken)
    host.clock.advance(73 * 3600)
    host.users.change('u-alice', { passwordHash: null })
    const signedIn = await signInBy(host, own)
    const headers = bearer(signedIn.body.data.authToken)
    await connect(host, signedIn.body.data.authToken)
    const email = { email: 'thief@example.org' }
    const { body } = await post(host, '/auth/email/change', email, headers).expect(202)
    const code = (await host.mailed('change-address')).at(-1)?.code
    const given = { requestId: body.data.requestId, code }
    await post(host, '/auth/email/confirm', given, headers).expect(200)
    const token = tokenIn((await host.mailed('address-changed')).at(-1)?.url)
    await post(host, '/auth/email/undo', { token }).expect(200)
    expect([await signInAsAda(host), (await signInBy(host, own)).status]).toEqual([401, 200])
  })
})

it('outages while the one link of an undo is used do not use it up, nor does the support desk', async () => {
  const host = await start()
  const { authToken } = await logIn(host)
  const link = await changeAddress(host, authToken)
  const real = host.users.updateEmail
  host.users.updateEmail = async () => Promise.reject(new Error('the database is away'))
  for (let i = 0; i < 8; i += 1) await undo(host, link).expect(503)
  host.users.updateEmail = real
  await host.auth.accounts.endEverything('u-alice', { by: 'support:ada' })
  await undo(host, link).expect(200)
  expect(host.users.rows.get('u-alice')?.email).toBe('alice@example.com')
})

it('a change that was overtaken leaves the next one free', async () => {
  const host = await start()
  const { authToken } = await logIn(host)
  const real = host.users.updateEmail
  host.users.updateEmail = async () => ({ outcome: 'superseded' })
  const headers = bearer(authToken)
  const asked = { email: 'b@example.org', password }
  const { body } = await post(host, '/auth/email/change', asked, headers).expect(202)
  const code = (await host.mailed('change-address')).at(-1)?.code
  const given = { requestId: body.data.requestId, code }
  await post(host, '/auth/email/confirm', given, headers).expect(409)
  host.users.updateEmail = real
  // Somebody else, such as the host's own code, has changed it meanwhile.
  host.users.change('u-alice', { email: 'c@example.org' })
  await changeAddress(host, authToken, 'd@example.org')
})
