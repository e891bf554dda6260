import type { badStores } from './bad-stores.js'
import { caughtCounting } from './caught-counting.js'
import { caughtDeviceCodes } from './caught-device-codes.js'
import { caughtHurried } from './caught-hurried.js'
import { caughtIdentities } from './caught-identities.js'
import { caughtOAuth } from './caught-oauth.js'
import { caughtInOutages } from './caught-outages.js'
import { caughtOwners } from './caught-owners.js'
import { caughtPasskeys } from './caught-passkeys.js'
import { caughtProofs } from './caught-proofs.js'
import { caughtWholeRows } from './caught-whole-rows.js'

/** For every bad store a test that must fail, and a part of what it must say. */
export const caught: Readonly<
  Record<keyof typeof badStores, readonly [test: string, message: string]>
> = {
  ...caughtHurried,
  ...caughtOAuth,
  ...caughtWholeRows,
  ...caughtOwners,
  ...caughtPasskeys,
  ...caughtProofs,
  ...caughtIdentities,
  ...caughtDeviceCodes,
  ...caughtCounting,
  ...caughtInOutages,
  'codes: read, then write': [
    'consume is won by one of 10 callers',
    '10 of 10 callers consumed one code',
  ],
  'codes: GET and DEL': ['consume is won by one of 2 callers', '2 of 2 callers consumed one code'],
  'codes: losers of a race are rejected': [
    'consume is won by one of 2 callers',
    'One of 2 callers failed, instead of',
  ],
  'codes: good at the moment of expiry': [
    'a code is void at the very moment it expires',
    'now < expiresAt',
  ],
  'codes: hashes without regard to case': [
    'hashes that differ by case are different codes',
    'bytewise',
  ],
  'codes: purge deletes used ones when they expire': [
    'purge keeps a used code until retainUntil',
    'before retainUntil',
  ],
  'codes: replays forgotten at retainUntil': [
    'a used code is replayed for as long as it is there, also after retainUntil',
    'only `purge` goes by that moment',
  ],
  'codes: purge takes a limit of 0 for none': [
    'purge with a limit of 0 deletes no code',
    'must delete nothing and answer 0',
  ],
  'codes: purge without a limit': [
    'purge deletes at most so many codes as it is told',
    'deleted 5 of 5 rows',
  ],
  'codes: save as an upsert': [
    'saving a hash again rejects and changes nothing, before its use and after',
    'already there',
  ],
  'codes: undefined when there is none': [
    'an unknown code is null to find and unknown to consume',
    'null, not undefined',
  ],
  'codes: dates as texts': [
    'a record comes back as it was saved, from find and from consume',
    'as it was saved',
  ],
  'codes: replays without the record': [
    'a used code is replayed also after it has expired',
    '`replayed` with the record',
  ],
  'codes: redeem consumes, then fails to insert': [
    'redemption, where it is offered: rejects and leaves the code unused if the session is ' +
      'already there',
    'Do both in one transaction',
  ],
  'codes: redeem inserts, then consumes': [
    'redemption, where it is offered: whoever is not first opens no session',
    'must not have inserted',
  ],
  'sessions: end reads, then writes': [
    'end is won by one of 100 callers',
    '100 of 100 callers ended one session',
  ],
  'sessions: end says true to everyone': [
    'ending an unknown session is false',
    'false for an unknown id',
  ],
  'sessions: end overwrites the reason': [
    'an ended session shows when and why, and the first reason stays',
    'first reason',
  ],
  'sessions: end deletes': [
    'an ended session shows when and why, and the first reason stays',
    'right after sessions.end',
  ],
  'sessions: rotate reads, then writes': [
    'rotateRefresh is won by one of 10 callers',
    '10 of 10 callers rotated',
  ],
  'sessions: rotate writes the whole row': [
    'rotateRefresh and end, at once: the session has ended, whatever the rotation was told',
    'revived a session that end was ending',
  ],
  'sessions: rotate keeps of refresh tokens what it has columns for': [
    'rotation to the same hash notes that a pair was used, and the next rotation begins anew',
    'a thief and the owner of a refresh token can go on in turn',
  ],
  'sessions: rotate takes the same hash for no rotation': [
    'rotation to the same hash notes that a pair was used, and the next rotation begins anew',
    'To the same hash',
  ],
  'sessions: rotate ignores endedAt': [
    'rotation of a session that has ended or was never there is answered ended',
    'a revoked session must not be refreshed',
  ],
  'sessions: touch as an upsert': ['touch never inserts', 'Update; never upsert'],
  'sessions: touch reads, then writes the whole row': [
    'touch and end, at once: the session has ended',
    'brought a session back',
  ],
  'sessions: setMethods as an upsert': ['setMethods never inserts', 'Update; never upsert'],
  'sessions: setMethods reads, then writes the whole row': [
    'setMethods and rotateRefresh, at once: both changes are there',
    'brought back locks the client out',
  ],
  'sessions: setMethods ignores endedAt': [
    'setMethods leaves an ended session as it ended',
    'Update only where it has not',
  ],
  'sessions: touch judges the idle end': [
    'rotateRefresh, touch, setMethods and end go by whether a session has ended, not by its times',
    'sessions.touch judged the times',
  ],
  'sessions: live at the moment of expiry': [
    'a session is live one millisecond before idleExpiresAt, and over at that very moment',
    'listForUser at idleExpiresAt',
  ],
  'sessions: liveAmong answers ended ones': [
    'liveAmong answers only ids that live, however the question is put',
    'ended sessions',
  ],
  'sessions: listForUser of everybody': [
    'user ids that differ in one byte are different users',
    'one user would see',
  ],
  'sessions: listForUser the newest first': [
    'listForUser answers the live sessions of that user, the oldest first',
    'createdAt',
  ],
  'sessions: endAllForUser reads again afterwards': [
    'endAllForUser by 10 callers, at once: each id is named by exactly one',
    'the rows that this write has changed',
  ],
  'sessions: listForUser leaves ties to luck': [
    'listForUser answers sessions of the same createdAt by id',
    'the bytes of their ids',
  ],
  'sessions: endAllForUser leaves out idle ones': [
    'endAllForUser ends and names sessions that idled out, or are past their absolute end, too',
    'had idled out',
  ],
  'sessions: endAllForUser names what was created meanwhile': [
    'endAllForUser and create, at once: the new session is ended and named, or neither',
    'named but did not end',
  ],
  'sessions: endAllForUser ignores exceptId': [
    'endAllForUser spares exceptId',
    'must not sign out here',
  ],
  'sessions: ids without regard to case': [
    'ids that differ in one byte are different sessions',
    'differ by case',
  ],
  'sessions: user ids without a trailing blank': [
    'user ids that differ in one byte are different users',
    'a trailing blank',
  ],
  'sessions: user ids cut at 255': [
    'user ids that differ in one byte are different users',
    'the last of 300 bytes',
  ],
  'sessions: create as an upsert': [
    'create is won by one of 10 callers',
    '10 of 10 callers created a session',
  ],
  'sessions: dates in seconds': [
    'a session without refresh tokens comes back as it was created',
    'as it was created',
  ],
  'sessions: records by reference': [
    'records are copies: changing one does not change the store',
    'changed the stored one',
  ],
  'sessions: user agents cut at 512': [
    'the longest ids, hashes and texts come back whole',
    'up to 16,000 characters',
  ],
  'sessions: purge deletes what ends later': [
    'purge deletes a session at the moment it ended, and not before, and no living one',
    'one millisecond after `now`',
  ],
  'sessions: purge takes a limit of 0 for none': [
    'purge with a limit of 0 deletes no session',
    'must delete nothing and answer 0',
  ],
  'sessions: purge by ids read before': [
    'purge and use, at once: a session that was used in time stays',
    'refreshed meanwhile',
  ],
  'secondFactors: advanceStep reads, then writes': [
    'advanceStep is won by one of 10 callers',
    '10 of 10 callers used one TOTP step',
  ],
  'secondFactors: advanceStep with >=': [
    'a step is accepted only if it is greater than the last',
    'only if step > lastStep',
  ],
  'secondFactors: activate overwrites': [
    'activating again changes neither factor nor recovery codes',
    'who has a factor',
  ],
  'secondFactors: activate reads, then writes': [
    'activate is won by one of 10 callers',
    '10 of 10 callers activated',
  ],
  'secondFactors: deactivate says so to everyone': [
    'deactivate is won by one of 2 callers',
    '2 of 2 callers deactivated',
  ],
  'secondFactors: deactivate leaves the recovery codes': [
    'deactivating deletes the factor and its recovery codes, for good',
    'A recovery code after deactivate',
  ],
  'secondFactors: deactivate keeps no recovery codes': [
    'deactivating can keep the recovery codes, until the next factor is activated',
    'those that are left stay',
  ],
  'secondFactors: deleteKeptRecoveryCodes deletes nothing': [
    'deleteKeptRecoveryCodes deletes those of a user without a factor alone',
    'countRecoveryCodes after deleteKeptRecoveryCodes',
  ],
  'secondFactors: deleteKeptRecoveryCodes deletes those of a factor': [
    'deleteKeptRecoveryCodes deletes those of a user without a factor alone',
    'of an active factor',
  ],
  'secondFactors: deleteKeptRecoveryCodes looks, then deletes': [
    'deleteKeptRecoveryCodes and activate, at once: the codes of the new factor are left, and ' +
      'no others',
    'must not delete codes that came with it',
  ],
  'secondFactors: recovery codes as one list in a value': [
    '10 recovery codes used at once are each used up',
    'one row for each',
  ],
  'secondFactors: user ids in one Unicode form': [
    'user ids that differ in one byte are different users',
    'the Unicode form',
  ],
  'secondFactors: savePending keeps the first': [
    'savePending replaces an earlier enrolment, and leaves an active factor alone',
    'the last seed was shown last',
  ],
  'secondFactors: savePending field by field': [
    'savePending by 10 callers, at once: the enrolment of one of them is left, whole',
    'a mixture of two enrolments',
  ],
  'secondFactors: one enrolment for all sessions of a user': [
    'each session of a user has an enrolment of its own, and no other is answered for it',
    'answered what waits in another session',
  ],
  'secondFactors: savePending forgets other sessions': [
    'each session of a user has an enrolment of its own, and no other is answered for it',
    'changed the one that waits in this',
  ],
  'secondFactors: deactivate leaves other sessions': [
    'each session of a user has an enrolment of its own, and no other is answered for it',
    'left the enrolment of another session',
  ],
  'secondFactors: deletePending leaves other sessions': [
    'deletePending deletes all enrolments of a user, and nothing else',
    'left an enrolment',
  ],
  'secondFactors: deletePending deletes the factor': [
    'deletePending deletes all enrolments of a user, and nothing else',
    'changed the factor',
  ],
  'secondFactors: findPending hides what has expired': [
    'an enrolment comes back as it was saved, expired or not, and is null when there is none',
    'as it was saved',
  ],
  'secondFactors: confirm reads, then writes': [
    'confirm is won by one of 10 callers',
    '10 of 10 callers confirmed one enrolment',
  ],
  'secondFactors: confirm ignores expiry': [
    'an enrolment is void at the very moment it expires, and confirming it changes nothing',
    'now < expiresAt',
  ],
  'secondFactors: confirm ignores the sealed seed': [
    'confirming another seed than the one that waits is not-pending, and changes nothing',
    'shown last',
  ],
  'secondFactors: confirm overwrites an active factor': [
    'confirming when a factor has been activated meanwhile is already-active, and changes ' +
      'neither factor nor codes',
    'has got a factor meanwhile',
  ],
  'secondFactors: confirm leaves the enrolment': [
    'confirming activates the factor as it was confirmed, with its recovery codes, and uses the ' +
      'enrolment up',
    'could be confirmed again',
  ],
  'secondFactors: confirm forgets the step': [
    'confirming activates the factor as it was confirmed, with its recovery codes, and uses the ' +
      'enrolment up',
    'with its `lastStep`',
  ],
  'secondFactors: confirm deletes the enrolment before it looks': [
    'an enrolment is void at the very moment it expires, and confirming it changes nothing',
    'changed the enrolment',
  ],
  'secondFactors: confirm writes the codes later': [
    'confirm and deactivate, at once: nothing is left',
    'and with it 0 recovery codes',
  ],
  'secondFactors: listSealed begins anew': [
    'what is sealed is counted by its first 11 characters, byte for byte, if it is counted at all',
    'names each factor once',
  ],
  'secondFactors: reseal blind': [
    'reseal is won by one of 10 callers',
    '10 of 10 callers resealed one seed',
  ],
  'secondFactors: reseal writes the whole row': [
    'reseal and advanceStep, at once: neither is lost',
    'a used code works again',
  ],
  'secondFactors: replaceRecoveryCodes adds': [
    'replacing recovery codes makes the old ones void, and leaves exactly the new ones',
    'the new codes and no others',
  ],
  'secondFactors: replaceRecoveryCodes deletes and inserts without a lock': [
    'replaceRecoveryCodes by 10 callers, at once: the codes of exactly one of them are left, ' +
      'all of them',
    'of the callers: 3 3 3 3 3 3 3 3 3 3',
  ],
  'secondFactors: replaceRecoveryCodes without a factor': [
    'replacing recovery codes without a factor is not-active, and leaves none',
    'before a factor',
  ],
  'secondFactors: countRecoveryCodes as a text': [
    'countRecoveryCodes counts those that are left to that user',
    'A number, not a text',
  ],
  'secondFactors: deactivate leaves the enrolment': [
    'deactivating deletes a waiting enrolment as well, with a factor and without',
    'could still switch it on',
  ],
  'secondFactors: deactivate deletes codes after it has looked': [
    'activate and deactivate of a user without a factor, at once: factor and recovery codes are ' +
      'both there, or neither is',
    'those of the factor that it deletes',
  ],
  'secondFactors: purge deletes active factors': [
    'purge leaves active factors and their recovery codes, however old they are',
    'the user has none any more',
  ],
  'secondFactors: purge by ids read before': [
    'purge and savePending, at once: the new enrolment stays',
    'begun meanwhile',
  ],
  'secondFactors: purge takes a limit of 0 for none': [
    'purge with a limit of 0 deletes no enrolment',
    'must delete nothing and answer 0',
  ],
  'tickets: GET and DEL': ['consume is won by one of 10 callers', 'callers consumed one ticket'],
  'tickets: good at the moment of expiry': [
    'a ticket is void at the very moment it expires',
    'now < expiresAt',
  ],
  'tickets: save as an upsert': [
    'saving a hash again rejects and changes nothing',
    'already there',
  ],
  'tickets: purge takes a limit of 0 for none': [
    'purge with a limit of 0 deletes no ticket',
    'must delete nothing and answer 0',
  ],
  'tickets: purge without a limit': [
    'purge deletes at most so many tickets as it is told',
    'deleted 5 of 5 rows',
  ],
  'tickets: purge too early': [
    'purge deletes a ticket at the moment it expires, and not before',
    'one millisecond before it expired',
  ],
  'keys: insert as an upsert': [
    'inserting a generation again changes nothing',
    'generation that is there',
  ],
  'keys: insert reads, then writes': [
    'insert is won by one of 10 callers',
    '10 of 10 callers inserted one generation',
  ],
  'keys: reseal blind': [
    'resealing replaces the named sealed key, and makes none, if it is offered',
    'keys.reseal of one generation',
  ],
  'keys: all in one value': [
    'different generations inserted at once are all there',
    'one row for each',
  ],
}
