import type { badProofs } from './bad-stores/proofs.js'

const comesBack = 'a proof comes back as it was saved, and is null when there is none'
const voids = 'voidForUser uses up all of the user’s that have one of these purposes, and no other'

/** The same for proofs. */
export const caughtProofs: Readonly<
  Record<keyof typeof badProofs, readonly [test: string, message: string]>
> = {
  'proofs: takeTry reads, then writes': [
    'takeTry of 5 tries is won by 5 of 10 callers',
    '10 of 10 callers took one of 5 tries, instead of exactly 5',
  ],
  'proofs: takeTry gives up where another was first': [
    'takeTry of 5 tries is won by 5 of 100 callers',
    '1 of 100 callers took one of 5 tries, instead of exactly 5',
  ],
  'proofs: takeTry counts below zero': [
    'takeTry gives as many tries as there are, one at a time',
    'never below 0',
  ],
  'proofs: takeTry ignores expiry': [
    'a proof that is tried is void at the very moment it expires',
    'now < expiresAt',
  ],
  'proofs: consume reads, then writes': [
    'consume is won by one of 10 callers',
    '10 of 10 callers consumed one proof',
  ],
  'proofs: consume ignores expiry': [
    'a proof is void at the very moment it expires',
    'now < expiresAt',
  ],
  'proofs: good at the moment of expiry': [
    'a proof is void at the very moment it expires',
    'now < expiresAt',
  ],
  'proofs: consume plays triesLeft': [
    'a proof without tries can be used: its last try was taken just before',
    'plays no part',
  ],
  'proofs: consume asks for no purpose': [
    'a proof of another purpose is not there, and nothing is taken from it',
    'a link would do what it was not made for',
  ],
  'proofs: voidForUser voids other purposes': [voids, 'a proof of another purpose'],
  'proofs: voidForUser is late, and resolves before': [
    'what voidForUser has used up is void as soon as it resolves',
    'Resolve when it is durable',
  ],
  'proofs: voidForUser leaves what has expired': [
    'voidForUser uses up expired proofs, too: another clock may be behind',
    'had expired by its `now`',
  ],
  'proofs: voidForUser counts what it has read': [
    'voidForUser is won by one of 10 callers',
    '10 of 10 callers used up the one proof of a user',
  ],
  'proofs: voidForUser does the first page only': [
    'voidForUser finds all proofs of a user, also the next page',
    'left 100 of 1100 proofs',
  ],
  'proofs: save as an upsert': [
    'saving a hash again rejects and changes nothing, before its use and after',
    'already there',
  ],
  'proofs: a user has one proof of each purpose': [
    'a user has as many proofs of one purpose as were saved',
    'a second proof of one user',
  ],
  'proofs: what is sealed is cut': [
    'what is sealed comes back whole, all 8 KiB of it',
    'can never be opened again',
  ],
  'proofs: save drops the mark': [comesBack, 'as it was saved, whole'],
  'proofs: nobody is a user called null': [comesBack, 'as it was saved, whole'],
  'proofs: find takes a try': [
    'find changes nothing, however often it is asked',
    'whoever opens a page would use it up',
  ],
  'proofs: find knows no used ones': [
    'find answers a proof also when it is used, expired or without tries',
    'stays until it is purged',
  ],
  'proofs: undefined when there is none': [comesBack, 'null, not undefined'],
  'proofs: hashes without regard to case': [
    'hashes that differ by case are different proofs',
    'ignores case',
  ],
  'proofs: list answers used ones': [
    'list answers nobody’s proofs of a purpose that can be used, and no others',
    'without what is used, tried, expired',
  ],
  'proofs: list does the first page only': [
    'list finds all of them, also the next page',
    'Go on page by page',
  ],
  'proofs: list knows nobody’s proofs only': [
    'list answers one user’s proofs of a purpose that can be used, and no others',
    'while its owner can still undo the first change',
  ],
  'proofs: purge too early': [
    'purge deletes an unused proof at the moment it expires, and not before',
    'one millisecond before it expired',
  ],
  'proofs: purge without a limit': [
    'purge deletes at most so many proofs as it is told',
    'deleted 5 of 5 rows',
  ],
  'proofs: purge takes a limit of 0 for none': [
    'purge with a limit of 0 deletes no proof',
    'must delete nothing and answer 0',
  ],
}
