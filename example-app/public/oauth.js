import { app } from './auth.js'

/** Sends this tab to the pages of the server. It comes back to `/`, with an answer in the query. */
export async function setOut() {
  try {
    location.assign(await app.start({ returnTo: location.hash }))
  } catch (error) {
    if (error.code !== 'wrong-issuer') throw error
    // `localhost` and `127.0.0.1` are two: what this page keeps is not there where it comes back
    // to. So this begins where the server says that it is.
    const metadata = await fetch('/.well-known/oauth-authorization-server')
    const { origin } = new URL((await metadata.json()).issuer)
    if (origin === location.origin) throw error
    location.assign(`${origin}/?sign-in${location.hash}`)
  }
}

/** Why this page was opened, as its address says; null for nothing of the kind. */
export function whyOpened() {
  if (app.isAnswer(location.href)) return 'answer'
  return new URLSearchParams(location.search).has('sign-in') ? 'sign-in' : null
}

const notBegun = 'That sign-in was not begun in this tab. Please sign in again.'
const texts = new Map([
  ['not-begun', notBegun],
  ['wrong-issuer', notBegun],
  ['access_denied', 'You have not signed in.'],
])

/** Takes the answer of the pages. */
export async function comeBack() {
  const address = location.href
  // At once: a code is good once, and no reload should show it again.
  history.replaceState(null, '', '/')
  try {
    const { returnTo } = await app.finish(address)
    history.replaceState(null, '', `/${returnTo ?? ''}`)
  } catch (error) {
    throw texts.has(error.code) ? new Error(texts.get(error.code)) : error
  }
}
