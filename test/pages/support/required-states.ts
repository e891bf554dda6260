import type { FormFault, PageForm } from '../../../src/pages/form-parts.js'
import type { StateData } from './states-of.js'
import type { View } from './views.js'

type FormWith = (fault: FormFault | null) => PageForm
type Named = Pick<StateData, 'account' | 'documents' | 'typed'>

/** The states of the pages of what a user must do first. */
export function requiredStates(data: Named, formWith: FormWith): Record<string, View> {
  return {
    ...passwordStates(data, formWith),
    ...addressStates(data, formWith),
    ...acceptanceStates(data, formWith),
  }
}

function passwordStates({ account }: Named, formWith: FormWith): Record<string, View> {
  const form = formWith(null)
  const given = { account, form, hasPassword: true, minLength: 15, reasons: [] }
  const view = { page: 'required-password', ...given } as const
  const wrong = { ...view, form: formWith({ kind: 'wrong' }) }
  const reasons = ['too-short', 'too-long', 'common', 'context', 'breached', 'known'] as const
  return {
    'required-password': view,
    'required-password-wrong': wrong,
    'required-password-known': { ...wrong, reasons: ['known'] },
    'required-password-refused': { ...wrong, reasons },
    'required-password-other-account': {
      ...view,
      form: formWith({ kind: 'other-account', account: account.name }),
    },
  }
}

function addressStates({ account, typed }: Named, formWith: FormWith): Record<string, View> {
  const form = formWith(null)
  const wrong = formWith({ kind: 'wrong' })
  const throttled = formWith({ kind: 'throttled', retryAfter: 290 })
  const email = `a-rather-long-name-of-somebody@mail-of-a-whole-company.example.com`
  const given = { verified: false, typed: '', asksPassword: true, isPasswordWrong: false }
  const ofEmail = { channel: 'email', address: email } as const
  const view = { page: 'required-address', account, form, ...ofEmail, ...given } as const
  const code = { page: 'required-code', account, form } as const
  return {
    'required-address': view,
    'required-address-none': { ...view, address: null },
    'required-address-wrong': { ...view, form: wrong, typed },
    'required-address-wrong-password': { ...view, form: wrong, typed, isPasswordWrong: true },
    'required-address-no-password': { ...view, asksPassword: false },
    'required-address-throttled': { ...view, form: throttled },
    'required-code': code,
    'required-code-wrong': { ...code, form: wrong },
    'required-code-throttled': { ...code, form: throttled },
  }
}

function acceptanceStates({ account, documents }: Named, formWith: FormWith): Record<string, View> {
  const url = 'https://chat.example.com/documents'
  const named = documents.map((name, at) => ({ id: `d${at}`, version: '1', name, url }))
  const view = { page: 'acceptance', account, form: formWith(null), documents: named } as const
  return {
    acceptance: view,
    'acceptance-stale': { ...view, form: formWith({ kind: 'stale' }) },
    'acceptance-too-soon': { ...view, form: formWith({ kind: 'too-soon' }) },
  }
}
