import type { FormFault, PageForm } from '../../../src/pages/form-parts.js'
import type { View, ViewOf } from './views.js'

const base = 'https://chat.example.com/api/v1'

const notes: readonly ViewOf<'note'>['note'][] = [
  'mail-sent',
  'password-set',
  'address-confirmed',
  'phone-confirmed',
  'address-undone',
  'account-deleted',
  'link-used',
  'link-expired',
  'link-unknown',
  'registration-closed',
  'device-approved',
  'device-denied',
]

/** The states of the pages for passwords and addresses, and of links in mails. */
export function mailStates(
  { account, typed }: { readonly account: ViewOf<'account'>['account']; readonly typed: string },
  formWith: (fault: FormFault | null) => PageForm,
): Record<string, View> {
  const form = formWith(null)
  const wrong = formWith({ kind: 'wrong' })
  const throttled = formWith({ kind: 'throttled', retryAfter: 290 })
  const { username } = account
  const back = `${base}/account`
  const forgot = { page: 'forgot', form, username: '', back: `${base}/oauth/sign-in?` } as const
  const reset = { page: 'reset', form, username, minLength: 15, reasons: [] } as const
  const elsewhere = {
    account,
    form,
    back,
    name: typed,
    url: 'https://sspr.example.com',
  } as const
  const changing = { page: 'account-password', account, form, hasPassword: true, back } as const
  const changed = { ...changing, minLength: 15, reasons: [] } as const
  const every = ['too-short', 'too-long', 'common', 'context', 'breached'] as const
  const set = { minLength: 15, reasons: [] }
  const undo = { page: 'undo', form, username, former: 'a@mail.example', password: set } as const
  return {
    forgot,
    'forgot-wrong': { ...forgot, form: wrong, username: typed },
    'forgot-throttled': { ...forgot, form: throttled, username: typed },
    reset,
    'reset-wrong': { ...reset, form: wrong, reasons: every },
    'reset-stale': { ...reset, form: formWith({ kind: 'stale' }) },
    undo,
    'undo-refused': { ...undo, form: wrong, password: { minLength: 15, reasons: every } },
    'undo-no-password': { ...undo, password: null },
    'undo-no-number': { ...undo, former: null },
    'undo-stale': { ...undo, form: formWith({ kind: 'stale' }) },
    ...Object.fromEntries(
      notes.map((note) => [`note-${note}`, { page: 'note', note, onward: back } as const]),
    ),
    'note-alone': { page: 'note', note: 'link-unknown', onward: null },
    'account-password': changed,
    'account-password-first': { ...changed, hasPassword: false },
    'account-password-elsewhere': { page: 'password-elsewhere', ...elsewhere },
    'account-password-wrong': { ...changed, form: wrong },
    'account-password-refused': { ...changed, form: wrong, reasons: every },
    ...emailStates(account, formWith),
    ...registerStates({ account, typed }, formWith),
    ...codeStates({ account, typed }, formWith),
  }
}

function emailStates(
  account: ViewOf<'account'>['account'],
  formWith: (fault: FormFault | null) => PageForm,
): Record<string, View> {
  const form = formWith(null)
  const wrong = formWith({ kind: 'wrong' })
  const back = `${base}/account`
  const email = `a-rather-long-name-of-somebody@mail-of-a-whole-company.example.com`
  const asks = { typed: '', asksPassword: true, isPasswordWrong: false }
  const shown = { channel: 'email', address: email, verified: true, ...asks } as const
  const address = { page: 'account-email', account, form, back, ...shown } as const
  const sent = { channel: 'email', sentTo: 'alice@mail.example' } as const
  const confirm = { page: 'confirm-email', account, form, ...sent, back, code: '' } as const
  const number = { ...address, channel: 'phone', address: '+491701234567' } as const
  const ofNumber = { channel: 'phone', sentTo: '+491701234567' } as const
  return {
    'account-email': address,
    'account-email-unproven': { ...address, verified: false },
    'account-email-none': { ...address, address: null, verified: false },
    'account-email-wrong': { ...address, form: wrong, typed: email },
    'account-email-wrong-password': {
      ...address,
      form: wrong,
      typed: email,
      isPasswordWrong: true,
    },
    'account-email-no-password': { ...address, asksPassword: false },
    'account-email-throttled': {
      ...address,
      form: formWith({ kind: 'throttled', retryAfter: 290 }),
      verified: false,
    },
    'confirm-email': confirm,
    'confirm-email-filled': { ...confirm, code: '1234 5678' },
    'confirm-email-wrong': { ...confirm, form: wrong },
    'account-phone': number,
    'account-phone-unproven': { ...number, verified: false },
    'account-phone-none': { ...number, address: null, verified: false },
    'account-phone-wrong': { ...number, form: wrong, typed: '0171' },
    'confirm-phone': { ...confirm, ...ofNumber },
    'confirm-phone-wrong': { ...confirm, ...ofNumber, form: wrong },
    'phone-in-use': { page: 'phone-in-use', account, back, until: null },
    'phone-in-use-until': {
      page: 'phone-in-use',
      account,
      back,
      until: new Date('2030-01-05T03:04:05Z'),
    },
    'code-elsewhere': { page: 'code-elsewhere', code: '1234 5678' },
  }
}

