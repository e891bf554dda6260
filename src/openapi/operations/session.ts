import { z } from 'zod'
import { always, besides, count, flag, oneOf, success, text, textOrNull, time } from '../fields.js'
import type { Operation } from '../operation.js'
import { meFields, moreOfMe, ofFullScope, ofSignedIn } from './shared.js'

const tag = 'The session'
const revoked = { revoked: count('how many ended') }

const logOut: Operation = {
  route: 'POST /logout',
  id: 'logOut',
  tag,
  summary: 'Ends the session of the token, and everything that was issued under it.',
  notes: ['The answer comes after the store has confirmed the end.'],
  who: 'signed-in',
  whileEnrolling: true,
  answers: {
    200: { what: 'The session has ended.', body: success({ message: text('for people') }) },
  },
  refusals: ofSignedIn,
}

const logOutByGet: Operation = {
  ...logOut,
  route: 'GET /logout',
  id: 'logOutByGet',
  summary: 'The same as `POST /logout`, for old clients.',
  notes: ['`HEAD` is 405. The token is in a header, which pages of other origins cannot send.'],
}

const me: Operation = {
  route: 'GET /me',
  id: 'getMe',
  tag,
  summary: 'The user of the token.',
  who: 'signed-in',
  answers: {
    200: { what: 'The user.', body: besides({ success: always(true), ...meFields }, moreOfMe) },
  },
  refusals: [...ofSignedIn, 'forbidden', 'second-factor-enrolment-required'],
  notes: [
    '403 `forbidden`: the token has less than the scope `*`, and is not a named token. Apps use ' +
      '`GET /oauth/userinfo`.',
  ],
}

const session = z.object({
  id: text('not a credential'),
  current: flag('whether it is the calling session'),
  kind: oneOf(['login', 'pkce', 'browser', 'token', 'oauth', 'service'], 'how it was opened'),
  createdAt: time('ISO 8601, UTC'),
  lastSeenAt: time('updated once in a twentieth of `sessionIdle`'),
  expiresAt: time('the absolute end'),
  ip: textOrNull('the address at `lastSeenAt`'),
  userAgent: textOrNull(),
  name: textOrNull(
    'the device for people, such as `Firefox on Linux`; for a named token or an app, its name',
  ),
  liveSockets: count('open sockets in the process that answers'),
  openedBy: textOrNull(
    'the `id` of the session that opened it, such as that of the browser in which the user ' +
      'signed in to an app; a session of kind `pkce` may be on another device',
  ),
})

const listSessions: Operation = {
  route: 'GET /auth/sessions',
  id: 'listSessions',
  tag,
  summary: 'The sessions of this user.',
  notes: ['The answer contains no tokens, and nothing from which one could be made.'],
  who: 'full-scope',
  answers: { 200: { what: 'The sessions.', body: success({ sessions: z.array(session) }) } },
  refusals: ofFullScope,
}

const endOtherSessions: Operation = {
  route: 'DELETE /auth/sessions',
  id: 'endOtherSessions',
  tag,
  summary: 'Ends all sessions of this user except the calling one.',
  who: 'full-scope',
  answers: { 200: { what: 'The sessions have ended.', body: success(revoked) } },
  refusals: ofFullScope,
}

const endSession: Operation = {
  route: 'DELETE /auth/sessions/:id',
  id: 'endSession',
  tag,
  summary: 'Ends one session of this user.',
  notes: ["Another user's session is 404, like one that does not exist."],
  who: 'full-scope',
  inPath: { id: 'the `id` of the session in the list' },
  answers: { 200: { what: 'The session has ended.', body: success({ revoked: always(1) }) } },
  refusals: [...ofFullScope, 'not-found'],
}

const issueTicket: Operation = {
  route: 'POST /auth/socket-ticket',
  id: 'issueSocketTicket',
  tag,
  summary:
    'A ticket that opens one WebSocket, for browsers: they cannot send headers with an upgrade.',
  who: 'signed-in',
  thereWith: 'the store `tickets`',
  limited: true,
  answers: {
    200: {
      what: 'The ticket.',
      body: success({
        ticket: text('send it as a sub-protocol, after `auth.ticket`'),
        expiresIn: count('seconds, 30'),
      }),
    },
  },
  refusals: [...ofSignedIn, 'second-factor-enrolment-required', 'too-many-requests'],
}

/** Requests about sessions. */
export const sessionOperations: readonly Operation[] = [
  logOut,
  logOutByGet,
  me,
  listSessions,
  endOtherSessions,
  endSession,
  issueTicket,
]
