import type { AccountsForHost } from '../accounts/accounts.js'
import type { PasswordsForHost } from '../accounts/new-password.js'
import { noRequest } from '../audit/events.js'
import type { DeletionForHost } from '../deletion/deletion.js'
import { type DocumentHandler, documentsLater } from '../http/documents.js'
import type { Capability, Routes } from '../http/endpoint.js'
import { describeFailure } from '../lib/host-call.js'
import { loadOnce } from '../lib/load-once.js'
import { off } from '../lib/off.js'
import type { ClientsForHost } from '../oauth/clients-for-host.js'
import { serverDocumentPaths } from '../oauth/document-paths.js'
import type { OAuthServer } from '../oauth/oauth-server.js'
import type { PasskeysForHost } from '../passkeys/own-passkeys.js'
import type { RegistrationForHost } from '../registration/invitations.js'
import type { Kit } from './kit.js'
import type { MadeAtStart, OptionalCapabilities } from './optional-capabilities.js'

/** The capabilities that only options ask for. Their code is loaded after the start. */
export interface Optional {
  routes(): Promise<Routes>
  readonly forHost: OptionalForHost
  close(): void
}

/** Their functions for the host's own code. Each rejects without its option. */
interface OptionalForHost {
  readonly passkeys: PasskeysForHost
  readonly accounts: AccountsForHost & RegistrationForHost & DeletionForHost
  readonly passwords: PasswordsForHost
  readonly clients: ClientsForHost
  readonly wellKnown: DocumentHandler
}

/** Node repeats the failure of an import whose file it has found, such as EMFILE. */
const restart = 'if it goes on, restart this process: Node keeps most failures of an import.'

/** Loads nothing yet. */
export function createLoadOptional(kit: Kit, made: MadeAtStart): Optional {
  let loaded: OptionalCapabilities | undefined
  let isClosed = false
  const load = loadOnce(
    async () => {
      const { createOptional } = await import('./optional-capabilities.js')
      loaded = createOptional(kit, made)
      if (isClosed) closeAll(loaded)
      return loaded
    },
    (cause) =>
      kit.audit(
        { type: 'host.failed', hint: restart, ...describeFailure('import', cause) },
        noRequest,
      ),
  )
  return {
    routes: async () => listOf(await load()).flatMap(({ routes }) => routes),
    forHost: functionsForHost(kit, load),
    close() {
      isClosed = true
      if (loaded !== undefined) closeAll(loaded)
    },
  }
}

function listOf(capabilities: OptionalCapabilities): readonly Capability[] {
  return Object.values<Capability | undefined>({ ...capabilities }).filter(
    (one) => one !== undefined,
  )
}

function closeAll(capabilities: OptionalCapabilities): void {
  // Own members only: a polluted Object.prototype must not add a `close`.
  const closable = listOf(capabilities).filter((capability) => Object.hasOwn(capability, 'close'))
  for (const capability of closable) capability.close?.()
}

/** Option, problem and remedy. */
type Refusal = readonly [option: string, problem: string, remedy: string]

const needsPasskeys: Refusal = [
  'passkeys',
  'is not configured, which auth.passkeys needs.',
  'pass passkeys to createAuthRouter, as docs/passkeys.md says.',
]
const needsAccounts: Refusal = [
  'accounts',
  'is not configured, which auth.accounts and auth.passwords need.',
  'pass accounts to createAuthRouter, as docs/accounts.md says.',
]
const needsRegistration: Refusal = [
  'accounts.registration',
  'is not configured, which invitations need.',
  "pass 'invited' or 'open', as docs/accounts.md says.",
]
const needsDeletion: Refusal = [
  'accounts.deletion',
  'is not configured, which auth.accounts.delete needs.',
  'set it to true, as docs/accounts.md says.',
]
const needsRegister: Refusal = [
  'oauth.clients',
  'is not a store that auth.clients can change.',
  'pass clients of sqlOAuthStores(kysely), or a ManagedClientStore of your own.',
]

/** The names of all functions: the compiler misses none. */
type Names<ForHost> = Readonly<Record<keyof ForHost, true>>

const ofPasskeys: Names<PasskeysForHost> = { list: true, reset: true }
const ofAccounts: Names<AccountsForHost> = {
  sendPasswordReset: true,
  forgotPassword: true,
  sendVerification: true,
  endEverything: true,
  setTemporaryPassword: true,
}
const ofRegistration: Names<RegistrationForHost> = {
  register: true,
  invite: true,
  invitations: true,
  revokeInvitation: true,
}
const ofDeletion: Names<DeletionForHost> = { delete: true }
const ofPasswords: Names<PasswordsForHost> = { check: true }
const ofClients: Names<ClientsForHost> = {
  create: true,
  update: true,
  rotateSecret: true,
  removeSecret: true,
  disable: true,
  enable: true,
  find: true,
  list: true,
}

function functionsForHost(
  { accountsServer, passkeyServer, oauthServer }: Kit,
  load: () => Promise<OptionalCapabilities>,
): OptionalForHost {
  const { registration, deletion } = accountsServer?.accountsOptions ?? {}
  const later = <Part>(isThere: unknown, of: (all: OptionalCapabilities) => Part) =>
    isThere ? async () => of(await load()) : undefined
  const documents = oauthServer === undefined ? [] : documentPaths(oauthServer)
  const wellKnown = later(oauthServer, ({ oauth }) => oauth?.wellKnown ?? withoutDocuments)
  return {
    passkeys: functionsOf(
      ofPasskeys,
      needsPasskeys,
      later(passkeyServer, ({ passkeys }) => passkeys?.forHost),
    ),
    accounts: {
      ...functionsOf(
        ofAccounts,
        needsAccounts,
        later(accountsServer, ({ accounts }) => accounts?.forHost),
      ),
      ...functionsOf(
        ofRegistration,
        needsRegistration,
        later(registration, (all) => all.registration?.forHost),
      ),
      ...functionsOf(
        ofDeletion,
        needsDeletion,
        later(deletion, (all) => all.deletion?.forHost),
      ),
    },
    passwords: functionsOf(
      ofPasswords,
      needsAccounts,
      later(accountsServer, ({ accounts }) => accounts?.passwords),
    ),
    clients: functionsOf(
      ofClients,
      needsRegister,
      later(oauthServer?.managedClients, ({ oauth }) => oauth?.clients),
    ),
    wellKnown: wellKnown === undefined ? withoutDocuments : documentsLater(documents, wellKnown),
  }
}

// Every other path below `/.well-known` is the host's, whether the documents are loaded or not.
function documentPaths({ issuer, apiDocuments }: OAuthServer): readonly string[] {
  return [...serverDocumentPaths(new URL(issuer)), ...apiDocuments.keys()]
}

const withoutDocuments: DocumentHandler = (_request, _response, next) => next()

type AnyFunctions = Readonly<Record<string, (...asked: readonly unknown[]) => unknown>>

// Each loads the capability first. Undefined: each rejects.
function functionsOf<ForHost extends object>(
  named: Names<ForHost>,
  refusal: Refusal,
  load: (() => Promise<ForHost | undefined>) | undefined,
): ForHost {
  const names = Object.keys(named)
  if (load === undefined) return off(...refusal, names) as unknown as ForHost
  const functions = names.map((name) => {
    const call = async (...asked: readonly unknown[]) => {
      const loaded = (await load()) as AnyFunctions | undefined
      return loaded?.[name]?.(...asked)
    }
    return [name, call] as const
  })
  return Object.fromEntries(functions) as unknown as ForHost
}
