// The sign-in of the pages over the real kit of a router: users, limits, factors and sessions.

import { expect, onTestFinished } from 'vitest'
import type { BrowserKit } from '../../src/browser/browser-kit.js'
import {
  type FormSignIn,
  type FormVisit,
  type PasswordFields,
  signInByCode,
  signInByPassword,
} from '../../src/browser/sign-in-by-form.js'
import {
  type AuthEvent,
  type AuthRouterOptions,
  generateSigningKey,
  joseSigner,
} from '../../src/index.js'
import { decodeBase32 } from '../../src/lib/typed-codes.js'
import type { LogInSteps } from '../../src/login/log-in.js'
import { createLogin } from '../../src/login/login.js'
import type { AppsKit } from '../../src/oauth/apps-kit.js'
import { createFlows, createPasswordFingerprint, type FlowBinding } from '../../src/pages/flow.js'
import { createKit } from '../../src/router/kit.js'
import { resolveOptions } from '../../src/router/resolve-options.js'
import { memoryOAuthStores } from '../../src/stores/memory-oauth-stores.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { manualClock, totpCode } from '../../src/testing/testing.js'
import { recoveryCodeHash } from '../../src/two-factor/recovery-codes.js'
import { createSeedVault } from '../../src/two-factor/seed-vault.js'
import { cheapHasher, encryptionKey, password, passwordHash, totpSecret } from '../support/host.js'
import { kitOf } from '../support/kit-of.js'
import { testUsers } from '../support/users.js'
import { binding } from './flow-parts.js'

const signingKey = await generateSigningKey()
const keys = [Buffer.from(encryptionKey, 'base64')]
export const recoveryCode = 'ABCDEFGHIJKLMNOPQRSTUVWX'

export interface FormSettings {
  readonly options?: Partial<AuthRouterOptions>
  readonly withFactor?: boolean
  /** Changes the steps of the login. */
  readonly steps?: (steps: LogInSteps) => LogInSteps
}

/** Starts it with alice, who has an authenticator app and a recovery code unless told otherwise. */
export async function startForms({
  options: given,
  withFactor = true,
  steps = (same) => same,
}: FormSettings = {}) {
  const clock = manualClock(new Date('2030-01-01T12:00:10Z'))
  const users = testUsers()
  users.add({ id: 'u-alice', username: 'alice', email: 'alice@example.com', passwordHash })
  const stores = memoryStores()
  const { once } = memoryOAuthStores()
  const events: AuthEvent[] = []
  const options = resolveOptions({
    users,
    ...stores,
    signer: joseSigner({
      issuer: 'https://chat.example.com',
      audience: 'chat',
      keys: [signingKey],
      clock,
    }),
    encryptionKeys: [encryptionKey],
    passwords: cheapHasher,
    clock,
    onEvent: (event) => void events.push(event),
    ...given,
  })
  const kit = createKit(options)
  onTestFinished(() => kit.close())
  onTestFinished(() => {
    const told = JSON.stringify(events)
    for (const secret of [password, passwordHash, totpSecret, recoveryCode, ...secrets])
      expect(told).not.toContain(secret)
  })
  const seed = decodeBase32(totpSecret)
  if (withFactor && seed !== null)
    await stores.secondFactors.activate(
      {
        userId: 'u-alice',
        sealedSeed: createSeedVault(keys).seal('u-alice', seed),
        lastStep: -1,
        createdAt: clock(),
      },
      [recoveryCodeHash(recoveryCode) as string],
    )
  const flows = createFlows(kitOf<AppsKit>({ encryptionKeys: keys, once, clock }))
  const capability = createLogin(kit)
  const formsKit = kitOf<BrowserKit>({
    logInSteps: steps(capability.logInSteps),
    flows,
    passwordFingerprint: createPasswordFingerprint(keys),
    passkeysKit: undefined,
    emailSignInKit: undefined,
    providersKit: undefined,
  })
  const forms = {
    byPassword: (fields: PasswordFields, visit: FormVisit) =>
      signInByPassword(formsKit, fields, visit),
    byCode: (code: string | null, visit: FormVisit) => signInByCode(formsKit, code, visit, false),
  }
  const secrets = new Set<string>()

  function visitOf(sealed: string | null, from: FormBinding = {}): FormVisit {
    const { ip = '192.0.2.7', ...other } = from
    const at: FlowBinding = { ...binding, ...other }
    return {
      incoming: {} as FormVisit['incoming'],
      binding: at,
      flow: flows.open(sealed, at),
      context: { requestId: 'r-1', ip, userAgent: null },
      aborted: () => new AbortController().signal,
      setHeaders: () => {},
      rememberToken: null,
    }
  }

  return {
    clock,
    users,
    stores,
    once,
    events,
    kit,
    flows,
    forms,
    logIn: capability.logIn,
    visitOf,
    code: () => totpCode(totpSecret, clock()),
    /** Sends the form of the first page. */
    async typePassword(
      fields: Partial<Parameters<typeof forms.byPassword>[0]> = {},
      sealed: string | null = null,
      from?: FormBinding,
    ) {
      const all = { username: 'alice', password, stay: false, ...fields }
      return noted(await forms.byPassword(all, visitOf(sealed, from)))
    },
    /** Sends the form of the second page. */
    async typeCode(code: string | null, sealed: string | null, from?: FormBinding) {
      return noted(await forms.byCode(code, visitOf(sealed, from)))
    },
    sessionsOf: (userId = 'u-alice') => stores.sessions.listForUser(userId, clock()),
    typesOf: () => events.map(({ type }) => type).filter((type) => type !== 'session.started'),
  }

  function noted(result: FormSignIn): FormSignIn {
    if (result.next === 'signed-in') secrets.add(result.loggedIn.token)
    if ('flow' in result) secrets.add(result.flow)
    return result
  }
}

export type FormBinding = Partial<FlowBinding> & { readonly ip?: string }

/** The kind of a result: for a page that is shown again, its fault. */
export function kindOf(result: FormSignIn): string {
  return result.next === 'again' ? result.fault.kind : result.next
}

/** The flow of a sign-in whose second factor is due. */
export function flowOf(result: FormSignIn): string {
  if (result.next !== 'factor-due') throw new Error(`${result.next}, and no factor is due`)
  return result.flow
}
