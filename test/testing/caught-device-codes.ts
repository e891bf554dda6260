import type { badDeviceCodes } from './bad-stores/device-codes.js'

const comesBack = 'a device code comes back as it was saved, and is null when there is none'
const firstUser = 'the first user who claims a code has it, and shows when'
const verdict = 'a verdict changes what it says, is final, and leaves nothing to claim or try'
const others = 'nobody decides or tries a code that is another user’s, or nobody’s'
const pace = 'poll at nextPollAt is polled, and one millisecond before too soon: the interval grows'
const stranger = 'poll with the hash of another device is unknown, and changes nothing'

/** The same for device codes. */
export const caughtDeviceCodes: Readonly<
  Record<keyof typeof badDeviceCodes, readonly [test: string, message: string]>
> = {
  'deviceCodes: claim reads, then writes': [
    'claim is won by one of 10 callers',
    '10 of 10 callers claimed one device code',
  ],
  'deviceCodes: claim asks for no owner at all': [firstUser, 'the only one who may ever decide'],
  'deviceCodes: claim sets claimedAt again': [firstUser, 'claimedAt stays as it was'],
  'deviceCodes: claim refuses its own user': [firstUser, 'the user’s own code, once more'],
  'deviceCodes: claim ignores expiry': [
    'a device code that is claimed is void at the very moment it expires',
    'now < expiresAt',
  ],
  'deviceCodes: claim of a decided code': [
    'a decided code is unknown to all who claim it',
    'only a pending one is opened',
  ],
  'deviceCodes: claim as an upsert': [
    'an unknown code is unknown to all, and nothing makes one',
    'of an unknown code',
  ],
  'deviceCodes: takeTry is off by one': [
    'takeTry gives as many tries as there are, one at a time',
    'of a code that has tries',
  ],
  'deviceCodes: takeTry reads, then writes': [
    'takeTry of 3 tries is won by 3 of 10 callers',
    '10 of 10 callers took one of 3 tries, instead of exactly 3',
  ],
  'deviceCodes: takeTry asks for no owner at all': [others, 'the user’s tries would be used up'],
  'deviceCodes: takeTry ignores expiry': [
    'a device code that is tried is void at the very moment it expires',
    'now < expiresAt',
  ],
  'deviceCodes: decide asks for no owner at all': [
    others,
    'somebody else would sign the device in',
  ],
  'deviceCodes: decide claims what is nobody’s': [others, 'by who has not claimed the code'],
  'deviceCodes: decide twice': [verdict, 'one verdict is final'],
  'deviceCodes: decide reads, then writes': [
    'decide is won by one of 10 callers',
    '10 of 10 callers decided one device code',
  ],
  'deviceCodes: decide ignores expiry': [
    'a device code that is decided is void at the very moment it expires',
    'now < expiresAt',
  ],
  'deviceCodes: decide forgets the authorization code': [verdict, 'find after a verdict'],
  'deviceCodes: decide plays triesLeft': [
    'takeTry gives as many tries as there are, one at a time',
    'asked for triesLeft',
  ],
  'deviceCodes: decide writes the whole row': [
    'approved and denied, at once, while it is tried and polled: one verdict is there',
    'Write what changes',
  ],
  'deviceCodes: poll keeps no pace': [pace, 'waits five seconds longer from then on'],
  'deviceCodes: poll resets the interval': [pace, 'waits five seconds longer from then on'],
  'deviceCodes: poll leaves the interval': [pace, 'waits five seconds longer from then on'],
  'deviceCodes: poll is too soon at the very moment': [pace, 'the row as this question has left'],
  'deviceCodes: poll asks for no device at all': [stranger, 'a stranger would fetch the sign-in'],
  'deviceCodes: poll slows the device down for a stranger': [
    stranger,
    'a stranger would slow the device down',
  ],
  'deviceCodes: poll reads, then writes': [
    'poll is won by one of 10 callers',
    '10 of 10 callers were polled for one device code',
  ],
  'deviceCodes: poll forgets what is decided': [
    'poll answers decided and expired codes alike, with their verdict',
    'the router tells the device',
  ],
  'deviceCodes: poll answers the row before': [pace, 'the row as this question has left it'],
  'deviceCodes: save as an upsert': [
    'saving a hash again rejects and changes nothing, before its decision and after',
    'already there',
  ],
  'deviceCodes: hashes without regard to case': [
    'hashes that differ by case are different device codes',
    'Compare bytewise',
  ],
  'deviceCodes: hashes by their beginning': [
    'hashes and users that differ in one byte are different ones',
    'that differ by the last of 300 bytes',
  ],
  'deviceCodes: the client is dropped': [comesBack, 'with all its members'],
  'deviceCodes: the moment of the claim is dropped': [firstUser, 'find after claims'],
  'deviceCodes: resources in a set': [comesBack, 'with all its members'],
  'deviceCodes: dates in seconds': [comesBack, 'with all its members'],
  'deviceCodes: names in 255 characters': [comesBack, 'with all its members'],
  'deviceCodes: undefined when there is none': [comesBack, 'null, not undefined'],
  'deviceCodes: find hides what has expired': [
    'find changes nothing, and answers a code also when it is decided or expired',
    'stays until it is purged',
  ],
  'deviceCodes: purge too early': [
    'purge deletes a pending device code at the moment it expires, and not before',
    'one millisecond before it expired',
  ],
  'deviceCodes: purge takes a limit of 0 for none': [
    'purge with a limit of 0 deletes no device code',
    'must delete nothing and answer 0',
  ],
}