function registerStates(
  { account, typed }: { readonly account: ViewOf<'account'>['account']; readonly typed: string },
  formWith: (fault: FormFault | null) => PageForm,
): Record<string, View> {
  const form = formWith(null)
  const wrong = formWith({ kind: 'wrong' })
  const { username, name } = account
  const back = `${base}/oauth/sign-in?`
  const nothing = { email: '', username: '', name: '' }
  const filled = { email: 'alice@mail.example', username, name }
  const said = { isEmailGiven: false, wrong: null, isTaken: false } as const
  const password = { minLength: 15, reasons: [] }
  const empty = {
    page: 'register',
    form,
    ...nothing,
    ...said,
    back,
  } as const
  const again = { ...empty, ...filled, form: wrong }
  const every = ['too-short', 'too-long', 'common', 'context', 'breached'] as const
  const confirm = { page: 'confirm-register', form, code: '', username: null } as const
  const confirming = { ...confirm, isTaken: false, password, isPasswordOptional: false, back }
  return {
    register: empty,
    'register-invited': { ...empty, email: filled.email, isEmailGiven: true },
    'register-wrong': again,
    'register-wrong-email': { ...again, email: typed, wrong: 'email' },
    'register-wrong-name': { ...again, name: typed, wrong: 'name' },
    'register-taken': { ...again, isTaken: true },
    'register-vetoed': { ...again, form: formWith({ kind: 'refused', message: 'Not today.' }) },
    'confirm-register': confirming,
    'confirm-register-optional-password': { ...confirming, isPasswordOptional: true },
    'confirm-register-refused': {
      ...confirming,
      form: wrong,
      password: { ...password, reasons: every },
    },
    'confirm-register-wrong': { ...confirming, form: wrong },
    'confirm-register-taken': { ...confirming, form: wrong, username, isTaken: true },
  }
}

function codeStates(
  { account, typed }: { readonly account: ViewOf<'account'>['account']; readonly typed: string },
  formWith: (fault: FormFault | null) => PageForm,
): Record<string, View> {
  const form = formWith(null)
  const wrong = formWith({ kind: 'wrong' })
  const back = `${base}/oauth/sign-in?`
  const empty = { isSent: false, username: '', stay: false, kind: 'code' } as const
  const code = { page: 'code', form, back, ...empty } as const
  const any = { ...code, kind: 'code-any' } as const
  const deletion = { page: 'account-delete', account, form, back: `${base}/account` } as const
  const asked = { ...deletion, asksPassword: true, mailsCode: true, requestId: null }
  const confirmed = { ...asked, asksPassword: false, requestId: 'Q2'.repeat(21) }
  return {
    code,
    'code-wrong-name': { ...code, form: wrong, username: typed },
    'code-throttled': { ...code, form: formWith({ kind: 'throttled', retryAfter: 290 }) },
    'code-sent': { ...code, isSent: true },
    'code-wrong': { ...code, isSent: true, stay: true, form: wrong },
    'code-phone': { ...code, kind: 'code-phone' },
    'code-phone-long-away': {
      ...code,
      kind: 'code-phone',
      isSent: true,
      form: formWith({ kind: 'long-away' }),
    },
    'code-any': any,
    'code-any-wrong-name': { ...any, form: wrong, username: typed },
    'code-any-sent': { ...any, isSent: true },
    'account-delete': asked,
    'account-delete-no-password': { ...asked, asksPassword: false },
    'account-delete-no-mail': { ...asked, mailsCode: false },
    'account-delete-wrong-password': { ...asked, form: wrong },
    'account-delete-code': confirmed,
    'account-delete-wrong': { ...confirmed, form: wrong },
  }
}
