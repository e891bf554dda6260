import type { AuthClient } from '../client.js'
import { partsOf } from '../parts.js'
import { platform } from '../platform.js'
import { memoryBegunStore } from './begun.js'
import { OAuthError, queryOf } from './query.js'
import { appOf, type Finished, finish, isAnswer, type StartOptions, start } from './steps.js'

/** The parts of the browser used here, typed as in platform.ts and read at each use. */
interface Windows {
  readonly open?: (address: string, target: string, features: string) => Popup | null
  readonly close?: () => void
  readonly BroadcastChannel?: new (name: string) => Channel
}

interface Popup {
  readonly closed: boolean
  readonly location: { readonly href: string; replace(address: string): void }
  addEventListener(type: 'beforeunload', listener: () => void): void
  close(): void
}

interface Channel {
  onmessage: ((event: { readonly data: unknown }) => void) | null
  postMessage(data: unknown): void
  close(): void
}

const windows = globalThis as unknown as Windows

/** Prefix of the `state` of a popup, by which the page at the redirect URI recognises it. */
const mark = 'popup.'
const firstLooksMs = 50
const laterLooksMs = 250
const surelyThere = 10

/** Options of {@link signInByPopup}. */
export interface PopupOptions extends Omit<StartOptions, 'returnTo'> {
  /** The `id` of the app at the server; the app is a public client. */
  readonly clientId: string
  /**
   * Exactly one of the app's redirect URIs, of this page's origin. The page there calls
   * {@link handOver}.
   */
  readonly redirectUri: string
  /** The requested scopes, separated by blanks; see `oauth()`. */
  readonly scope: string
  /** The issuer in the server's tokens. Default: the origin of `baseUrl`. */
  readonly issuer?: string
  /**
   * Time limit for the user, in milliseconds. Default 300,000. If the user closes the window, the
   * attempt fails at once, except in three cases, in which it fails after this time: the window was
   * closed within half a second of the server's first page; it was closed before that page in a
   * browser without `beforeunload`; a `Cross-Origin-Opener-Policy` had cut it off from this page.
   */
  readonly timeoutMs?: number
}

/**
 * Signs a user in by the pages of the server in a popup window; this page stays. Call it in the
 * handler of a click, before any `await`: otherwise browsers block the window. Stores the tokens in
 * the client. Throws OAuthError, such as `popup-blocked` and `popup-closed`, and AuthClientError.
 *
 * @example
 * ```ts
 * import { createAuthClient, localStorageStore } from 'messaging-auth-router/client'
 * import { signInByPopup } from 'messaging-auth-router/client/popup'
 *
 * const client = createAuthClient({
 *   baseUrl: 'https://chat.example.com/api/v1',
 *   storage: localStorageStore('wiki'),
 * })
 * export const onPress = () =>
 *   signInByPopup(client, {
 *     clientId: 'wiki',
 *     redirectUri: 'https://wiki.example.com/callback',
 *     scope: 'openid profile offline_access',
 *   })
 * ```
 */
export async function signInByPopup(client: AuthClient, options: PopupOptions): Promise<Finished> {
  const parts = partsOf(client)
  const app = appOf(options, parts.baseUrl)
  const popup = openPopup()
  // In memory: `sessionStorage` would be copied into duplicated tabs.
  const begun = memoryBegunStore()
  try {
    const address = await start(parts, app, begun, options, mark)
    if (popup.closed) throw closedByUser()
    const answer = answerFor(address, popup, options.timeoutMs ?? 300_000)
    popup.location.replace(address)
    return await finish(parts, app, begun, await answer)
  } finally {
    popup.close()
  }
}

/**
 * Call it first in the page at `redirectUri`: passes the answer of the server to the page that
 * opened this window, and closes the window when that page has received it. Returns false if the
 * address is not an answer to a popup.
 */
export function handOver(address: string): boolean {
  const state = stateOf(address)
  if (!state.startsWith(mark) || !isAnswer(address)) return false
  // The message does not go by `opener`, which a Cross-Origin-Opener-Policy removes. Only pages of
  // this origin receive the message.
  const channel = channelOf(state)
  channel.onmessage = () => windows.close?.()
  channel.postMessage(address)
  return true
}

function openPopup(): Popup {
  if (windows.open === undefined) throw new OAuthError('not-supported', 'window.open is missing.')
  const popup = windows.open('', '_blank', 'popup,width=480,height=720')
  if (popup === null || popup.closed)
    throw new OAuthError('popup-blocked', 'The browser opens a window only at a press.')
  return popup
}

const stateOf = (address: string) => queryOf(address).get('state') ?? ''
function channelOf(state: string): Channel {
  const { BroadcastChannel } = windows
  if (BroadcastChannel === undefined)
    throw new OAuthError('not-supported', 'BroadcastChannel is missing.')
  return new BroadcastChannel(`messaging-auth.oauth.${state}`)
}

/** Resolves with the address at which the popup arrives. */
function answerFor(started: string, popup: Popup, timeoutMs: number): Promise<string> {
  const state = stateOf(started)
  const channel = channelOf(state)
  const ends: (() => void)[] = [() => channel.close()]
  const answer = new Promise<string>((resolve, reject) => {
    channel.onmessage = ({ data }) => {
      if (typeof data !== 'string' || stateOf(data) !== state || !isAnswer(data)) return
      channel.postMessage('taken')
      resolve(data)
    }
    const nobody = new OAuthError('no-answer', 'Nobody came back from the window.')
    const late = platform.setTimeout(() => reject(nobody), timeoutMs)
    ends.push(() => platform.clearTimeout(late))
    ends.push(onceClosed(popup, () => reject(closedByUser())))
  })
  return answer.finally(() => {
    for (const end of ends) end()
  })
}

/**
 * Calls back when the user has closed the popup; returns how to stop. Call it before the popup
 * navigates.
 *
 * A window that a Cross-Origin-Opener-Policy has cut off also looks closed, while the user types in
 * it. Before the first page, only `beforeunload` distinguishes the two: the navigation fires it
 * once, a close by the user once more, a cut does not. Later, a window that showed a page in
 * several looks was not cut off. One look is not enough: browsers cut after they show the page,
 * 0.15 s later on a busy machine.
 * https://html.spec.whatwg.org/multipage/browsers.html#cross-origin-opener-policies
 */
function onceClosed(popup: Popup, then: () => void): () => void {
  let seen = 0
  let unloads = 0
  let timer: unknown
  const look = () => {
    const isSure = seen >= surelyThere
    if (!popup.closed) {
      if (isLedAway(popup)) seen += 1
      timer = platform.setTimeout(look, isSure ? laterLooksMs : firstLooksMs)
      // The end waits for a pause: an answer may be on its way.
    } else if (isSure || unloads > 1) timer = platform.setTimeout(then, laterLooksMs)
  }
  try {
    popup.addEventListener('beforeunload', () => {
      unloads += 1
    })
  } catch {
    // The user has navigated to another origin: listening throws, but `location.replace` works.
  }
  look()
  return () => platform.clearTimeout(timer)
}

function isLedAway({ location }: Popup): boolean {
  try {
    return location.href !== 'about:blank'
  } catch {
    // Throws for a page of another origin.
    return true
  }
}

function closedByUser(): OAuthError {
  return new OAuthError('popup-closed', 'The window was closed before anybody had signed in.')
}
