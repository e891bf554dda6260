// Half of the requests; every-call-2.attack.test.ts has the others, at the same time.
import { describe, expect, it } from 'vitest'
import { requests, startTapped } from '../support/call-sites.js'
import { askWith, expectOutageAtEveryCall, halves } from '../support/failing-calls.js'

describe.each(halves[0])('%s', (name) => {
  it('is 503 whichever call fails, in whichever way; tells nothing; and works again', () =>
    expectOutageAtEveryCall(name))
})

/**
 * Not called by any request: at the start, by housekeeping, by the watch over sockets, by the host.
 */
const byNobody = [
  'codes.purge',
  'sessions.purge',
  'sessions.databaseTime',
  'secondFactors.purge',
  // From a terminal.
  'secondFactors.countSealed',
  'secondFactors.listSealed',
  'tickets.purge',
  'sessions.liveAmong',
  'signer.keyIds',
  'bus.subscribe',
  'signer.ready',
  // By the queue that tells apps of ended sessions, which no answer waits for.
  'signer.signLogoutToken',
  // By `revokeByToken`.
  'signer.verifyExpired',
  'passwords.close',
  'users.add',
  'users.change',
  'once.purge',
  'proofs.purge',
  'deviceCodes.purge',
  // Of clients that register themselves: housekeeping, a consent, and the host's own code.
  'clients.purge',
  'clients.use',
  'clients.create',
  'clients.update',
  'clients.replaceSecrets',
  'clients.setDisabled',
  'clients.list',
  // By the look at the users of a directory.
  'identities.listOfProvider',
  // A page of the host's asks for a consent, and keeps it.
  'consents.grant',
  // Of pages that sign a browser in once more, and out, which the host's own routes do.
  'sessions.setAuthenticated',
  'sessions.replaceSecret',
  'sessions.endChildren',
]

it('every method of every part is called by some request, so that none is left out here', async () => {
  const { newScene, tap } = await startTapped()
  const called = new Set(byNobody)
  for (const name of Object.keys(requests))
    for (const call of (await askWith(name, newScene())).calls) called.add(call)
  // Which methods of a limiter are used is the throttle's affair; the others are the contracts.
  expect(tap.parts.filter((part) => !part.startsWith('limiter.') && !called.has(part))).toEqual([])
})
