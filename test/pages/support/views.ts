// The content of each page by its name, with what it is handed.

import { confirmPage } from '../../../src/pages/account/account-form.js'
import { accountPage } from '../../../src/pages/account/account-page.js'
import { accountDeletePage } from '../../../src/pages/account/delete-page.js'
import {
  accountEmailPage,
  codeElsewherePage,
  confirmEmailPage,
} from '../../../src/pages/account/email-pages.js'
import { accountFactorPage } from '../../../src/pages/account/factor-page.js'
import { linkDevicePage, linkPage, linkSignInPage } from '../../../src/pages/account/link-page.js'
import { forgotPage, resetPage, undoPage } from '../../../src/pages/account/mail-pages.js'
import { accountPasswordPage } from '../../../src/pages/account/password-page.js'
import { confirmRegisterPage, registerPage } from '../../../src/pages/account/register-pages.js'
import { codePage } from '../../../src/pages/code-page.js'
import { consentPage, continuePage } from '../../../src/pages/consent-page.js'
import { deviceCodePage, devicePage } from '../../../src/pages/device-page.js'
import { enrolPage, enrolPasskeyPage } from '../../../src/pages/enrolment-page.js'
import type { PageContent, PageShell } from '../../../src/pages/layout.js'
import {
  accountPasskeysPage,
  addPasskeyPage,
  recoveryCodesPage,
} from '../../../src/pages/page-passkeys.js'
import { handOverPage } from '../../../src/pages/page-visit.js'
import {
  accountIdentitiesPage,
  connectPage,
  newNamePage,
} from '../../../src/pages/provider-page.js'
import { secondFactorPage } from '../../../src/pages/second-factor-page.js'
import { errorPage, notePage } from '../../../src/pages/show-page.js'
import { signInPage } from '../../../src/pages/sign-in-page.js'
import { signedOutPage, signOutPage } from '../../../src/pages/sign-out.js'

const pages = {
  'sign-in': signInPage,
  'second-factor': secondFactorPage,
  enrol: enrolPage,
  'enrol-passkey': enrolPasskeyPage,
  'add-passkey': addPasskeyPage,
  'recovery-codes': recoveryCodesPage,
  continue: continuePage,
  consent: consentPage,
  account: accountPage,
  'account-factor': accountFactorPage,
  'account-passkeys': accountPasskeysPage,
  'hand-over': handOverPage,
  'sign-out': signOutPage,
  'signed-out': signedOutPage,
  error: errorPage,
  code: codePage,
  'new-name': newNamePage,
  connect: connectPage,
  'account-identities': accountIdentitiesPage,
  'account-delete': accountDeletePage,
  confirm: confirmPage,
  forgot: forgotPage,
  reset: resetPage,
  undo: undoPage,
  register: registerPage,
  'confirm-register': confirmRegisterPage,
  note: notePage,
  'account-password': accountPasswordPage,
  'account-email': accountEmailPage,
  'confirm-email': confirmEmailPage,
  'code-elsewhere': codeElsewherePage,
  'device-code': deviceCodePage,
  device: devicePage,
  link: linkPage,
  'link-sign-in': linkSignInPage,
  'link-device': linkDevicePage,
}

type Name = keyof typeof pages

/** What a page is handed, with its name. */
export type ViewOf<Page extends Name> = { readonly page: Page } & Parameters<
  (typeof pages)[Page]
>[0]

/** The same of any page. */
export type View = { [Page in Name]: ViewOf<Page> }[Name]

/** The content of a page. */
export function contentOf(view: View, shell: PageShell): PageContent {
  return (pages[view.page] as (view: View, shell: PageShell) => PageContent)(view, shell)
}
