import type { OwnSession, OwnSessions } from '../account/own-sessions.js'
import { addressText } from '../accounts/address-pages.js'
import { addressOf } from '../accounts/addresses.js'
import type { Channel } from '../accounts/channel.js'
import type { RequestContext } from '../audit/events.js'
import { withReadableDomain } from '../lib/addresses.js'
import { createOwnConsents, type ListedConsent } from '../oauth/own-consents.js'
import type { AccountFormPage } from '../pages/account-form.js'
import {
  accountCard,
  accountOf,
  button,
  choice,
  formOf,
  type OwnView,
} from '../pages/form-parts.js'
import { html, type SafeHtml } from '../pages/html.js'
import type { PageContent, PageShell } from '../pages/layout.js'
import { type PageName, plainAddress } from '../pages/page-request.js'
import { staleForm, unlessGone } from '../pages/renew-cookie.js'
import type { TextKey } from '../pages/texts/en.js'
import type { PageTexts } from '../pages/texts.js'
import { ownPasskeys } from '../passkeys/own-passkeys.js'
import type { SessionRecord } from '../stores/contract.js'
import type { RememberedBrowser } from '../two-factor/remembered-browser.js'
import type { BrowserKit } from './browser-kit.js'
import { appText, type FactorOnPage, factorOf, sentCodesText } from './factor-page.js'

/** `/account`: who I am, my devices, and the apps that I have authorised. */
export function createAccountPage(kit: BrowserKit): AccountFormPage {
  const { offered, passkeysKit, ownSessions } = kit
  const ownConsents = createOwnConsents(kit)
  const address = (page: PageName, isThere: boolean) => (isThere ? plainAddress(kit, page) : null)
  const hasFactor = hasFactors(kit)
  const shown = {
    link: address('account/link', kit.hasLinks),
    password: address('account/password', offered?.passwords !== undefined),
    identities: address('account/identities', kit.providersKit !== undefined),
    delete: address('account/delete', kit.hasDeletion),
    signOut: plainAddress(kit, 'sign-out'),
  }
  const factorUrl = plainAddress(kit, 'account/second-factor')
  const passkeysUrl = plainAddress(kit, 'account/passkeys')
  return {
    page: 'account',
    needsFresh: false,

    async view(found, form) {
      const { session } = found
      const { userId } = session
      const [devices, consents, factor, passkeys, addresses, remembered] = await Promise.all([
        ownSessions.list(session),
        ownConsents.list(userId),
        factorOf(kit, userId),
        passkeysKit && ownPasskeys(passkeysKit).list(userId),
        addressesOnPage(kit, userId),
        kit.rememberedBrowsers?.list(userId),
      ])
      const view = {
        ...shown,
        account: accountOf(found),
        form,
        devices: groupDevices(devices),
        remembered: remembered ?? [],
        factor: hasFactor ? { ...factor, href: factorUrl } : null,
        passkeys: passkeys === undefined ? null : { count: passkeys.length, href: passkeysUrl },
        addresses,
      }
      return (shell) => {
        const apps = consents.map((consent) => appOf(kit, consent, shell.texts.tag))
        return accountPage({ ...view, apps }, shell)
      }
    },

    async submit({ user: { session }, fields, request: { context } }) {
      const [change = '', id = ''] = fields.text('choice').split(' ', 2)
      if (change === 'end') await endDevice(ownSessions, session, id, context)
      else if (change === 'forget')
        await kit.rememberedBrowsers?.forget(session.userId, id, context)
      else if (change === 'end-others') await ownSessions.endOthers(session, context)
      else if (change === 'revoke') await ownConsents.revoke(session, id, context).catch(unlessGone)
      else return staleForm
      return { next: 'open' }
    },
  }
}

function hasFactors({ totpKit, offered }: BrowserKit): boolean {
  const { emailFactor, phoneFactor } = offered ?? {}
  return [totpKit, emailFactor, phoneFactor].some((one) => one !== undefined)
}

function addressesOnPage(kit: BrowserKit, userId: string): Promise<readonly OwnAddressOnPage[]> {
  const { emails, phones } = kit.offered ?? {}
  const kits = [emails, phones].filter((one) => one !== undefined)
  return Promise.all(
    kits.map(async (one) => {
      const { name: channel } = one.channel
      const { address, verified } = await addressOf(one, userId)
      const href = plainAddress(kit, `account/${channel}`)
      return { channel, address: address && withReadableDomain(address), verified, href }
    }),
  )
}

