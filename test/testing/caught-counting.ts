import type { badCounts } from './bad-stores/counting.js'

/** The same for how many sessions a user has. */
export const caughtCounting: Readonly<
  Record<keyof typeof badCounts, readonly [test: string, message: string]>
> = {
  'sessions: countForUser counts the first page of 1000': [
    '1100 sessions of one user are all listed, counted and ended',
    'count all pages',
  ],
  'sessions: countForUser of everybody': [
    'countForUser, where it is offered: counts the sessions of that user',
    'nobody else’s',
  ],
  'sessions: countForUser keeps a number of its own': [
    'countForUser, where it is offered: of 10 created at once, one sees all',
    'a number in a row of its own loses one of two changes',
  ],
  'sessions: countForUser goes by the end that create wrote': [
    'countForUser, where it is offered: counts by the idle end that was set last',
    'touch and rotateRefresh have set',
  ],
  'sessions: countForUser leaves out what is of the future': [
    'countForUser, where it is offered: counts for a process whose clock is behind, too',
    'clocks of processes differ',
  ],
  'sessions: countForUser answers a text': [
    'countForUser, where it is offered: counts the sessions of that user',
    'all sessions of this user that live',
  ],
}
