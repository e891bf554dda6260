import type { badWholeRows } from './bad-stores/whole-rows.js'

/** The same for members that a session may have or not. */
export const caughtWholeRows: Readonly<
  Record<keyof typeof badWholeRows, readonly [test: string, message: string]>
> = {
  'sessions: create drops the members it has no column for': [
    'a session with every member comes back as it was created, from find and listForUser',
    'each in a column of its own',
  ],
  'sessions: where a session came from is dropped': [
    'a session with every member comes back as it was created, from find and listForUser',
    'each in a column of its own',
  ],
  'sessions: what provider a session came from is dropped': [
    'a session with every member comes back as it was created, from find and listForUser',
    'each in a column of its own',
  ],
  'sessions: what provider a session came from is cut off': [
    'the longest ids and hashes come back whole in every member',
    '160 characters',
  ],
  'sessions: who acts is dropped': [
    'a session with every member comes back as it was created, from find and listForUser',
    'each in a column of its own',
  ],
  'sessions: by what an actor is signed in is dropped': [
    'a session with every member comes back as it was created, from find and listForUser',
    'each in a column of its own',
  ],
  'sessions: the secret before is dropped': [
    'a session with every member comes back as it was created, from find and listForUser',
    'each in a column of its own',
  ],
  'sessions: what was left out is null': [
    'what a session was created without is left out, whichever else it has',
    'never null or empty',
  ],
  'sessions: rotate writes the row without its last members': [
    'touch, rotateRefresh, setMethods and end leave every other member as it was',
    'after sessions.rotateRefresh',
  ],
  'sessions: no session is longer than 90 days': [
    'a session with times of its own is over by those: a year without idle end, or a minute',
    'which the router has made from its `lifetime`',
  ],
  'sessions: addPasswordMark keeps the last alone': [
    'addPasswordMark, where it is offered: of 16 at once, every mark is there',
    'signs its sessions out',
  ],
  'sessions: addPasswordMark reads, then writes': [
    'addPasswordMark, where it is offered: of 16 at once, every mark is there',
    'Append in the write itself',
  ],
  'sessions: addPasswordMark for all of the user': [
    'addPasswordMark, where it is offered: leaves other marks, other users, sessions without a ' +
      'mark and ended ones alone',
    'outlive a password',
  ],
}