// An app with a refresh token does not end with its browser.
async function endDevice(
  ownSessions: OwnSessions,
  session: SessionRecord,
  id: string,
  context: RequestContext,
): Promise<void> {
  const device = groupDevices(await ownSessions.list(session)).find((one) => one.id === id)
  for (const sessionId of device?.sessionIds ?? [id])
    await ownSessions.end(session, sessionId, context)
}

function appOf(
  { scopes: known, nameResource }: BrowserKit,
  { clientId: id, name, scopes, resources }: ListedConsent,
  tag: string,
): AppOnPage {
  const words = new Set([...scopes, ...resources.flatMap((one) => one.scopes)])
  return {
    id,
    name,
    scopes: [...words].map((scope) => known.describe(scope, tag)),
    apis: resources.map(({ resource }) => nameResource(resource, tag)),
  }
}

/** A device, with the ids of all sessions on it. */
export interface SignedInDevice extends DeviceOnPage {
  readonly sessionIds: readonly string[]
}

/**
 * Groups sessions by the sign-in that they come from: an app that was signed in to from a browser
 * stands below that browser. The device that asks is first.
 *
 * @internal
 */
export function groupDevices(sessions: readonly OwnSession[]): SignedInDevice[] {
  const known = new Map(sessions.map((session) => [session.id, session]))
  const groups = new Map<OwnSession, OwnSession[]>()
  for (const session of sessions) {
    const signIn = signInOf(session, known)
    groups.set(signIn, [...(groups.get(signIn) ?? []), session])
  }
  return [...groups]
    .map(([signIn, all]) => deviceOf(signIn, all))
    .toSorted((one, other) => Number(other.current) - Number(one.current))
}

function deviceOf(signIn: OwnSession, all: readonly OwnSession[]): SignedInDevice {
  const { id, name, ip, createdAt } = signIn
  const lastSeenAt = new Date(Math.max(...all.map((one) => one.lastSeenAt.getTime())))
  const apps = all
    .filter((one) => one.kind === 'oauth' && one !== signIn)
    .map((app) => ({ id: app.id, name: app.name, lastSeenAt: app.lastSeenAt }))
  const current = all.some((one) => one.current)
  return {
    id,
    name,
    ip,
    createdAt,
    lastSeenAt,
    current,
    apps,
    sessionIds: all.map((one) => one.id),
  }
}

// A session of the kind `pkce` may be on another device than its opener.
function signInOf(session: OwnSession, known: ReadonlyMap<string, OwnSession>): OwnSession {
  let signIn = session
  // Counted: rows that name one another must not hold up the process.
  for (let left = known.size; left > 0; left -= 1) {
    const isThere = signIn.kind === 'browser' || signIn.kind === 'oauth'
    const opener = isThere ? known.get(signIn.openedBy ?? '') : undefined
    if (opener === undefined) break
    signIn = opener
  }
  return signIn
}

interface AccountView extends Omit<OwnView, 'back'> {
  readonly devices: readonly DeviceOnPage[]
  readonly remembered: readonly RememberedBrowser[]
  /** The page to sign in another device; null without. */
  readonly link: string | null
  readonly apps: readonly AppOnPage[]
  /** The second factor, and the page to change it; null if the host has none. */
  readonly factor: (FactorOnPage & { readonly href: string }) | null
  /** The number of passkeys, and the page to change them; null without passkeys. */
  readonly passkeys: { readonly count: number; readonly href: string } | null
  /** The page to change the password; null without. */
  readonly password: string | null
  /** The page of connected accounts; null without. */
  readonly identities: string | null
  /** The address, the number, and the pages to change them. */
  readonly addresses: readonly OwnAddressOnPage[]
  /** The page to sign out, and the one to delete the account; null without. */
  readonly signOut: string
  readonly delete: string | null
}

