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
  summary: 'Ends the session of the token, and with it all that was issued under it.',
  notes: ['It is answered only after the store has confirmed the end.'],
  who: 'signed-in',
  whileEnrolling: true,
  answers: { 200: { what: 'It has ended.', body: success({ message: text('for people') }) } },
  refusals: ofSignedIn,
}

const logOutByGet: Operation = {
  ...logOut,
  route: 'GET /logout',
  id: 'logOutByGet',
  summary: 'The same as `POST /logout`, for old clients.',
  notes: ['`HEAD` is 405. The token stands in a header, which no page of another origin can send.'],
}

const me: Operation = {
  route: 'GET /me',
  id: 'getMe',
  tag,
  summary: 'Who the token belongs to.',
  who: 'signed-in',
  answers: {
    200: { what: 'The user.', body: besides({ success: always(true), ...meFields }, moreOfMe) },
  },
  refusals: [...ofSignedIn, 'forbidden', 'second-factor-enrolment-required'],
  notes: [
    '403 `forbidden`: a token with less than the scope `*`, unless it is a named token. What ' +
      'apps may know is at `GET /oauth/userinfo`.',
  ],
}

const session = z.object({
  id: text('no credential'),
  current: flag('whether it is the one that asks'),
  kind: oneOf(['login', 'pkce', 'browser', 'token', 'oauth'], 'how it was opened'),
  createdAt: time('ISO 8601, UTC'),
  lastSeenAt: time('noted once in a twentieth of `sessionIdle`'),
  expiresAt: time('the absolute end'),
  ip: textOrNull('of the last use that was noted'),
  userAgent: textOrNull(),
  name: textOrNull(
    'the device in words, such as `Firefox on Linux`; of a named token or an app, its name',
  ),
  liveSockets: count('open sockets in the process that answers'),
  openedBy: textOrNull(
    'the `id` of the session in this list that it was opened from, such as the browser in which ' +
      'the user signed in to an app; one of the kind `pkce` may be on another device',
  ),
})

const listSessions: Operation = {
  route: 'GET /auth/sessions',
  id: 'listSessions',
  tag,
  summary: 'Where this user is signed in.',
  notes: ['No token is in it, nor anything that one could be made from.'],
  who: 'full-scope',
  answers: { 200: { what: 'The sessions.', body: success({ sessions: z.array(session) }) } },
  refusals: ofFullScope,
}

const endOtherSessions: Operation = {
  route: 'DELETE /auth/sessions',
  id: 'endOtherSessions',
  tag,
  summary: 'Ends all sessions of this user but the one that asks.',
  who: 'full-scope',
  answers: { 200: { what: 'They have ended.', body: success(revoked) } },
  refusals: ofFullScope,
}

const endSession: Operation = {
  route: 'DELETE /auth/sessions/:id',
  id: 'endSession',
  tag,
  summary: 'Ends one session of this user.',
  notes: ["Another user's session is 404, exactly as one that does not exist."],
  who: 'full-scope',
  inPath: { id: 'of the session, as listed' },
  answers: { 200: { what: 'It has ended.', body: success({ revoked: always(1) }) } },
  refusals: [...ofFullScope, 'not-found'],
}

const issueTicket: Operation = {
  route: 'POST /auth/socket-ticket',
  id: 'issueSocketTicket',
  tag,
  summary:
    'A ticket that opens one WebSocket, for browsers, which cannot send headers with an upgrade.',
  who: 'signed-in',
  thereWith: 'the store `tickets`',
  limited: true,
  answers: {
    200: {
      what: 'The ticket.',
      body: success({
        ticket: text('sent as a sub-protocol, after `auth.ticket`'),
        expiresIn: count('seconds, 30'),
      }),
    },
  },
  refusals: [...ofSignedIn, 'second-factor-enrolment-required', 'too-many-requests'],
}

/** What somebody who is signed in asks of it. */
export const sessionOperations: readonly Operation[] = [
  logOut,
  logOutByGet,
  me,
  listSessions,
  endOtherSessions,
  endSession,
  issueTicket,
]
