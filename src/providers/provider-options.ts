import type { z } from 'zod'
import {
  callable,
  fitting,
  flag,
  listOf,
  type OrUndefined,
  oneOf,
  optional,
  type Shape,
} from '../lib/check-options.js'
import { idOption } from '../lib/named-options.js'
import type { Provider, ProviderLogo } from './contract.js'

/** What every provider can be told. */
export interface ProviderOptions {
  /** Shown on the button, up to 40 characters. */
  readonly name?: string
  readonly logo?: ProviderLogo
  /**
   * The id of another provider in the list, which has the same accounts with the same issuer: who
   * is connected with one of the two signs in with both. Default: the accounts are its own.
   */
  readonly sameAccountsAs?: string
  /**
   * True takes its word for an address: an identity with a proven address is connected with the
   * user who has the same proven address, and a new user has it. Whoever runs the provider can then
   * sign in as every such user. Default false.
   */
  readonly trustEmail?: boolean
  /**
   * Whether it says when the user has signed in there. If it does, a sign-in without that is not
   * fresh. Default: `openIdProvider` true, others false.
   */
  readonly provesAge?: boolean
  /**
   * True accepts the second factor of the provider: `amr` holds `mfa`, or `acr` is one of
   * `mfaAcr`. Default false.
   */
  readonly acceptMfa?: boolean
  /** Values of `acr` that stand for several factors. Default none. */
  readonly mfaAcr?: readonly string[]
  /** Your rule on who may come in. A text is the reason that the user sees. */
  readonly allowed?: NonNullable<Provider['allowed']>
}

const isLogo = (value: unknown) => {
  const { type, body } = (value ?? {}) as Partial<ProviderLogo>
  const isPicture = /^image\/(svg\+xml|png|webp)$/.test(String(type))
  return isPicture && (typeof body === 'string' || body instanceof Uint8Array)
}
const isText = (value: unknown) => typeof value === 'string' && value !== ''

/** The check of `responseMode`. */
export const responseModeOption: z.ZodOptional<z.ZodType<'query' | 'form_post'>> = oneOf(
  'query',
  'form_post',
).optional()

/** {@link ProviderOptions} but for the name, checked. */
export type CommonOptions = OrUndefined<Omit<ProviderOptions, 'name'>>

/** The checks of {@link CommonOptions}. */
export const commonShape: Shape<CommonOptions> = {
  logo: optional(fitting(isLogo, 'is not a picture of svg, png or webp.')),
  sameAccountsAs: idOption.optional(),
  trustEmail: flag().optional(),
  provesAge: flag().optional(),
  acceptMfa: flag().optional(),
  mfaAcr: optional(listOf(isText, 'is not a list of texts.')),
  allowed: optional(callable()),
}

/** The members of a {@link Provider} that only hand on what the host has written. */
export function commonMembers(options: CommonOptions): CommonOptions {
  const { logo, sameAccountsAs, trustEmail, provesAge, acceptMfa, mfaAcr, allowed } = options
  return { logo, sameAccountsAs, trustEmail, provesAge, acceptMfa, mfaAcr, allowed }
}
