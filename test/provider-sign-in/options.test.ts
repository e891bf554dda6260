// What is wrong with the option is said at the start, with its name and a remedy.
import { expect, it } from 'vitest'
import type {
  AccountsOptions,
  AuthRouterOptions,
  ProvidersOptions,
  UserStore,
} from '../../src/index.js'
import { startHost } from '../support/host.js'
import { accountsOptions } from '../support/mounted-accounts.js'
import { fakeProvider, returnTo } from './provider-host.js'

const baseUrl = 'https://chat.example.com/api/v1'
const start = (providers: object, options: Partial<AuthRouterOptions> = {}) =>
  startHost({
    options: {
      providers: {
        baseUrl,
        list: [fakeProvider()],
        returnTo: [returnTo],
        ...providers,
      } as ProvidersOptions,
      ...options,
    },
  })

const { accounts } = accountsOptions()
const invited = { accounts: { ...(accounts as AccountsOptions), registration: 'invited' } } as const

it.each<[option: string, given: object, options?: Partial<AuthRouterOptions>]>([
  ['providers.list', { list: [] }],
  ['providers.list', { list: 'google' }],
  ['providers.list[0]', { list: [{}] }],
  ['providers.list[0].id', { list: [fakeProvider({ id: 'No' })] }],
  ['providers.list[0].id', { list: [fakeProvider({ id: 'finish' })] }],
  ['providers.list[0].name', { list: [fakeProvider({ name: ' ' })] }],
  ['providers.list', { list: [fakeProvider(), fakeProvider()] }],
  ['providers.returnTo[0]', { returnTo: ['javascript:alert(1)'] }],
  ['providers.returnTo[0]', { returnTo: [`${returnTo}#a`] }],
  ['providers.returnTo[0]', { returnTo: [`${returnTo}?ticket=a`] }],
  ['providers.returnTo', { returnTo: [] }],
  ['providers.unknown', { unknown: 'merge' }],
  ['providers.unknown', { unknown: 'connect' }],
  ['providers.only', { only: 'yes' }],
  ['providers.only', { only: true }, accountsOptions()],
  ['providers.unknown', { unknown: 'create' }, invited],
  ['providers.baseUrl', { baseUrl: 'http://chat.example.com/api/v1' }],
  ['providers.baseUrl', { baseUrl: undefined }],
  ['providers.list', { list: [fakeProvider({ acceptMfa: true })] }],
  ['providers.list', { list: [fakeProvider({ sameAccountsAs: 'fake' })] }],
  ['providers.list', { list: [fakeProvider({ sameAccountsAs: 'gogle' })] }],
  ['providers.nothing', { nothing: true }],
  ['providers', {}, { proofs: undefined } as never],
  ['providers', {}, { identities: undefined } as never],
])('names %s', async (option, given, options) => {
  const failed = start(given, options)
  await expect(failed).rejects.toMatchObject({ name: 'AuthConfigError', option })
  await expect(failed).rejects.toThrow(/Remedy: \S/)
})

it.each<[method: keyof UserStore, given: object, option: string, remedy: string]>([
  ['create', { unknown: 'create' }, 'providers.unknown', "or pass 'refuse'"],
  ['nameIsFree', { unknown: 'create' }, 'providers.unknown', "or pass 'refuse'"],
  ['delete', { unknown: 'create' }, 'providers.unknown', "or pass 'refuse'"],
  [
    'findContact',
    { list: [fakeProvider({ trustEmail: true })] },
    'providers.list',
    'or leave trustEmail out',
  ],
])(
  'needs %s of the users for %o, and otherwise does not',
  async (method, given, option, remedy) => {
    const { [method]: _none, ...others } = (await startHost()).users
    const users = others as unknown as UserStore
    const failed = start(given, { users })
    await expect(failed).rejects.toMatchObject({ option })
    await expect(failed).rejects.toThrow(`needs users with ${method}, and they have none.`)
    await expect(failed).rejects.toThrow(remedy)
    await start({ list: [fakeProvider({ trustEmail: false })], unknown: 'refuse' }, { users })
  },
)

it('needs encryption keys', async () => {
  const options = { encryptionKeys: [], secondFactors: undefined } as never
  await expect(start({}, options)).rejects.toThrow(/encryptionKeys/)
})
