import type { StoreContractName } from '../harness.js'
import { accountsVisibility } from './visibility-of-accounts.js'
import { appsVisibility } from './visibility-of-apps.js'
import type { BothSides } from './visibility-steps.js'

/**
 * Each process sees the changes of the other at once. It reads each row before it exists, and again
 * after each change.
 */
export const visibility: Readonly<Record<StoreContractName, (sides: BothSides) => Promise<void>>> =
  { ...accountsVisibility, ...appsVisibility }
