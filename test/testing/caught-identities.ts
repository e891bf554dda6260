import type { badIdentities } from './bad-stores/identities.js'

const comesBack = 'an identity comes back as it was linked, and is null when there is none'
const neverMoved = 'an identity that is there is never moved, changed or linked again'
const providers = 'providers that differ in one byte are different identities'
const subjects = 'subjects that differ in one byte are different identities'
const byHand = 'an identity that was unlinked is linked again by hand alone'
const uses = 'used sets when that identity was used, and nothing else, and never inserts'
const unlinks = 'unlink deletes that identity alone, and the last one only where it is told to'
const lists = 'listForUser answers the identities of that user, the oldest first, ties by id'

const pages = 'listOfProvider answers the linked ones of that provider, page by page'

/** The same for identities. */
export const caughtIdentities: Readonly<
  Record<keyof typeof badIdentities, readonly [test: string, message: string]>
> = {
  'identities: listOfProvider begins with the one that it was given': [
    pages,
    'after the given one',
  ],
  'identities: listOfProvider without a limit': [pages, 'up to the limit'],
  'identities: listOfProvider in the order of a dictionary': [pages, 'by the bytes'],
  'identities: link as an upsert': [neverMoved, 'whoever has them'],
  'identities: link reads, then writes': [
    'link is won by one of 10 callers',
    '10 of 10 callers linked one identity',
  ],
  'identities: link gives its own user a new label': [neverMoved, 'never upsert'],
  'identities: link says linked to the same user': [neverMoved, 'whoever has them'],
  'identities: link takes an id for one that exists': [
    'an id that is there with another provider or subject is rejected, and changes nothing',
    'an address would name both',
  ],
  'identities: subjects without regard to case': [subjects, 'differ by case'],
  'identities: providers without regard to case': [providers, 'differ by case'],
  'identities: subjects without a trailing blank': [subjects, 'a trailing blank'],
  'identities: subjects in one Unicode form': [subjects, 'the Unicode form'],
  'identities: subjects by what they look like, without regard to case': [
    subjects,
    'in another script',
  ],
  'identities: subjects cut at 254': [subjects, 'the last of 255 bytes'],
  'identities: subjects of everybody at all providers': [providers, 'differ by'],
  'identities: provider and subject are joined by a colon': [
    'provider and subject are two keys: a part of one is none of the other',
    'do not join them',
  ],
  'identities: ids without regard to case': [
    'ids that differ in one byte are different identities',
    'differ by case',
  ],
  'identities: unlinkAllForUser of users whose ids begin like it': [
    'users that differ in one byte are different users',
    'one begins with the other',
  ],
  'identities: used as an upsert': [uses, 'an unlinked one would come back'],
  'identities: used goes by the subject, of everybody at all providers': [
    uses,
    'by provider and subject together',
  ],
  'identities: used sets only what is later': [uses, 'after identities.used'],
  'identities: unlink asks for no user': [unlinks, 'in turn'],
  'identities: unlink counts, then deletes': [
    'unlink of each of three, unless it is the last, at once: one is left',
    'no way to sign in',
  ],
  'identities: unlink reads, then deletes': [
    'unlink is won by one of 10 callers',
    '10 of 10 callers unlinked one identity',
  ],
  'identities: unlink spares the last, always': [unlinks, 'in turn'],
  'identities: unlink counts before it looks for the id': [unlinks, 'is `unknown`'],
  'identities: unlink forgets that it was linked': [byHand, 'unlinked'],
  'identities: link does not look whether it was unlinked': [byHand, 'Keep the row, and mark it'],
  'identities: what was unlinked cannot be linked again': [neverMoved, 'that was unlinked'],
  'identities: link again reads, then writes': [
    'link of one that was unlinked is won by one of 10 callers',
    '10 of 10 callers linked one identity that was unlinked',
  ],
  'identities: unlinkAllForUser leaves what was unlinked': [
    'what was unlinked is forgotten with its user, and keeps its id until then',
    'of a user who is gone',
  ],
  'identities: unlinkAllForUser deletes a page': [
    '1100 identities of one user are all listed, and all unlinked',
    'page by page',
  ],
  'identities: unlinkAllForUser counts, then deletes': [
    'unlinkAllForUser by 10 callers, at once: each identity is counted once',
    'said that they had deleted',
  ],
  'identities: dates in seconds': [comesBack, 'as it was linked, whole'],
  'identities: labels are never null': [comesBack, 'as it was linked, whole'],
  'identities: labels in 255 characters': [
    'the longest providers, subjects, ids and texts come back whole',
    'up to 16,000 characters',
  ],
  'identities: undefined when there is none': [comesBack, 'null, not undefined'],
  'identities: listForUser the newest first': [lists, 'by createdAt'],
  'identities: listForUser leaves ties to luck': [lists, 'by the bytes of the id'],
  'identities: listForUser the first page': [
    '1100 identities of one user are all listed, and all unlinked',
    'Ask for the next page',
  ],
}
