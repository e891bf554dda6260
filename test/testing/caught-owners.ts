import type { badOwners } from './bad-stores/owners.js'

/** The same for what belongs to clients, and to sessions that open others. */
export const caughtOwners: Readonly<
  Record<keyof typeof badOwners, readonly [test: string, message: string]>
> = {
  'codes: save drops the members it has no column for': [
    'a code with every member comes back as it was saved: unused, used, and as a replay',
    'any client exchanges the code',
  ],
  'codes: resources as one text': [
    'a code with every member comes back as it was saved: unused, used, and as a replay',
    'each in a column of its own',
  ],
  'codes: consume answers without the last columns': [
    'a code with every member comes back as it was saved: unused, used, and as a replay',
    'codes.consume',
  ],
  'sessions: resources as one text': [
    'a session with every member comes back as it was created, from find and listForUser',
    'each in a column of its own',
  ],
  'sessions: resources that are none are left out': [
    'the resources of a session come back as they were: none, one, or some odd texts',
    'an empty one stays one',
  ],
  'sessions: endAllForClient for every user': [
    'endAllForClient, where it is offered: with a user ends the sessions of that user at that ' +
      'client, and no others',
    'with a user',
  ],
  'sessions: endAllForClient ends one batch of 25': [
    'endAllForClient, where it is offered: ends all of 1100 sessions',
    'batch by batch',
  ],
  'sessions: endAllForClient stops before its limit': [
    'endAllForClient, where it is offered: with a limit, called until it answers fewer, leaves ' +
      'none',
    'fewer ids than that say that none is left',
  ],
  'sessions: endAllForClient names what it read before': [
    'endAllForClient is won by one of 10 callers',
    '10 of 10 callers named one session of a client',
  ],
  'sessions: endChildren ends the parent, too': [
    'endChildren, where it is offered: leaves the parent, its parent, the children of its ' +
      'children and what only came from it',
    'ended somebody else',
  ],
  'sessions: endChildren ends what only came from it': [
    'endChildren, where it is offered: leaves the parent, its parent, the children of its ' +
      'children and what only came from it',
    'endChildren',
  ],
  'sessions: endChildren names what it read before': [
    'endChildren, where it is offered: by 10 callers, at once: each id is named by one',
    'must name each id once',
  ],
  'sessions: endChildren leaves out what is over': [
    'endChildren, where it is offered: ends and names those that are over, too',
    'whose clock is behind',
  ],
  'sessions: setAuthenticated as an upsert': [
    'setAuthenticated, where it is offered: never inserts, and leaves an ended session as it ended',
    'never upsert',
  ],
  'sessions: setAuthenticated reads, then writes the whole row': [
    'setAuthenticated, where it is offered: and rotateRefresh, at once: both changes are there',
    'Update the columns',
  ],
  'sessions: setAuthenticated takes the secret away': [
    'setAuthenticated, where it is offered: replaces methods and time, and nothing else',
    'without its secret a browser would be signed out',
  ],
  'sessions: replaceSecret reads, then writes': [
    'replaceSecret is won by one of 10 callers',
    '10 of 10 callers replaced one secret',
  ],
  'sessions: replaceSecret also for the former secret': [
    'replaceSecret, where it is offered: answers false and does nothing for another secret',
    'and no other',
  ],
  'sessions: replaceSecret forgets the former secret': [
    'replaceSecret, where it is offered: keeps the former secret with its time, and all else',
    'changes `secretHash` and `formerSecret`',
  ],
  'sessions: replaceSecret of what has ended': [
    'replaceSecret, where it is offered: never inserts, and leaves an ended session as it ended',
    'never upsert',
  ],
}
