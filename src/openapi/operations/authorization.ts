import { z } from 'zod'
import { always, oneOf, text, texts } from '../fields.js'
import type { Operation } from '../operation.js'

const parameters = z.object({
  client_id: text('of the app'),
  response_type: always('code'),
  redirect_uri: text(
    "one of the app's, byte for byte; of a native app on a loopback address the port may differ",
  ),
  scope: text(
    'what the app asks for, with blanks between; left out: its `defaultScopes`',
  ).optional(),
  code_challenge: text(
    '43 characters base64url (RFC 7636 §4.2); an app with `allowNonceInsteadOfPkce` may send a ' +
      '`nonce` instead',
  ),
  code_challenge_method: always('S256'),
  state: text('comes back as it was sent; at most 1024 characters').optional(),
  nonce: text('stands in the ID token; at most 512 characters').optional(),
  prompt: text(
    '`none`, `login`, `consent`, `select_account`; `none` alone: no page is shown, but an error ' +
      'sent back',
  ).optional(),
  max_age: text('seconds that the sign-in may be old').optional(),
  id_token_hint: text('an ID token of this app: who is to sign in').optional(),
  acr_values: text('how sure the sign-in should be: `urn:mar:2fa` with a second factor').optional(),
  resource: texts('the API that tokens are to be for (RFC 8707); may be repeated').optional(),
  response_mode: oneOf(['query'], 'the only one there is').optional(),
})

const pages = {
  400: 'A page: the app is not known, or the redirect URI is not its own. Nobody is sent anywhere.',
  429: 'A page: too many apps were asked for that nobody knows.',
  503: 'A page: something is away.',
}

const authorize: Operation = {
  route: 'GET /oauth/authorize',
  id: 'authorize',
  tag: 'Apps',
  summary:
    "An app sends its user's browser here, and gets a code back by a redirect " +
    '(RFC 6749 §4.1, RFC 7636).',
  notes: [
    'Answers a page or a redirect, never JSON: 303 with `code`, `state` and `iss` (RFC 9207), or ' +
      'with `error`, `error_description`, `state` and `iss`.',
    'Whoever is signed in is known by the cookie: see `docs/cookies.md`. At most 4,096 ' +
      'characters. `HEAD` is 405.',
    'The code works once, within 60 s, for this app, redirect URI and challenge.',
  ],
  who: 'browser',
  thereWith: 'the option `oauth`',
  openTo: 'own-origin',
  query: parameters,
  answers: {
    200: { what: 'A page: a step is missing, such as the sign-in.', body: 'html' },
    303: { what: 'Back to the app.', body: null, headers: ['Location'] },
  },
  refusals: [],
  pages,
}

const authorizeByForm: Operation = {
  ...authorize,
  route: 'POST /oauth/authorize',
  id: 'authorizeByForm',
  summary: 'The same as `GET /oauth/authorize`, as a form (OpenID Connect Core §3.1.2.1).',
  notes: ['Answers 303 to the `GET` with all of it.'],
  query: z.object({}),
  body: { fields: parameters, form: 'only' },
  answers: { 303: { what: 'To the `GET`.', body: null, headers: ['Location'] } },
  pages: {
    400: pages[400],
    413: 'A page: the form is too long.',
    415: 'A page: it is no form.',
  },
}

/** How browsers come from an app, and go back. */
export const authorizationOperations: readonly Operation[] = [authorize, authorizeByForm]