/** A device on which the user is signed in. */
export interface DeviceOnPage {
  readonly id: string
  /** Such as "Firefox on Linux"; null if the device tells nothing. */
  readonly name: string | null
  readonly ip: string | null
  readonly createdAt: Date
  readonly lastSeenAt: Date
  /** Whether it is this browser. */
  readonly current: boolean
  /** The apps that the user has signed in to from there. */
  readonly apps: readonly SignedInAppOnPage[]
}

/** The session of an app. */
export interface SignedInAppOnPage {
  readonly id: string
  /** Null if the app no longer exists. */
  readonly name: string | null
  readonly lastSeenAt: Date
}

/** An app that the user has authorised. */
export interface AppOnPage {
  readonly id: string
  /** Null if the app no longer exists. */
  readonly name: string | null
  /** The meaning of each scope in the user's language. */
  readonly scopes: readonly string[]
  /** The names of the APIs besides the host's own. */
  readonly apis: readonly string[]
}

/** An address of the user. */
export interface OwnAddressOnPage {
  readonly channel: Channel['name']
  /** Null without. */
  readonly address: string | null
  readonly verified: boolean
  readonly href: string
}

/**
 * The account, with one form for all changes.
 *
 * @internal
 */
export function accountPage(view: AccountView, { texts }: PageShell): PageContent {
  const { account, form } = view
  const content = [devices(view, texts), remembered(view, texts), apps(view, texts)]
  return {
    title: 'account.title',
    isFaulty: form.fault !== null,
    body: html`${accountCard(account)}
${formOf(form, texts, 'fault.stale', content)}
${factors(view, texts)}${ofAccounts(view, texts)}${linksOf(view, texts)}`,
    listed: [...view.devices, ...view.devices.flatMap((one) => one.apps), ...view.apps],
  }
}

function linksOf({ signOut, delete: href }: AccountView, texts: PageTexts): SafeHtml {
  const deletion = href && html`<a href="${href}">${texts.html('account.delete')}</a>`
  const leaving = html`<a href="${signOut}">${texts.html('account.sign-out')}</a>`
  return html`<p class="links">${leaving}${deletion || null}</p>`
}

function ofAccounts({ password, addresses, identities }: AccountView, texts: PageTexts): SafeHtml {
  const ofIdentities =
    identities &&
    html`<h2>${texts.html('account.identities')}</h2>
<p><a href="${identities}">${texts.html('account.change-identities')}</a></p>
`
  const ofPassword =
    password &&
    html`<h2>${texts.html('account.password')}</h2>
<p><a href="${password}">${texts.html('account.change-password')}</a></p>
`
  const ofAddresses = addresses.map((one) => {
    const { channel, href } = one
    const change = html`<a href="${href}">${texts.html(`account.change-${channel}`)}</a>`
    return html`${part(`account.${channel}`, addressText(one, texts), texts)}<p>${change}</p>
`
  })
  return html`${ofPassword}${ofAddresses}${ofIdentities}`
}

function factors({ factor, passkeys }: AccountView, texts: PageTexts): SafeHtml {
  const ofFactor =
    factor &&
    html`<h2>${texts.html('account.factor')}</h2>
${factor.app && paragraph(appText(factor.app, texts))}${factor.sent.map((one) =>
  paragraph(sentCodesText(one, texts)),
)}`
  const ofPasskeys =
    passkeys &&
    part(
      'account.passkeys',
      texts.html('account.passkeys-count', { count: String(passkeys.count) }),
      texts,
    )
  const link = (href: string, key: 'account.change-factor' | 'account.change-passkeys') =>
    html`<p><a href="${href}">${texts.html(key)}</a></p>
`
  return html`${ofFactor}${factor && link(factor.href, 'account.change-factor')}${ofPasskeys}${
    passkeys && link(passkeys.href, 'account.change-passkeys')
  }`
}

function part(title: TextKey, text: SafeHtml, texts: PageTexts): SafeHtml {
  return html`<h2>${texts.html(title)}</h2>
${paragraph(text)}`
}

function paragraph(text: SafeHtml): SafeHtml {
  return html`<p>${text}</p>
`
}

