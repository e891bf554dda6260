import type { Soon } from '../lib/async.js'
import type { SessionRecord } from '../stores/contract.js'
import type {
  AuthUser,
  EmailChange,
  LoginIdentifier,
  UserContact,
  UserStore,
} from '../users/contract.js'
import type { Mails } from './mails.js'

/** An address of a user in a channel; null without. */
export interface AddressOfUser {
  readonly address: string | null
  readonly verified: boolean
}

/** How codes reach a user: by mail or by text message. All flows of codes are flows over one. */
export interface Channel {
  /** As in the routes, in bodies, and in sealed proofs. */
  readonly name: 'email' | 'phone'
  /** The method of a session that a code has opened, and the name of the second factor. */
  readonly method: 'email' | 'sms'
  readonly messages: Pick<Mails, 'take' | 'giveBack' | 'send'>
  addressIn(contact: UserContact | null): AddressOfUser
  /** Whether the user has switched on codes of this channel as a second factor. */
  hasFactor(contact: UserContact | null): boolean
}

/** A channel whose addresses users prove and change. */
export interface AddressChannel extends Channel {
  /** The address in the one form that is stored and compared. Throws 400. */
  requireAddress(typed: string): Soon<string>
  /** The name by which the user with an address is found. */
  identifierOf(address: string): LoginIdentifier
  /** As {@link UserStore.updateEmail}, and {@link UserStore.updatePhone}. */
  update(
    userId: string,
    from: string | null,
    to: string,
  ): Promise<{ readonly outcome: EmailChange }>
  /** Takes an address away; left out where each user must have one. */
  readonly remove?: (
    userId: string,
    from: string | null,
  ) => Promise<{ readonly outcome: EmailChange }>
  /** As {@link UserStore.markEmailVerified}. */
  readonly markVerified: NonNullable<UserStore['markEmailVerified']>
  /**
   * Called when a code was right and another user has the address. Throws the refusal, or resolves
   * once the address is free.
   */
  readonly takeOver?: (userId: string, address: string) => Promise<void>
  /** Whether somebody else has proven the address of a user, who may prove it once more. */
  readonly isClaimed?: (userId: string, address: string) => Promise<boolean>
  /** Notes which session adds an address; before it is written. Rejects with 503. */
  readonly noteAdded?: (user: AuthUser, session: SessionRecord, address: string) => Promise<void>
}

/** The address that gets the codes of a user. */
export function provenIn(channel: Channel, contact: UserContact | null): string | null {
  const { address, verified } = channel.addressIn(contact)
  return verified ? address : null
}
