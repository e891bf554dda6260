import type { PartsForRegistration } from '../accounts/accounts.js'
import type { AccountsServer } from '../accounts/accounts-server.js'
import type { Audit } from '../audit/events.js'
import { createOpenApproved, type OpenApprovedDeps } from '../host-sign-in/open-session.js'
import type { Capability } from '../http/capability.js'
import { parseInput } from '../http/input.js'
import type { Contexts } from '../http/request-context.js'
import type { HostCall } from '../lib/host-call.js'
import type { RegistrationOnPages } from '../pages/account/parts.js'
import { browserLifetime } from '../sessions/browser-session.js'
import type { DecideSignIn } from '../sign-in.js'
import type { DigestIdentifier } from '../throttle/counter-keys.js'
import type { Throttle } from '../throttle/throttle.js'
import type { LoginIdentifier, UserStore } from '../users/contract.js'
import {
  type ConfirmRegistration,
  confirmRegistrationEndpoint,
  createConfirmRegistration,
} from './confirm-registration.endpoint.js'
import { createFindInvitation, type FindInvitation, invitationEndpoint } from './invitations.js'
import {
  createInvitationsForHost,
  type RegistrationForHost,
  registerForHost,
} from './invitations-for-host.js'
import {
  createAskHost,
  createIsOpen,
  createRefuseRegistration,
  createRegister,
  createRequireFreeName,
  type IsOpen,
  type Register,
  registerEndpoint,
  registrationEndpoint,
} from './register.endpoint.js'
import { confirmRegistrationRequest, registerRequest } from './register-request.js'

/** New users, for themselves and for the host. */
export interface Registration extends Capability {
  readonly forHost: RegistrationForHost
  readonly onPages: RegistrationOnPages
}

export interface RegistrationDeps extends AccountsServer, PartsForRegistration, OpenApprovedDeps {
  readonly users: UserStore
  readonly canonical: (identifier: LoginIdentifier) => Promise<LoginIdentifier>
  readonly digestIdentifier: DigestIdentifier
  readonly throttle: Throttle
  readonly decideSignIn: DecideSignIn
  readonly call: HostCall
  readonly contexts: Pick<Contexts, 'of'>
  readonly audit: Audit
}

/**
 * The endpoints of `/auth/register`, and the invitations of `auth.accounts`. Undefined without the
 * option `accounts.registration`.
 */
export function createRegistration(deps: RegistrationDeps): Registration | undefined {
  const { create, nameIsFree } = deps.users
  // Checked at the start: with the option, the users have both.
  if (deps.accountsOptions.registration === undefined || !create || !nameIsFree) return undefined
  const { throttle } = deps
  const refuseRegistration = createRefuseRegistration(deps)
  const requireFreeName = createRequireFreeName({ ...deps, nameIsFree, refuseRegistration })
  const findInvitation = createFindInvitation(deps)
  const askHost = createAskHost({ ...deps, refuseRegistration })
  const isOpen = createIsOpen(deps)
  const parts = {
    ...deps,
    isOpen,
    create,
    refuseRegistration,
    requireFreeName,
    askHost,
    findInvitation,
  }
  const openApproved = createOpenApproved(deps)
  const register = createRegister(parts)
  const confirmRegistration = createConfirmRegistration({ ...parts, openApproved })
  const confirm = confirmRegistrationEndpoint(confirmRegistration, throttle)
  return {
    routes: [
      ['/auth/registration', { GET: registrationEndpoint(parts) }],
      ['/auth/register', { POST: registerEndpoint(register, throttle) }],
      ['/auth/register/confirm', { POST: confirm }],
      ['/auth/invitations/:token', { GET: invitationEndpoint(findInvitation, throttle) }],
    ],
    forHost: { ...createInvitationsForHost(deps), register: registerForHost(deps, register) },
    onPages: onPages(parts, { register, confirmRegistration, findInvitation, isOpen }),
  }
}

interface Flows {
  readonly register: Register
  readonly confirmRegistration: ConfirmRegistration
  readonly findInvitation: FindInvitation
  readonly isOpen: IsOpen
}

// The same as by the endpoints, in the same counters, with a session for the browser at the end.
function onPages(
  { accountsOptions, throttle }: Pick<RegistrationDeps, 'accountsOptions' | 'throttle'>,
  { register, confirmRegistration, findInvitation, isOpen }: Flows,
): RegistrationOnPages {
  const { emailSignIn, passwordRules } = accountsOptions
  const { limitRefusals } = throttle
  return {
    needsInvitation: async () => !(await isOpen()),
    needsPassword: !emailSignIn,
    minLength: passwordRules.minLength,
    look: (token, request) =>
      limitRefusals('invitation', request, async () => {
        return (await findInvitation(token, request.context)).email
      }),
    register: (given, request) =>
      limitRefusals('register', request, async () => {
        return (await register(parseInput(registerRequest, given), request)).requestId
      }),
    confirm: (given, request) =>
      limitRefusals('register-confirm', request, () => {
        const { tokens: _, ...typed } = parseInput(confirmRegistrationRequest, given)
        const asked = { tokens: 'cookie', lifetime: browserLifetime(false) } as const
        return confirmRegistration({ ...typed, ...asked }, request)
      }),
  }
}
