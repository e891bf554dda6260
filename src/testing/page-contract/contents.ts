import type {
  AccountEmailView,
  AccountFactorView,
  AccountIdentitiesView,
  AccountPasswordView,
  AccountView,
  ConfirmEmailView,
  ConfirmRegisterView,
  ConfirmView,
  ConsentView,
  DeviceView,
  LinkDeviceView,
  LinkSignInView,
  LinkView,
  RegisterView,
  ResetView,
  SignInView,
  UndoView,
  View,
} from '../../pages/view.js'
import type { PromisedOfPage } from './documents.js'
import { packed, textOf } from './markup.js'
import { check, type RenderedPage } from './rendered.js'

type Shown = readonly (readonly [what: string, text: string | null])[]

/** What a reader has to see before she decides, by what it is. */
function toShow(view: View): Shown {
  switch (view.page) {
    case 'sign-in':
      return signInShown(view)
    case 'second-factor':
    case 'add-passkey':
    case 'account-factor':
    case 'account-passkeys':
    case 'account-delete':
    case 'sign-out':
    case 'device-code':
      return [['account.username', view.account.username]]
    case 'enrol':
      return [['secret', view.secret]]
    case 'recovery-codes':
      return view.codes.map((code) => ['codes', code] as const)
    case 'continue':
      return [
        ['client.name', view.client.name],
        ['account.username', view.account.username],
      ]
    case 'connect':
      return [
        ['connects.account', view.connects.account],
        ['connects.provider', view.connects.provider],
        ['account.username', view.account.username],
      ]
    case 'consent':
      return consentShown(view)
    case 'account':
      return accountShown(view)
    case 'account-identities':
      return identitiesShown(view)
    case 'device':
      return deviceShown(view)
    case 'hand-over':
      return [['client.name', view.client.name]]
    case 'error':
      return [
        ['reference', view.reference],
        ['told', view.told],
      ]
    case 'enrol-passkey':
    case 'forgot':
    case 'new-name':
    case 'code':
    case 'note':
    case 'signed-out':
      return []
    default:
      return toShowOfMailed(view)
  }
}

function consentShown({ client, claimedName, account, scopes, apis }: ConsentView): Shown {
  return [
    ['client.name', client.name],
    // The one thing that an app cannot make up.
    ['client.host', client.host],
    ['claimedName', claimedName],
    ['account.username', account.username],
    ...scopes.map((scope) => ['scopes', scope] as const),
    ...apis.map((api) => ['apis', api] as const),
  ]
}

function signInShown({ client, connects, providers }: SignInView): Shown {
  return [
    ['client.name', client?.name ?? null],
    ['connects.account', connects?.account ?? null],
    ...providers.map(({ name }) => ['providers', name] as const),
  ]
}

function accountShown(view: AccountView): Shown {
  const apps = view.devices.flatMap((device) => device.apps)
  return [
    ['account.username', view.account.username],
    ['email.address', view.email?.address ?? null],
    ...view.devices.map(({ name }) => ['devices', name] as const),
    ...apps.map(({ name }) => ['devices.apps', name] as const),
    ...view.apps.map(({ name }) => ['apps', name] as const),
  ]
}

function identitiesShown({ account, identities }: AccountIdentitiesView): Shown {
  return [
    ['account.username', account.username],
    ...identities.map(({ provider }) => ['identities.provider', provider] as const),
    ...identities.map(({ label }) => ['identities.label', label] as const),
  ]
}

function deviceShown({ account, clientName, userCode, scopes, apis, device }: DeviceView): Shown {
  return [
    ['account.username', account.username],
    ['clientName', clientName],
    ['userCode', userCode],
    ['device.name', device.name],
    ['device.ip', device.ip],
    ...scopes.map((scope) => ['scopes', scope] as const),
    ...apis.map((api) => ['apis', api] as const),
  ]
}

function linkShown({ account, device: { name, agent, network } }: LinkDeviceView): Shown {
  return [
    ['account.username', account.username],
    ['device.name', name],
    ['device.agent', agent],
    ['device.network', network],
  ]
}

type MailedView =
  | ConfirmView
  | ResetView
  | RegisterView
  | ConfirmRegisterView
  | UndoView
  | AccountPasswordView
  | AccountEmailView
  | ConfirmEmailView
  | Extract<View, { page: 'code-elsewhere' }>
  | LinkView
  | LinkSignInView
  | LinkDeviceView

