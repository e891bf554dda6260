import type { AccountView, FormFault, PageForm, View } from '../../pages/view.js'

const base = 'https://chat.example.com/api/v1'

/** What is in these pages that somebody has typed or registered. */
interface AccountData {
  readonly account: AccountView['account']
  readonly deviceName: string
  readonly foreignClient: { readonly name: string }
  readonly scopes: readonly string[]
  readonly apis: readonly string[]
}

/** The states of the pages on which users manage their account. */
export function accountStates(
  data: AccountData,
  formWith: (fault: FormFault | null) => PageForm,
): Record<string, View> {
  const { account, deviceName, foreignClient, scopes, apis } = data
  const form = formWith(null)
  const lastSeenAt = new Date('2030-01-02T03:04:05Z')
  const here = { id: 'd1', name: deviceName, ip: '192.0.2.7', lastSeenAt, current: true }
  const devices = [
    here,
    { ...here, id: 'd2', ip: '2001:db8:1234:5678:9abc:def0:1234:5678', current: false },
    { ...here, id: 'd3', name: null, ip: null, current: false },
  ]
  const view: AccountView = {
    page: 'account',
    account,
    form,
    devices,
    apps: [
      { id: 'build-bot', name: foreignClient.name, scopes, apis },
      { id: 'gone', name: null, scopes: [], apis: [] },
    ],
    factor: { enabled: true, recoveryCodesLeft: 9, href: `${base}/account/second-factor?` },
    passkeys: { count: 2, href: `${base}/account/passkeys?` },
    password: `${base}/account/password?`,
    email: { address: 'alice@mail.example', verified: true, href: `${base}/account/email?` },
    signOut: `${base}/oauth/sign-out?`,
  }
  return {
    account: view,
    'account-alone': {
      ...view,
      devices: [here],
      apps: [],
      factor: null,
      passkeys: null,
      password: null,
      email: null,
    },
    'account-stale': { ...view, form: formWith({ kind: 'stale' }) },
    'account-other-account': {
      ...view,
      form: formWith({ kind: 'other-account', account: account.name }),
    },
    ...changingStates(data, formWith),
  }
}

function changingStates(
  { account, deviceName }: AccountData,
  formWith: (fault: FormFault | null) => PageForm,
): Record<string, View> {
  const form = formWith(null)
  const back = `${base}/account?`
  const factor = { page: 'account-factor', account, form, recoveryCodesLeft: 9, back } as const
  const createdAt = new Date('2030-01-02T03:04:05Z')
  const phone = { id: 'p1', name: deviceName, createdAt, lastUsedAt: createdAt }
  const passkeys = [phone, { ...phone, id: 'p2', lastUsedAt: null }]
  const keys = { page: 'account-passkeys', account, form, passkeys, back } as const
  return {
    'account-factor': { ...factor, enabled: true },
    'account-factor-off': { ...factor, enabled: false, recoveryCodesLeft: 0 },
    'account-factor-stale': { ...factor, enabled: true, form: formWith({ kind: 'stale' }) },
    'account-passkeys': keys,
    'account-passkeys-none': { ...keys, passkeys: [] },
    'account-passkeys-wrong': { ...keys, form: formWith({ kind: 'wrong' }) },
  }
}
