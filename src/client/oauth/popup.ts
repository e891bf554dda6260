import type { AuthClient } from '../client.js'
import { partsOf } from '../parts.js'
import { platform } from '../platform.js'
import { memoryBegunStore } from './begun.js'
import { OAuthError } from './oauth-error.js'
import { queryOf } from './query.js'
import { appOf, type Finished, finish, isAnswer, type StartOptions, start } from './steps.js'

/** What is asked of a browser for it. Typed here, as in platform.ts; read with each use. */
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

/** The `state` of a popup begins with it: that is all that its last page knows it by. */
const mark = 'popup.'
const firstLooksMs = 50
const laterLooksMs = 250
const surelyThere = 10

/** How a page signs its user in by a window of its own. */
export interface PopupOptions extends Omit<StartOptions, 'returnTo'> {
  /** The `id` that the app has at the server, as one without a secret. */
  readonly clientId: string
  /** One of the app's, byte for byte, of this page's origin. The page there calls `handOver`. */
  readonly redirectUri: string
  /** What the app asks for, with blanks between; see `oauth()`. */
  readonly scope: string
  /** As in the server's tokens. Default: the origin of `baseUrl`. */
  readonly issuer?: string
  /**
   * How long the user may take, in milliseconds. Default 300,000. A window that the user closes
   * ends the attempt at once. In three cases it ends after this time: the window was closed in the
   * first half second of the server's first page; it was closed before that page in a browser
   * without `beforeunload`; a `Cross-Origin-Opener-Policy` had cut it off from this page.
   */
  readonly timeoutMs?: number
}

/**
 * Signs in a user by the pages of the server in a window of its own, while this page stays. Call it
 * while the user presses something, before anything is waited for: else browsers open no window.
 * The tokens are those of the client from then on. Throws OAuthError, `popup-blocked` and
 * `popup-closed` among them, and AuthClientError.
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
  // Not in the tab: whoever copies that has no part in it.
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
 * At `redirectUri`, before anything else is made of its address: hands the answer of the server to
 * the page that has opened this window, which closes when that has heard it. False: the address is
 * no answer to a popup.
 */
export function handOver(address: string): boolean {
  const state = stateOf(address)
  if (!state.startsWith(mark) || !isAnswer(address)) return false
  // Not by `opener`, which a Cross-Origin-Opener-Policy takes away. Pages of other origins do not
  // hear it.
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

/** The address that the popup comes back to. */
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
 * Calls back when the user has closed a popup, which has not been led away yet; answers how to stop
 * looking.
 *
 * A window that a Cross-Origin-Opener-Policy cuts off looks closed as well, while the user types in
 * it. Before the first page only `beforeunload` tells the two apart: the way to that page fires it
 * once, a close by the user once more, a cut does not. Later a window was surely not cut off that
 * was seen with a page in it in several looks. One look is not enough: browsers cut after they show
 * the page, and were seen to take 0.15 s for it on a busy machine.
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
      // Not at once: an answer may be on its way.
    } else if (isSure || unloads > 1) timer = platform.setTimeout(then, laterLooksMs)
  }
  try {
    popup.addEventListener('beforeunload', () => {
      unloads += 1
    })
  } catch {
    // The user has gone to another origin in it: it can be led back, and not be listened to.
  }
  look()
  return () => platform.clearTimeout(timer)
}

function isLedAway({ location }: Popup): boolean {
  try {
    return location.href !== 'about:blank'
  } catch {
    // A page of another origin.
    return true
  }
}

function closedByUser(): OAuthError {
  return new OAuthError('popup-closed', 'The window was closed before anybody had signed in.')
}
