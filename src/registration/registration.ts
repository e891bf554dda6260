import type { Capability } from '../http/endpoint.js'
import { bodyOf, parseInput, requireRequest } from '../http/input.js'
import { mailPages } from '../pages/mail-form.js'
import type { FormsKit } from '../pages/pages-kit.js'
import { confirmEndpoint } from './confirm-registration.js'
import {
  invitationEndpoint,
  invitationsMade,
  invite,
  type RegistrationForHost,
} from './invitations.js'
import {
  type RegistrationKit,
  register,
  registerEndpoint,
  registerRequest,
  registrationEndpoint,
} from './register.js'
import { createRegisterPages } from './register-pages.js'

/** New users, for themselves and for the host. */
export interface Registration extends Capability {
  readonly forHost: RegistrationForHost
}

/**
 * The endpoints of `/auth/register`, and the invitations of `auth.accounts`. Undefined without the
 * option `accounts.registration`.
 */
export function createRegistration(
  given: Omit<RegistrationKit, 'createUser' | 'nameIsFree'>,
  forms: FormsKit | undefined,
): Registration | undefined {
  const { create: createUser, nameIsFree } = given.users
  // This is checked at the start: with the option, the users have both.
  if (given.accountsOptions.registration === undefined || !createUser || !nameIsFree)
    return undefined
  const kit = { ...given, createUser, nameIsFree }
  return {
    routes: [
      ['/auth/registration', { GET: registrationEndpoint(kit) }],
      ['/auth/register', { POST: registerEndpoint(kit) }],
      ['/auth/register/confirm', { POST: confirmEndpoint(kit) }],
      ['/auth/invitations/:token', { GET: invitationEndpoint(kit) }],
      ...(forms === undefined ? [] : mailPages(forms, createRegisterPages(forms, kit))),
    ],
    forHost: {
      ...invitationsMade(kit, kit.proofs),
      invite: (options) => invite(kit, options),
      // For forms whose pages the host renders.
      async register(request, user) {
        const incoming = requireRequest(request)
        const asked = parseInput(registerRequest, bodyOf(user))
        return register(kit, asked, { incoming, context: kit.contexts.of(incoming) })
      },
    },
  }
}