function devices({ devices: all, link }: AccountView, texts: PageTexts): SafeHtml {
  const linked =
    link &&
    html`
<p class="links"><a href="${link}">${texts.html('account.link')}</a></p>`
  const endAll = { name: 'choice', value: 'end-others', class: 'danger' }
  return html`<h2 id="devices">${texts.html('account.devices')}</h2>
<p>${texts.html('account.devices-lead')}</p>
<ul class="items" aria-labelledby="devices">${all.map((one) => device(one, texts))}</ul>
${button(texts.html('account.end-others'), endAll)}${linked || null}`
}

function device(one: DeviceOnPage, texts: PageTexts): SafeHtml {
  const { id, name, ip, createdAt, lastSeenAt, current } = one
  const since = texts.html('account.since', { time: texts.moment(createdAt) })
  const shown = name ?? texts.plain('account.unknown-device')
  const address = ip === null ? null : html` · <bdi>${ip}</bdi>`
  const last = current
    ? html`<b>${texts.html('account.this-device')}</b>`
    : endButton(id, shown, texts)
  return html`<li><div><bdi>${shown}</bdi>
<p class="hint">${since}</p>
<p class="hint">${lastSeen(lastSeenAt, texts)}${address}</p></div>
${last}${appsOf(one, texts)}</li>
`
}

function appsOf({ apps: all }: DeviceOnPage, texts: PageTexts): SafeHtml | null {
  if (all.length === 0) return null
  return html`
<div class="below"><p class="hint">${texts.html('account.apps-here')}</p>
<ul>${all.map((one) => signedInApp(one, texts))}</ul></div>
`
}

function signedInApp({ id, name, lastSeenAt }: SignedInAppOnPage, texts: PageTexts): SafeHtml {
  const shown = name ?? texts.plain('account.unknown-app')
  return html`<li><div><bdi>${shown}</bdi>
<p class="hint">${lastSeen(lastSeenAt, texts)}</p></div>
${endButton(id, shown, texts)}</li>
`
}

function remembered({ remembered: all }: AccountView, texts: PageTexts): SafeHtml | null {
  if (all.length === 0) return null
  const list = all.map((one) => rememberedBrowser(one, texts))
  return html`
<h2 id="remembered">${texts.html('account.remembered')}</h2>
<p>${texts.html('account.remembered-lead')}</p>
<ul class="items" aria-labelledby="remembered">${list}</ul>
`
}

function rememberedBrowser({ id, name, since, expiresAt }: RememberedBrowser, texts: PageTexts) {
  const shown = name ?? texts.plain('account.unknown-device')
  const label = texts.plain('account.forget-named', { device: shown })
  const forget = { ...choice(`forget ${id}`, 'danger'), 'aria-label': label }
  return html`<li><div><bdi>${shown}</bdi>
<p class="hint">${texts.html('account.since', { time: texts.moment(since) })}</p>
<p class="hint">${texts.html('account.until', { time: texts.moment(expiresAt) })}</p></div>
${button(texts.html('account.forget'), forget)}</li>
`
}

function lastSeen(time: Date, texts: PageTexts): SafeHtml {
  return texts.html('account.last-seen', { time: texts.moment(time) })
}

function endButton(id: string, named: string, texts: PageTexts): SafeHtml {
  const label = texts.plain('account.end-named', { device: named })
  const end = { name: 'choice', value: `end ${id}`, class: 'danger', 'aria-label': label }
  return button(texts.html('account.end'), end)
}

function apps({ apps: all }: AccountView, texts: PageTexts): SafeHtml {
  const listed =
    all.length === 0
      ? html`<p>${texts.html('account.no-apps')}</p>`
      : html`<ul class="items" aria-labelledby="apps">${all.map((one) => app(one, texts))}</ul>`
  return html`<h2 id="apps">${texts.html('account.apps')}</h2>
${listed}`
}

function app({ id, name, scopes, apis }: AppOnPage, texts: PageTexts): SafeHtml {
  const shown = name ?? texts.plain('account.unknown-app')
  const label = texts.plain('account.revoke-named', { app: shown })
  const revoke = { name: 'choice', value: `revoke ${id}`, class: 'danger', 'aria-label': label }
  const allowed = [...scopes, ...apis].map((one) => html`<p class="hint"><bdi>${one}</bdi></p>`)
  return html`<li><div><bdi>${shown}</bdi>
${allowed}</div>
${button(texts.html('account.revoke'), revoke)}</li>
`
}
