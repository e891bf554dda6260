import type { UserStore } from '../users/contract.js'

/** Users whose addresses the router may read. */
export type Contacts = Pick<UserStore, 'findById'> & Required<Pick<UserStore, 'findContact'>>
