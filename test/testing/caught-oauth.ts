import type { badClients } from './bad-stores/clients.js'
import type { badConsents } from './bad-stores/consents.js'
import type { badOnce } from './bad-stores/once.js'

type Name = keyof typeof badConsents | keyof typeof badOnce | keyof typeof badClients

const union = 'granting again adds scopes, moves updatedAt and leaves grantedAt'

/** The same for the stores that only OAuth has a use for. */
export const caughtOAuth: Readonly<Record<Name, readonly [test: string, message: string]>> = {
  'consents: grant reads, then writes': [
    'grant by 10 callers, at once: every scope is there',
    'Add in the write itself',
  ],
  'consents: grant replaces the scopes': [union, 'the union of both'],
  'consents: grant moves grantedAt': [union, 'the union of both'],
  'consents: grant adds a scope once more': [union, 'each scope once'],
  'consents: scopes as members of a plain object': [
    'scopes that look like something else come back as the same texts, case included',
    'all that a scope-token may have',
  ],
  'consents: scopes without regard to case': [
    'scopes that look like something else come back as the same texts, case included',
    'Each is a text of its own',
  ],
  'consents: revoke says so to everyone': [
    'revoke is won by one of 2 callers',
    '2 of 2 callers revoked one consent',
  ],
  'consents: revoke reads, then writes': [
    'revoke is won by one of 10 callers',
    '10 of 10 callers revoked one consent',
  ],
  'consents: revoke asks for no user at all, and takes those of everybody': [
    'revoking deletes that consent alone, and whoever is later is told unknown',
    'took another consent with it',
  ],
  'consents: revoke marks the row, and grant adds to it': [
    'a consent after a revocation begins anew',
    'brought back what was taken back',
  ],
  'consents: user and client joined by a colon': [
    'user and client are two keys: a part of one is none of the other',
    'do not join them',
  ],
  'consents: user ids without regard to case': [
    'users that differ in one byte are not the same',
    'differ by case',
  ],
  'consents: undefined when there is none': [
    'a consent comes back as it was granted, and is null when there is none',
    'null, not undefined',
  ],
  'consents: listForUser the newest first': [
    'listForUser answers the consents of that user, the oldest first, ties by client',
    'by grantedAt',
  ],
  'consents: listForUser sorts by the locale': [
    'listForUser answers the consents of that user, the oldest first, ties by client',
    'by the bytes',
  ],
  'consents: listForUser answers the first page of 1000': [
    '1100 consents of one user are all listed',
    'Ask for the next page',
  ],
  'consents: records by reference': [
    'records are copies: changing one does not change the store',
    'changed the stored one',
  ],
  'once: reads, then writes': [
    'claim is won by one of 10 callers',
    '10 of 10 callers claimed one key',
  ],
  'once: an expired note is read, then written': [
    'claim of a key whose note has expired is won by one of 10 callers',
    '10 of 10 callers claimed one key',
  ],
  'once: an expired note stays in the way': [
    'a key is claimed once, and known until its expiresAt, to the millisecond',
    'also where it is still there',
  ],
  'once: known at the moment of expiry': [
    'a key is claimed once, and known until its expiresAt, to the millisecond',
    'now < expiresAt',
  ],
  'once: ends in seconds': [
    'a key is claimed once, and known until its expiresAt, to the millisecond',
    'was overheard works again',
  ],
  'once: an upsert moves the end': [
    'who is told that a key is known does not move its end',
    'and moved expiresAt',
  ],
  'once: a note that is taken over keeps its end': [
    'a key that was claimed again is known until its new end',
    'Write the new expiresAt',
  ],
  'once: keys cut at 255': ['the longest keys are known whole', 'cut off equals another'],
  'once: keys without regard to case': ['keys that differ in one byte are different keys', 'case'],
  'once: rows in a plain object': [
    'a key that every object has as a property is a key like any other',
    'It rejected',
  ],
  'once: the TTL stays where the first claim has set it': [
    'a key that was claimed again is known also when its first expiresAt has passed by the real ' +
      'time',
    'must move the TTL',
  ],
  'once: purge too early': [
    'purge deletes a note at the moment it expires, and not before',
    'one millisecond before it expired',
  ],
  'once: purge takes a limit of 0 for none': [
    'purge with a limit of 0 deletes no note',
    'must delete nothing and answer 0',
  ],
  'once: purge without a limit': [
    'purge deletes at most so many notes as it is told',
    'deleted 5 of 5 rows',
  ],
  'once: purge does nothing': [
    'purge deletes a note at the moment it expires, and not before',
    'rows pile up for ever',
  ],
  'clients: create as an upsert': [
    'creating an id again changes nothing',
    'of an id that is there',
  ],
  'clients: create reads, then writes': [
    'create is won by one of 10 callers',
    '10 of 10 callers created a client with one id',
  ],
  'clients: create keeps what it has columns for': [
    'a client comes back as it was created, and is null when there is none',
    'with all its members',
  ],
  'clients: update writes the whole row': [
    'update replaces the metadata whole, and neither secrets nor disabled',
    'secretHashes and disabled stay',
  ],
  'clients: update leaves what is left out': [
    'update replaces the metadata whole, and neither secrets nor disabled',
    'what the client has no more is gone',
  ],
  'clients: update as an upsert': ['update never inserts', 'that is not there'],
  'clients: update counts rows that became different': [
    'update replaces the metadata whole, and neither secrets nor disabled',
    'so it is updated',
  ],
  'clients: replaceSecrets blind': [
    'replaceSecrets is won by one of 2 callers',
    '2 of 2 callers replaced the same secrets',
  ],
  'clients: replaceSecrets reads, then writes': [
    'replaceSecrets is won by one of 10 callers',
    '10 of 10 callers replaced the same secrets',
  ],
  'clients: replaceSecrets goes by the first': [
    'replaceSecrets goes by the hashes that are there, in their order',
    'One of two is not both',
  ],
  'clients: no secrets as an empty list': [
    'a client without secrets comes back without secretHashes, whatever was changed',
    'Leave `secretHashes` out',
  ],
  'clients: setDisabled says so to everyone': [
    'setDisabled is won by one of 2 callers',
    '2 of 2 callers disabled one client',
  ],
  'clients: setDisabled writes the whole row': [
    'update, replaceSecrets and setDisabled, at once: none is lost',
    'never the whole row',
  ],
  'clients: list leaves out disabled ones': [
    'list answers all clients, disabled or not, by the bytes of their ids',
    'all of them',
  ],
  'clients: list in the order of creation': [
    'list answers all clients, disabled or not, by the bytes of their ids',
    'by the bytes',
  ],
  'clients: records by reference': [
    'records are copies: changing one does not change the store',
    'changed the stored one',
  ],
  'clients: ids without regard to case': [
    'ids that differ in one byte are different clients',
    'differ by case',
  ],
  'clients: register counts, then writes': [
    'register, where it is offered: of 20 that register at once, no more are unused than may be',
    'where 5 may be unused',
  ],
  'clients: use keeps nothing': [
    'register, where it is offered: who was used or updated makes room, and is never purged',
    'after two of those unused were used',
  ],
  'clients: use says so to everyone': [
    'register, where it is offered: who was used or updated makes room, and is never purged',
    'clients.use of a client that is not there',
  ],
  'clients: purge a moment too late': [
    'purge, where it is offered: purge deletes an unused one at the moment it is over, ' +
      'and not before',
    'at the very moment it is over',
  ],
  'clients: undefined when there is none': [
    'a client comes back as it was created, and is null when there is none',
    'null, not undefined',
  ],
}
