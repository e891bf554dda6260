import { badMemories } from './bad-stores/caches-and-ttls.js'
import { badClients } from './bad-stores/clients.js'
import { badCodes } from './bad-stores/codes.js'
import { badConsents } from './bad-stores/consents.js'
import { badCounts } from './bad-stores/counting.js'
import { badDeviceCodes } from './bad-stores/device-codes.js'
import { badEnrolments } from './bad-stores/enrolments.js'
import { badIdentities } from './bad-stores/identities.js'
import { badKeys } from './bad-stores/keys.js'
import { badTexts } from './bad-stores/keys-and-texts.js'
import { badOnce } from './bad-stores/once.js'
import { badInOutages } from './bad-stores/outages.js'
import { badOwners } from './bad-stores/owners.js'
import { badPages } from './bad-stores/pages-and-batches.js'
import { badParts } from './bad-stores/parts-of-rows.js'
import { badPasskeys } from './bad-stores/passkeys.js'
import { badProofs } from './bad-stores/proofs.js'
import { badFactors } from './bad-stores/second-factors.js'
import { badSessions } from './bad-stores/sessions.js'
import { badTickets } from './bad-stores/tickets.js'
import { badWholeRows } from './bad-stores/whole-rows.js'

/**
 * Stores that are wrong in one respect each, as they are written in earnest; the rest is left to
 * good ones. The name says what is wrong; the word before the colon is the contract that is broken.
 */
export const badStores = {
  ...badCodes,
  ...badSessions,
  ...badFactors,
  ...badEnrolments,
  ...badTickets,
  ...badKeys,
  ...badPages,
  ...badMemories,
  ...badParts,
  ...badTexts,
  ...badWholeRows,
  ...badConsents,
  ...badOnce,
  ...badClients,
  ...badOwners,
  ...badPasskeys,
  ...badProofs,
  ...badIdentities,
  ...badDeviceCodes,
  ...badCounts,
  ...badInOutages,
}
