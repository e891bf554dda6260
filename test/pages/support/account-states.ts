import type { FormFault, PageForm } from '../../../src/pages/form-parts.js'
import type { View, ViewOf } from './views.js'

const base = 'https://chat.example.com/api/v1'
const app = { enabled: true, recoveryCodesLeft: 9 }
const noApp = { enabled: false, recoveryCodesLeft: 0 }

/** What is in these pages that somebody has typed or registered. */
interface AccountData {
  readonly account: ViewOf<'account'>['account']
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
  const seen = { createdAt: lastSeenAt, lastSeenAt }
  const wiki = { id: 's1', name: foreignClient.name, lastSeenAt }
  const apps = [wiki, { ...wiki, id: 's2', name: null }]
  const here = { id: 'd1', name: deviceName, ip: '192.0.2.7', ...seen, current: true, apps: [] }
  const devices = [
    { ...here, apps },
    { ...here, id: 'd2', ip: '2001:db8:1234:5678:9abc:def0:1234:5678', current: false },
    { ...here, id: 'd3', name: null, ip: null, current: false, apps },
  ]
  const factor = { app, sent: [], href: `${base}/account/second-factor` }
  const view: ViewOf<'account'> = {
    page: 'account',
    account,
    form,
    devices,
    remembered: [],
    link: `${base}/account/link`,
    apps: [
      { id: 'build-bot', name: foreignClient.name, scopes, apis },
      { id: 'gone', name: null, scopes: [], apis: [] },
    ],
    factor,
    passkeys: { count: 2, href: `${base}/account/passkeys` },
    password: `${base}/account/password`,
    addresses: [
      {
        channel: 'email',
        address: 'alice@mail.example',
        verified: true,
        href: `${base}/account/email`,
      },
    ],
    identities: `${base}/account/identities`,
    delete: `${base}/account/delete`,
    signOut: `${base}/oauth/sign-out`,
  }
  const browser = { since: lastSeenAt, expiresAt: new Date('2030-02-01T03:04:05Z') }
  const remembered = [
    { ...browser, id: 'b1', name: deviceName },
    { ...browser, id: 'b2', name: null },
  ]
  return {
    account: view,
    'account-remembered': { ...view, remembered },
    'account-alone': {
      ...view,
      devices: [here],
      link: null,
      apps: [],
      factor: null,
      passkeys: null,
      password: null,
      addresses: [],
      identities: null,
      delete: null,
    },
    'account-email-factor': {
      ...view,
      factor: { ...factor, sent: [{ channel: 'email', enabled: true, verified: true }] },
    },
    'account-phone-too': {
      ...view,
      addresses: [
        ...view.addresses,
        {
          channel: 'phone',
          address: '+491701234567',
          verified: false,
          href: `${base}/account/phone`,
        },
        { channel: 'phone', address: null, verified: false, href: `${base}/account/phone` },
      ],
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
  const back = `${base}/account`
  const createdAt = new Date('2030-01-02T03:04:05Z')
  const phone = { id: 'p1', name: deviceName, createdAt, lastUsedAt: createdAt }
  const passkeys = [phone, { ...phone, id: 'p2', lastUsedAt: null }]
  const keys = { page: 'account-passkeys', account, form, passkeys, back } as const
  const asking = { page: 'confirm', account, form } as const
  return {
    ...factorStates(account, formWith),
    'account-passkeys': keys,
    'account-passkeys-none': { ...keys, passkeys: [] },
    ...identitiesStates({ account, form, back }, deviceName, createdAt),
    confirm: { ...asking, question: 'remove', choice: 'remove p1', named: deviceName },
    'confirm-unnamed': { ...asking, question: 'off', choice: 'off', named: null },
    'account-passkeys-wrong': { ...keys, form: formWith({ kind: 'wrong' }) },
  }
}

function identitiesStates(
  shown: Pick<ViewOf<'account-identities'>, 'account' | 'form' | 'back'>,
  provider: string,
  lastUsedAt: Date,
): Record<string, View> {
  const work = { id: 'i1', provider, label: 'alice@mail.example', lastUsedAt }
  const identities = [work, { ...work, id: 'i2', label: null, lastUsedAt: null }]
  const providers = [{ id: 'work', name: provider }]
  const page = { ...shown, page: 'account-identities', identities, providers } as const
  return {
    'account-identities': page,
    'account-identities-none': { ...page, identities: [] },
    'account-identities-wrong': {
      ...page,
      form: { ...shown.form, fault: { kind: 'wrong' } },
    },
  }
}

function factorStates(
  account: ViewOf<'account'>['account'],
  formWith: (fault: FormFault | null) => PageForm,
): Record<string, View> {
  const form = formWith(null)
  const back = `${base}/account`
  const prove = { email: `${base}/account/email`, phone: `${base}/account/phone` }
  const asked = { asksPassword: false, done: null, prove, back } as const
  const shown = { page: 'account-factor', account, form, ...asked } as const
  const factor = { ...shown, app, sent: [] }
  const email = { channel: 'email', enabled: false, verified: true } as const
  const phone = { ...email, channel: 'phone' } as const
  const unproven = { ...email, verified: false }
  return {
    'account-factor': factor,
    'account-factor-off': { ...factor, app: noApp },
    'account-factor-password': { ...factor, app: noApp, sent: [email], asksPassword: true },
    'account-factor-password-wrong': {
      ...factor,
      app: noApp,
      asksPassword: true,
      form: formWith({ kind: 'wrong' }),
    },
    'account-factor-stale': { ...factor, form: formWith({ kind: 'stale' }) },
    'account-factor-email': { ...factor, app: noApp, sent: [email] },
    'account-factor-email-on': {
      ...factor,
      sent: [{ ...email, enabled: true }],
      done: 'email-on',
    },
    'account-factor-email-off': { ...factor, app: null, sent: [email], done: 'email-off' },
    'account-factor-email-unproven': { ...factor, sent: [unproven] },
    'account-factor-email-alone': { ...factor, app: null, sent: [unproven] },
    'account-factor-phone': { ...factor, app: null, sent: [phone] },
    'account-factor-phone-on': {
      ...factor,
      sent: [email, { ...phone, enabled: true }],
      done: 'phone-on',
    },
    'account-factor-phone-off': { ...factor, app: null, sent: [phone], done: 'phone-off' },
    'account-factor-phone-unproven': { ...factor, sent: [email, { ...phone, verified: false }] },
  }
}
