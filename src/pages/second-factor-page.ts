import type { StoredMethod } from '../stores/contract.js'
import type { SecondFactors } from '../two-factor/second-factor.js'
import type { AuthUser, UserStore } from '../users/contract.js'
import type { FormPage } from './form-page.js'
import type { SafeHtml } from './html.js'
import type { PagePasskeys } from './page-passkeys.js'
import { type PageName, pageAddress } from './page-request.js'
import { formVisit, type SignInPageDeps, settleSignIn } from './sign-in-page.js'
import type { PageTexts } from './texts.js'
import type { SendableFactor } from './view-parts.js'

export interface SecondFactorPageDeps extends SignInPageDeps {
  readonly users: Pick<UserStore, 'findById'>
  readonly secondFactors: Pick<SecondFactors, 'of' | 'sendsCodes'>
}

/** `/oauth/second-factor` and `/oauth/recovery-code`: after a right password. */
export function createSecondFactorPage(
  deps: SecondFactorPageDeps,
  kind: 'code' | 'recovery',
): FormPage {
  const { signInByForm, passkeys, baseUrl } = deps
  return {
    page: kind === 'code' ? 'second-factor' : 'recovery-code',

    async view({ asked, flow }, form) {
      const shown: StoredMethod[] = flow?.mailed === undefined ? [] : ['email']
      const owed = await owedBy(deps, flow?.pending?.userId ?? '', shown)
      if (owed === null) return null
      const { user, first, passkey, sendable, hasRecovery } = owed
      const { name, username } = user
      const shared = { page: 'second-factor', form, account: { name, username } } as const
      const otherMethod = (page: PageName) =>
        hasRecovery ? pageAddress(baseUrl, page, asked) : null
      if (kind === 'recovery')
        return () => ({
          ...shared,
          method: 'recovery',
          otherMethod: otherMethod('second-factor'),
          otherKind: first,
          sendable: [],
          sent: false,
          passkey: null,
        })
      return (texts) => ({
        ...shared,
        method: first,
        otherMethod: otherMethod('recovery-code'),
        otherKind: 'recovery',
        sendable,
        // A code was sent by the first page or by the button.
        sent: sendable.length > 0 && form.fault === null,
        passkey: passkey?.(texts) ?? null,
      })
    },

    async submit(visit, fields, request) {
      const from = formVisit(visit, request)
      const code = fields.has('send') ? null : fields.text('code')
      const result =
        passkeys !== undefined && fields.has('passkey')
          ? await signInByForm.bySecondPasskey(fields.text('passkey'), from)
          : await signInByForm.byCode(code, from)
      return settleSignIn(deps, result, visit, request)
    },
  }
}

/** The factors that the user can use. */
interface Owed {
  readonly user: AuthUser
  readonly first: 'code' | 'passkey'
  readonly passkey: ((texts: PageTexts) => SafeHtml) | null
  readonly sendable: readonly SendableFactor[]
  readonly hasRecovery: boolean
}

async function owedBy(
  { users, secondFactors, passkeys }: SecondFactorPageDeps,
  userId: string,
  shown: readonly StoredMethod[],
): Promise<Owed | null> {
  const user = await users.findById(userId)
  if (user === null) return null
  const found = await secondFactors.of(user, shown)
  // None of them counts after a mailed code.
  const factors = found?.methods.length === 0 ? null : found
  const passkey = await partFor(passkeys, user, factors === null)
  if (factors === null) {
    // The first passkey came with recovery codes.
    const alone = { user, first: 'passkey', sendable: [], hasRecovery: true } as const
    return passkey === null ? null : { ...alone, passkey }
  }
  const { methods } = factors
  const sendable = secondFactors.sendsCodes(factors)
    ? [{ name: methods[0] ?? '', label: null }]
    : []
  return { user, first: 'code', passkey, sendable, hasRecovery: methods.includes('recovery') }
}

async function partFor(
  passkeys: PagePasskeys | undefined,
  user: AuthUser,
  isAlone: boolean,
): Promise<Owed['passkey']> {
  if (passkeys === undefined) return null
  const options = await passkeys.server.offer(user)
  if (options === null) return null
  const asked = { ceremony: 'get', options, label: 'passkey.confirm', isAlone } as const
  return (texts) => passkeys.part({ ...asked, renew: null }, texts)
}
