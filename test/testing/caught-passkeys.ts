import type { badPasskeys } from './bad-stores/passkeys.js'

const uses = 'use goes by the counter, and changes nothing but what was seen'
const comesBack = 'a passkey comes back as it was created, and is null when there is none'
const removes = 'remove deletes that passkey alone, and the last one only where it is told to'

/** The same for passkeys. */
export const caughtPasskeys: Readonly<
  Record<keyof typeof badPasskeys, readonly [test: string, message: string]>
> = {
  'passkeys: use writes whatever the counter is': [uses, 'not the one that is kept'],
  'passkeys: use reads, then writes': [
    'use is won by one of 10 callers',
    '10 of 10 callers moved one counter from the same number',
  ],
  'passkeys: use does not ask for a suspected copy': [
    'a passkey of which a copy is suspected is not used again, whatever the counter',
    'whoever has the copy would go on',
  ],
  'passkeys: create forgets the mark of the password': [comesBack, 'as it was created, whole'],
  'passkeys: use lets what is not higher wait': [uses, 'most authenticators never count'],
  'passkeys: ids are unique for each user only': [
    'a passkey that exists counts for nobody',
    'passkeys.create of an id',
  ],
  'passkeys: create counts, then inserts': [
    'a user has no more passkeys than may be, however many are added at once',
    'of 20 at once where 5 may be',
  ],
  'passkeys: everybody is the first': [
    'create of the first is won by one of 2 callers',
    '2 of 2 callers added the first passkey of one user',
  ],
  'passkeys: remove counts, then deletes': [
    'remove unless it is the last is won by one of 2 callers',
    '2 of 2 callers removed one of two passkeys',
  ],
  'passkeys: remove asks for no user': [removes, 'in turn'],
  'passkeys: rename asks for no user': [
    'a suspected copy and a new name change nothing else, and never insert',
    'false for a passkey of another user',
  ],
  'passkeys: recovery codes stay behind the last one': [
    'recovery codes come with the first passkey, and go with the last',
    'Recovery codes without a passkey',
  ],
  'passkeys: the handle is that of whoever claims it last': [
    'a user has one handle, whoever claims it and how many do at once',
    'answered 20 handles of one user',
  ],
  'passkeys: ids without regard to case': [
    'ids that differ in one byte are different passkeys and users',
    'differ by case',
  ],
  'passkeys: undefined when there is none': [comesBack, 'null, not undefined'],
  'passkeys: listForUser the newest first': [
    'the oldest passkey of a user is listed first, and those of no other',
    'the oldest createdAt first',
  ],
}
