// The content of each page by its name, with what it is handed.

import { acceptancePage } from '../../../src/acceptance/acceptance-page.js'
import {
  accountAddressPage,
  codeElsewherePage,
  confirmAddressPage,
  phoneInUsePage,
} from '../../../src/accounts/address-pages.js'
import { forgotPage, resetPage, undoPage } from '../../../src/accounts/mail-pages.js'
import { accountPasswordPage, passwordElsewherePage } from '../../../src/accounts/password-page.js'
import {
  requiredAddressPage,
  requiredCodePage,
  requiredPasswordPage,
} from '../../../src/accounts/required-pages.js'
import { accountPage } from '../../../src/browser/account-page.js'
import { codePage } from '../../../src/browser/code-page.js'
import { consentPage, continuePage } from '../../../src/browser/consent-page.js'
import { deviceCodePage, devicePage } from '../../../src/browser/device-page.js'
import { enrolPage, enrolPasskeyPage } from '../../../src/browser/enrolment-page.js'
import { accountFactorPage } from '../../../src/browser/factor-page.js'
import {
  accountPasskeysPage,
  addPasskeyPage,
  recoveryCodesPage,
} from '../../../src/browser/passkeys-page.js'
import {
  accountIdentitiesPage,
  connectPage,
  newNamePage,
} from '../../../src/browser/provider-page.js'
import { secondFactorPage } from '../../../src/browser/second-factor-page.js'
import { signInPage } from '../../../src/browser/sign-in-page.js'
import { signedOutPage, signOutPage } from '../../../src/browser/sign-out.js'
import { accountDeletePage } from '../../../src/deletion/delete-page.js'
import { linkDevicePage, linkPage, linkSignInPage } from '../../../src/device-links/link-page.js'
import { confirmPage } from '../../../src/pages/account-form.js'
import type { PageContent, PageShell } from '../../../src/pages/layout.js'
import { handOverPage } from '../../../src/pages/page-visit.js'
import { errorPage, notePage } from '../../../src/pages/show-page.js'
import { confirmRegisterPage, registerPage } from '../../../src/registration/register-pages.js'

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
  'password-elsewhere': passwordElsewherePage,
  'account-email': accountAddressPage,
  'confirm-email': confirmAddressPage,
  'phone-in-use': phoneInUsePage,
  'code-elsewhere': codeElsewherePage,
  'required-password': requiredPasswordPage,
  'required-address': requiredAddressPage,
  'required-code': requiredCodePage,
  acceptance: acceptancePage,
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
