import { type AskedPasskey, passkeyPart } from '../../../src/pages/form-parts.js'
import type { SafeHtml } from '../../../src/pages/html.js'
import { createTexts, type PageTexts } from '../../../src/pages/texts.js'
import type { View, ViewOf } from './views.js'

const texts = createTexts(undefined, 'Example Chat').get('en') as PageTexts
const passkeyScript = '/oauth/assets/passkeys-0123456789abcdef.js'
const challenge = 'djEu'.repeat(33)

function part(given: Pick<AskedPasskey, 'ceremony' | 'label'>, isAlone = false): SafeHtml {
  const user = { id: 'Y2Fyb2w', name: 'carol', displayName: 'Carol' }
  const created = { rp: { id: 'chat.example.com', name: 'Chat' }, user, pubKeyCredParams: [] }
  const asked = given.ceremony === 'create' ? created : { rpId: 'chat.example.com' }
  const options = { challenge, timeout: 300_000, ...asked }
  const renew = given.label === 'passkey.sign-in' ? '/auth/passkey/options' : null
  return passkeyPart({ ...given, options, isAlone, renew }, { texts, passkeyScript })
}

/** The states of the same pages that differ by passkeys. */
export function passkeyStates(
  signIn: ViewOf<'sign-in'>,
  factor: ViewOf<'second-factor'>,
  enrol: ViewOf<'enrol'>,
): Record<string, View> {
  const wrong = { ...signIn.form, fault: { kind: 'wrong-passkey' } } as const
  const signingIn = { ...signIn, passkey: part({ ceremony: 'get', label: 'passkey.sign-in' }) }
  const confirming = { ceremony: 'get', label: 'passkey.confirm' } as const
  const besides = { ...factor, passkey: part(confirming) }
  const alone = { ...factor, method: 'passkey', passkey: part(confirming, true) } as const
  const making = { ceremony: 'create', label: 'passkey.create' } as const
  const { form } = enrol
  const onlyPasskey = { page: 'enrol-passkey', form, passkey: part(making, true) } as const
  const { account } = factor
  const offered = { ...onlyPasskey, page: 'add-passkey', account } as const
  return {
    'sign-in-passkey': signingIn,
    'sign-in-passkey-wrong': { ...signingIn, form: wrong },
    'second-factor-passkey': besides,
    'second-factor-passkey-wrong': { ...besides, form: wrong },
    'second-factor-passkey-only': alone,
    'second-factor-passkey-only-wrong': { ...alone, form: wrong },
    'second-factor-recovery-of-passkeys': {
      ...factor,
      method: 'recovery',
      otherKind: 'passkey',
    },
    'enrol-with-passkey': { ...enrol, passkey: part(making) },
    'enrol-passkey': onlyPasskey,
    'enrol-passkey-wrong': { ...onlyPasskey, form: wrong },
    'add-passkey': offered,
    'add-passkey-wrong': { ...offered, form: wrong },
    'add-passkey-late': { ...offered, passkey: null },
  }
}