function toShowOfMailed(view: MailedView): Shown {
  switch (view.page) {
    case 'confirm':
      return [
        ['account.username', view.account.username],
        ['named', view.named],
      ]
    case 'account-password':
      return [
        ['account.username', view.account.username],
        ['minLength', String(view.minLength)],
      ]
    case 'account-email':
      return [
        ['account.username', view.account.username],
        ['email', view.email],
      ]
    case 'confirm-email':
      return [
        ['account.username', view.account.username],
        ['mailedTo', view.mailedTo],
      ]
    case 'code-elsewhere':
      return [['code', view.code]]
    case 'confirm-register':
      return [['password.minLength', String(view.password.minLength)]]
    case 'register':
    case 'link-sign-in':
      return []
    case 'link':
      return [['account.username', view.account.username]]
    case 'link-device':
      return linkShown(view)
    case 'reset':
      return [['minLength', String(view.minLength)]]
    case 'undo':
      return [
        ['username', view.username],
        ['former', view.former],
        ['password.minLength', view.password && String(view.password.minLength)],
      ]
  }
}

function signInLinks(view: SignInView): ReturnType<typeof toLink> {
  return [
    ['forgotten', view.forgotten],
    ['register', view.register],
    ['byCode', view.byCode],
    ['connects.other', view.connects?.other ?? null],
    ...view.providers.map(({ href }) => ['providers.href', href] as const),
  ]
}

function toLink(view: View): readonly (readonly [what: string, href: string | null])[] {
  switch (view.page) {
    case 'sign-in':
      return signInLinks(view)
    case 'second-factor':
      return [['otherMethod', view.otherMethod]]
    case 'consent':
      return [['manage', view.manage]]
    case 'confirm':
      return [['form.action', view.form.action]]
    case 'account':
      return [
        ['link', view.link],
        ['signOut', view.signOut],
        ['delete', view.delete],
        ['password', view.password],
        ['factor.href', view.factor?.href ?? null],
        ['passkeys.href', view.passkeys?.href ?? null],
        ['email.href', view.email?.href ?? null],
        ['identities', view.identities],
      ]
    case 'account-factor':
      return [
        ['back', view.back],
        ['proveAddress', isUnproven(view) ? view.proveAddress : null],
      ]
    case 'account-passkeys':
    case 'account-identities':
    case 'new-name':
    case 'account-password':
    case 'account-email':
    case 'confirm-email':
    case 'code':
    case 'account-delete':
    case 'forgot':
    case 'register':
    case 'confirm-register':
      return [['back', view.back]]
    case 'hand-over':
      return [['redirect', view.redirect]]
    case 'note':
      return [['onward', view.onward]]
    case 'link-sign-in':
      return [['signIn', view.signIn]]
    case 'signed-out':
    case 'error':
      return [['again', view.again]]
    default:
      return []
  }
}

function isUnproven({ email }: AccountFactorView): boolean {
  return email?.enabled === false && !email.verified
}

function shows(page: RenderedPage): void {
  const read = textOf(page.markup)
  for (const [what, text] of toShow(page.view))
    if (text !== null) check(read.includes(packed(text)), page, `does not show view.${what}.`)
}

function links(page: RenderedPage): void {
  const hrefs = page.tags.map(({ name, attributes }) => name === 'a' && attributes['href'])
  for (const [what, href] of toLink(page.view))
    if (href !== null) check(hrefs.includes(href), page, `has no link to view.${what}.`)
}

function leadsOn(page: RenderedPage): void {
  const { view } = page
  const metas = page.tags.filter(({ name }) => name === 'meta')
  const refreshes = metas.filter(
    ({ attributes }) => attributes['http-equiv']?.toLowerCase() === 'refresh',
  )
  if (view.page !== 'hand-over') {
    check(refreshes.length === 0, page, 'leads on by itself: what was typed is lost.')
    return
  }
  const [content] = refreshes.map(({ attributes }) => attributes['content'] ?? '')
  const target = /^\s*0\s*;\s*url=(.*)$/is.exec(content ?? '')?.[1]
  const broken = 'does not lead on by itself, by a refresh to view.redirect: "0; url=…".'
  check(target === view.redirect, page, broken)
}

/** What pages say, and where they lead. */
export const contentTests: readonly PromisedOfPage[] = [
  ['a page shows what its reader must know', shows],
  ['a page has the links that it is given', links],
  ['the last page leads to the app by itself, and no other leads anywhere', leadsOn],
]
