import { z } from 'zod'
import {
  count,
  flag,
  loginAnswer,
  proof,
  reading,
  success,
  text,
  textOrNull,
  time,
} from '../openapi/fields.js'
import { type Operation, ofBodies, ofFullScope, ofProof } from '../openapi/operation.js'
import { collectRequest } from './collect.js'
import { approveRequest, beginRequest, denyRequest, openRequest } from './device-links.js'

const common = { tag: 'Linked devices', thereWith: 'the option `deviceLinks`' } as const
const ofDevice = { ...common, who: 'anybody' } as const
const ofUser = {
  ...common,
  who: 'full-scope',
  whoElse: "a session of the user's own device: kind `login` or `pkce`",
} as const
const done: Operation['answers'] = {
  200: { what: 'Done.', body: z.object({ status: z.literal('success') }) },
}

const begin: Operation = {
  ...ofDevice,
  route: 'POST /auth/device-links',
  id: 'beginDeviceLink',
  summary: 'A device that nobody is signed in on gets a picture to show.',
  notes: ['20 in 15 minutes for each network.'],
  limited: true,
  body: {
    fields: reading(beginRequest, {
      codeChallenge: '`S256` of a verifier (RFC 7636 §4.2); keep the verifier',
      name: 'what the device calls itself, at most 60 characters',
    }),
  },
  answers: {
    200: {
      what: 'Show `qr` as a QR code.',
      body: success({
        linkId: text('for `POST /auth/device-links/collect`'),
        qr: text('an address; the link is what follows its `#`'),
        shortCode: text('if the server has them: the link, for people to type').optional(),
        interval: count('seconds between two questions'),
        expiresIn: count('seconds'),
      }),
    },
  },
  refusals: [...ofBodies, 'too-many-requests', 'temporarily-unavailable'],
}

const open: Operation = {
  ...ofUser,
  route: 'POST /auth/device-links/open',
  id: 'openDeviceLink',
  summary: 'Opens what was scanned or typed, and tells which device it is.',
  notes: [
    'The first user who opens a link is the only one who may approve it. From now on the new ' +
      'device shows a check code of four digits, and the name of that user.',
    'Requires a sign-in of the last 24 hours. Otherwise 403 `reauthentication-required`.',
  ],
  limited: true,
  body: {
    fields: reading(openRequest, { link: 'what follows `#` in the picture, or the short code' }),
  },
  answers: {
    200: {
      what: 'Show all of it, and ask for the check code.',
      body: success({
        linkId: text('for the next request'),
        name: textOrNull('what the device calls itself: it may lie'),
        network: textOrNull('where the device is, by its address'),
        sameNetwork: flag('whether the caller is there, too: warn if not'),
        agent: textOrNull('the device, such as "Firefox on Linux"'),
        at: time('when it began'),
      }),
    },
  },
  refusals: [
    ...ofFullScope,
    ...ofBodies,
    'proof-refused',
    'reauthentication-required',
    'too-many-requests',
  ],
}

const approve: Operation = {
  ...ofUser,
  route: 'POST /auth/device-links/approve',
  id: 'approveDeviceLink',
  summary: 'Signs the new device in, by the check code that it shows.',
  notes: [
    'Three requests are judged, right or wrong; then the link is void. After a wrong check code, ' +
      '`details.triesLeft` says how many are left.',
    'A user with a second factor or a passkey shows it again, in the same request. Otherwise 403 ' +
      '`reauthentication-required`, which costs no try.',
    'The check code is compared first: a wrong one uses up neither a code nor a passkey.',
  ],
  limited: true,
  body: {
    fields: reading(approveRequest, {
      linkId: 'of `POST /auth/device-links/open`',
      checkCode: 'four digits, as the new device shows them',
      ...proof,
    }),
  },
  answers: done,
  refusals: [...ofFullScope, ...ofBodies, 'proof-refused', 'reauthentication-required', ...ofProof],
}

const deny: Operation = {
  ...ofUser,
  route: 'POST /auth/device-links/deny',
  id: 'denyDeviceLink',
  summary: 'The user says no. The new device is told. Saying it again changes nothing.',
  body: { fields: reading(denyRequest, { linkId: 'of `POST /auth/device-links/open`' }) },
  answers: done,
  refusals: [...ofFullScope, ...ofBodies, 'proof-refused'],
}

const collect: Operation = {
  ...ofDevice,
  route: 'POST /auth/device-links/collect',
  id: 'collectDeviceLink',
  summary: 'The new device asks whether it is signed in.',
  notes: [
    'Ask every `interval` seconds while the answer is `authorization_pending` or `opened`; after ' +
      '`slow_down`, five seconds less often. At `opened`, show the check code. At `approved`, ' +
      'ask the user whether the device shall continue as this account; if so, ask with `confirm`.',
    'A device that lost the answer asks again within 30 seconds and gets the tokens of the same ' +
      'session.',
  ],
  limited: true,
  body: {
    fields: reading(collectRequest, {
      linkId: 'of `POST /auth/device-links`',
      codeVerifier: 'of its `codeChallenge`',
      confirm: 'the user of this device continues as the account of `approved`',
    }),
  },
  answers: loginAnswer,
  refusals: [
    ...ofBodies,
    'invalid_grant',
    'authorization_pending',
    'opened',
    'approved',
    'slow_down',
    'access_denied',
    'expired_token',
    'too-many-requests',
    'temporarily-unavailable',
  ],
}

/** Signing another device in. */
export const deviceLinkOperations: readonly Operation[] = [begin, open, approve, deny, collect]
