// GitHub, as its documents describe the flow of an OAuth app and two requests of its API.
import { createHash } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { serve } from './loopback.js'

export const gitHubApp = { clientId: 'Iv1.chat', clientSecret: 'secret-of-the-app-1' }

export interface GitHubState {
  user: unknown
  emails: unknown
  /** In place of the status of the list of addresses. */
  emailsStatus?: number
  /** In place of the answer to a code. */
  token?: object
}

/** Starts one; `authorize` is what its form does when the user agrees. */
export async function startGitHub() {
  const state: GitHubState = {
    user: { id: 583231, login: 'octocat', name: 'Monalisa', email: 'public@example.com' },
    emails: [
      { email: 'old@example.com', verified: true, primary: false },
      { email: 'octocat@example.com', verified: true, primary: true },
    ],
  }
  const codes = new Map<string, URLSearchParams>()
  const asked: string[] = []

  function exchange(form: URLSearchParams): object {
    if (state.token !== undefined) return state.token
    const request = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const challenge = createHash('sha256').update(form.get('code_verifier') ?? '')
    if (form.get('client_secret') !== gitHubApp.clientSecret)
      return { error: 'incorrect_client_credentials', error_description: 'x' }
    const isRight =
      request !== undefined &&
      [null, challenge.digest('base64url')].includes(request.get('code_challenge')) &&
      request.get('redirect_uri') === form.get('redirect_uri')
    if (!isRight) return { error: 'bad_verification_code', error_description: 'x' }
    return { access_token: 'gho_1', scope: 'read:user,user:email', token_type: 'bearer' }
  }

  const origin = await serve(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://github')
    asked.push(pathname)
    const json = (status: number, body: unknown) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
    if (pathname === '/login/oauth/access_token')
      return void json(200, exchange(new URLSearchParams(await text(request))))
    if (!/^(Bearer|token) gho_1$/.test(request.headers.authorization ?? ''))
      return void json(401, { message: 'Requires authentication' })
    // The API refuses whoever does not say what it is.
    if (request.headers['user-agent'] === undefined) return void json(403, {})
    if (pathname.endsWith('/user')) return void json(200, state.user)
    json(state.emailsStatus ?? 200, state.emails)
  })

  /** The address that the browser comes back to. */
  function authorize(url: string): URL {
    const request = new URL(url).searchParams
    const code = `code-${codes.size}`
    codes.set(code, request)
    const back = new URL(request.get('redirect_uri') ?? '')
    back.searchParams.set('code', code)
    back.searchParams.set('state', request.get('state') ?? '')
    return back
  }
  return { origin, state, asked, authorize }
}
