import type { badMemories } from './bad-stores/caches-and-ttls.js'
import type { badTexts } from './bad-stores/keys-and-texts.js'
import type { badPages } from './bad-stores/pages-and-batches.js'
import type { badParts } from './bad-stores/parts-of-rows.js'

type Name =
  | keyof typeof badMemories
  | keyof typeof badTexts
  | keyof typeof badPages
  | keyof typeof badParts

/**
 * The same for stores that were written in a hurry: pages, batches, caches, TTLs, whole documents,
 * keys put together.
 */
export const caughtHurried: Readonly<Record<Name, readonly [test: string, message: string]>> = {
  'sessions: endAllForUser ends one batch of 25': [
    '1100 sessions of one user are all listed, counted and ended',
    'batch by batch',
  ],
  'sessions: endAllForUser ends one batch of 1000': [
    '1100 sessions of one user are all listed, counted and ended',
    'sessions.endAllForUser left 100 of 1100 sessions',
  ],
  'sessions: endAllForClient ends one batch of 500': [
    'endAllForClient, where it is offered: ends all of 1100 sessions',
    'sessions.endAllForClient left 600 of 1100 sessions',
  ],
  'sessions: endChildren ends one batch of 200': [
    'endChildren, where it is offered: ends all of 1100 sessions',
    'sessions.endChildren left 900 of 1100 sessions',
  ],
  'sessions: purge goes by when they were seen last': [
    'purge leaves a living session that nobody has used for two months',
    'a named token may rest for months',
  ],
  'sessions: listForUser answers the first page of 1000': [
    '1100 sessions of one user are all listed, counted and ended',
    'answered 1000 of 1100 sessions',
  ],
  'sessions: listForUser answers the first page of 20': [
    '1100 sessions of one user are all listed, counted and ended',
    'Ask for the next page',
  ],
  'sessions: listForUser goes on after the last createdAt': [
    '1100 sessions of one user are all listed, counted and ended',
    'createdAt and id together',
  ],
  'sessions: liveAmong judges the first 100 ids only': [
    'liveAmong answers 500 ids at once',
    'judge each of them',
  ],
  'sessions: the ids of a user as one list in a value': [
    '10 sessions of one user created at once are all listed',
    'a list in a value loses',
  ],
  'sessions: purge applies its limit to each kind': [
    'purge deletes at most so many sessions as it is told',
    'of all kinds together',
  ],
  'sessions: purge looks at so many rows as it may delete': [
    'purge deletes at most so many sessions as it is told',
    'not those that are looked at',
  ],
  'codes: purge without a limit deletes one batch of 25': [
    'purge without a limit deletes every code that is over',
    'page by page',
  ],
  'tickets: purge answers nothing of what it deleted': [
    'purge deletes a ticket at the moment it expires, and not before',
    'Answer how many went',
  ],
  'sessions: purge does nothing': [
    'purge deletes a session at idleExpiresAt, and not before',
    "`expires: 'database'`",
  ],
  'tickets: purge a millisecond late': [
    'purge deletes a ticket at the moment it expires, and not before',
    'at the very moment it is over',
  ],
  'codes: used ones are never purged': [
    'purge keeps a used code until retainUntil',
    'rows pile up for ever',
  ],
  'sessions: purge leaves the index of the user': [
    'after purge a user has the other sessions, and no others',
    'leave every index',
  ],
  'secondFactors: activate writes 25 recovery codes at most': [
    '30 recovery codes are all there, after activate and after replaceRecoveryCodes',
    'in as many batches',
  ],
  'secondFactors: replaceRecoveryCodes deletes 25 at most': [
    '30 recovery codes are all there, after activate and after replaceRecoveryCodes',
    'in as many batches',
  ],
  'sessions: find keeps what it was reading when the session ended': [
    'find and listForUser, while end is under way: the session before or after, whole; then after',
    'must not fill one afterwards',
  ],
  'sessions: find remembers what was not there': [
    'an unknown session is null, not undefined, and found once it is created',
    'Do not remember what is not there',
  ],
  'secondFactors: find keeps a factor for a moment': [
    'find, while a factor is activated, used, resealed and deactivated: then it is',
    'without a cache',
  ],
  'sessions: the TTL of the row stays where create has set it': [
    'a session that was used is there also when its first idle end has passed by the real time',
    'must move its TTL',
  ],
  'sessions: the TTL in whole seconds, rounded down': [
    'a session is found until its idle end comes by the real time',
    'must be rounded up',
  ],
  'sessions: the index of a user expires with the first session': [
    'a session that was used is there also when its first idle end has passed by the real time',
    'as long as the last of them',
  ],
  'sessions: listForUser and liveAmong go by the end that create wrote': [
    'touch and rotateRefresh move the idle end, for listForUser, liveAmong and purge as well',
    'Move what it goes by',
  ],
  'codes: the TTL of a used code is that of an unused one': [
    'a used code is replayed also when its expiresAt has passed by the real time',
    'move its TTL when it is used',
  ],
  'secondFactors: confirm keeps the TTL of the enrolment': [
    'a factor stays when the enrolment it was has expired by the real time, and so does the ' +
      'next enrolment',
    'Take the TTL away',
  ],
  'secondFactors: savePending keeps the TTL of the enrolment before': [
    'a factor stays when the enrolment it was has expired by the real time, and so does the ' +
      'next enrolment',
    'left the TTL of the enrolment that it replaced',
  ],
  'sessions: touch writes refresh back': [
    'rotateRefresh and touch, at once: the new refresh token is there, and what was seen by one ' +
      'of them',
    'nor any other column',
  ],
  'sessions: rotate writes the hash first and the rest later': [
    'find and listForUser, while rotateRefresh is under way: the session before or after, ' +
      'whole; then after',
    'in one statement',
  ],
  'sessions: touch deletes and inserts': [
    'find and listForUser, while touch is under way: the session before or after, whole; then ' +
      'after',
    'do not delete and insert it',
  ],
  'sessions: touch writes whatever it is handed': [
    'touch and rotateRefresh write what they name, also when they are handed more',
    'Name the columns one by one',
  ],
  'sessions: touch keeps the Date it was handed': [
    'changes are copies: changing what was handed in does not change the store',
    'Copy Dates and lists',
  ],
  'sessions: touch rejects where nothing is to be updated': [
    'touch never inserts',
    'must do nothing, and resolve',
  ],
  'sessions: endAllForUser leaves out expired ones': [
    'endAllForUser ends and names sessions that idled out, or are past their absolute end, too',
    'past its expiresAt',
  ],
  'codes: one for each user': [
    'two codes of one user are both good, whichever is used first',
    'Keep a row for each code',
  ],
  'codes: void before createdAt': [
    'a code is good for a process whose clock is behind, too',
    'Ask only whether expiresAt has come',
  ],
  'codes: redemption for a copy of the session store': [
    'redemption, where it is offered: goes to the very session store that the router has',
    'Hand out the very object',
  ],
  'tickets: used up by whoever comes too late': [
    'a ticket is void at the very moment it expires',
    'a condition of the delete',
  ],
  'tickets: one for each session': [
    'two tickets of one session are both good',
    'Keep a row for each ticket',
  ],
  'secondFactors: advanceStep writes factor and recovery codes as one document': [
    'advanceStep, reseal and consumeRecoveryCode, at once: all three have happened',
    'do not write factor and recovery codes as one document',
  ],
  'secondFactors: deactivate leaves the codes in their rows': [
    'deactivating deletes the factor and its recovery codes, for good',
    'A recovery code after deactivate',
  ],
  'secondFactors: users and codes joined with a colon': [
    'users and recovery codes that read the same when they are joined are kept apart',
    'two columns',
  ],
  'sessions: end writes the moment first and the reason later': [
    'find and listForUser, while end is under way: the session before or after, whole; then after',
    'in one statement',
  ],
  'sessions: live from createdAt on': [
    'a session is live for a process whose clock is behind, too',
    'Ask only whether the end has come',
  ],
  'sessions: users by the beginning of their ids': [
    'user ids that differ in one byte are different users',
    'one begins with the other',
  ],
  'sessions: user ids as numbers where they look like them': [
    'user ids that differ in one byte are different users',
    'a leading zero',
  ],
  'sessions: user ids without a slash': [
    'user ids that differ in one byte are different users',
    'a slash',
  ],
  'sessions: user ids unescaped': [
    'user ids that differ in one byte are different users',
    'an escape of an address',
  ],
  'sessions: user ids with U+FFFD for half a character': [
    'of users: ids and hashes that are no well-formed text, or too long, are refused or kept apart',
    'half a character',
  ],
  'sessions: user ids end at a NUL': [
    'of users: ids and hashes that are no well-formed text, or too long, are refused or kept apart',
    'what follows a NUL',
  ],
  'codes: hashes cut at 1024': [
    'ids and hashes that are no well-formed text, or too long, are refused or kept apart',
    'the last of 1025 bytes',
  ],
  'tickets: hashes put into a text': [
    'ids and hashes that are no text are refused, or nothing is there',
    'Refuse what is no string',
  ],
  'sessions: rows in a plain object': [
    'an id that every object has as a property is no session',
    'in a Map',
  ],
  'secondFactors: factors in a plain object': [
    'a user whose id every object has as a property has a factor like any other',
    'in a Map',
  ],
  'sessions: texts that look like dates revived': [
    'texts that look like something else come back as the same texts',
    'A text is a text',
  ],
  'sessions: kinds from a list': [
    'a kind, methods and a reason of a later release come back as the same texts',
    'no list is complete',
  ],
  'sessions: empty texts as null': [
    'a session without methods, with empty texts comes back as it was created',
    'is not null',
  ],
  'sessions: moments end in 2038': [
    'a session that ends in 2040 comes back as it was created',
    'beyond 2038',
  ],
  'sessions: ids in the order of JavaScript': [
    'listForUser answers sessions of the same createdAt by id',
    'the bytes of their ids',
  ],
  'secondFactors: no check of ids at all': [
    'ids and hashes that are no well-formed text, or too long, are refused or kept apart',
    'Refuse what is no string',
  ],
}
