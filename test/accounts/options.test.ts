// The option `accounts`: what is refused at the start, by name.
import { describe, expect, it } from 'vitest'
import { AuthConfigError, type AuthRouterOptions, createAuthRouter } from '../../src/index.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { post } from '../support/client.js'
import { encryptionKey } from '../support/host.js'
import { oauthOptions, signer } from '../support/mounted-oauth.js'
import { type TestUsers, testUsers } from '../support/users.js'
import { startAccounts } from './account-host.js'

const mail = { send: async () => {} }
const reset = 'https://chat.example.com/#/reset/{token}'
const undo = 'https://chat.example.com/#/undo/{token}'

function start(accounts: object, others: object = {}): void {
  const options = { users: testUsers(), ...memoryStores(), signer, encryptionKeys: [encryptionKey] }
  createAuthRouter({ ...options, accounts, ...others } as AuthRouterOptions)
}

function refusalOf(accounts: object, others: object = {}): string {
  try {
    start(accounts, others)
  } catch (error) {
    if (error instanceof AuthConfigError) return error.message
    throw error
  }
  throw new Error('it was taken')
}

function usersWithout(...names: (keyof TestUsers)[]): { readonly users: TestUsers } {
  const users = testUsers()
  for (const name of names) Object.assign(users, { [name]: undefined })
  return { users }
}

describe('the links of mails', () => {
  it.each<[string, object, RegExp]>([
    ['no links', { mail }, /^accounts\.links\.reset: is missing.+\{token\}/],
    ['no page for a password', { mail, links: { undo } }, /^accounts\.links\.reset: is missing/],
    ['no page for an address', { mail, links: { reset } }, /^accounts\.links\.undo: is missing/],
    ['a page that there is not', { mail, links: { reset, undo, other: undo } }, /links\.other/],
    [
      'a page without TLS',
      { mail, links: { undo, reset: 'http://chat.example.com/#{token}' } },
      /links\.reset: is no https URL/,
    ],
    ...[
      'https://chat.example.com/',
      'https://{token}.example.com/',
      'https://{token}@chat.example.com/',
      'https://chat.example.com:{token}/',
      'https://chat.example.com/{token}#{token}',
      'javascript:alert({token})',
    ].map((wrong): [string, object, RegExp] => [
      wrong,
      { mail, links: { undo, reset: wrong } },
      /links\.reset: is no https URL/,
    ]),
  ])('of a host without pages of ours: %s', (_what, accounts, message) => {
    expect(refusalOf(accounts)).toMatch(message)
  })

  it('lead to the pages of the router beside the option oauth, unless they are named', () => {
    expect(() => start({ mail }, oauthOptions())).not.toThrow()
    expect(() => start({ mail, links: { reset } }, oauthOptions())).not.toThrow()
    expect(() => start({ mail, links: { reset, undo } })).not.toThrow()
    expect(() => start({ mail, links: { reset, undo, confirm: undo } })).not.toThrow()
  })

  it.each([
    'https://chat.example.com/reset?token={token}',
    'https://chat.example.com/reset?x=1&token={token}#top',
    'https://chat.example.com/reset/{token}',
    'https://chat.example.com/#/reset/{token}',
  ])('may have the token in the fragment, the path or the query: %s', async (link) => {
    const host = await startAccounts({ accounts: { links: { undo, reset: link } } })
    await post(host, '/auth/password/forgot', { username: 'alice' }).expect(202)
    const { url = '' } = (await host.mailed('reset-password'))[0] ?? {}
    const token = /mar_pr_[\w-]+/.exec(url)?.[0] ?? 'none'
    host.issued.add(token)
    expect(url).toBe(link.replace('{token}', token))
  })

  it('are not asked of users who cannot be written', () => {
    const none = usersWithout('updatePasswordHash', 'updateEmail')
    expect(() => start({ mail }, none)).not.toThrow()
    expect(() => start({ mail, links: { undo } }, usersWithout('updatePasswordHash'))).not.toThrow()
    expect(() => start({ mail, links: { reset } }, usersWithout('updateEmail'))).not.toThrow()
  })
})

describe('what accounts needs besides', () => {
  it('is named: a store of proofs, and the contacts of users', () => {
    const links = { reset, undo }
    expect(refusalOf({ mail, links }, { proofs: undefined })).toMatch(/^accounts: needs proofs/)
    expect(refusalOf({ mail, links }, usersWithout('findContact'))).toMatch(/findContact/)
  })
})
