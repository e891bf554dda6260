import type { SafeHtml } from './html.js'
import { layout, type PageContent, type PageShell } from './layout.js'
import type {
  AccountDeleteView,
  AccountEmailView,
  AccountIdentitiesView,
  AccountPasswordView,
  CodeView,
  ConfirmEmailView,
  ConfirmRegisterView,
  ConfirmView,
  ConnectView,
  DeviceCodeView,
  DeviceView,
  ForgotView,
  LinkDeviceView,
  LinkSignInView,
  LinkView,
  NewNameView,
  RegisterView,
  ResetView,
  UndoView,
  View,
} from './view.js'
import type { CodeElsewhereView, NoteView } from './view-parts.js'
import { accountPage } from './views/account.js'
import { accountFactorPage, accountPasskeysPage } from './views/account-factors.js'
import { accountDeletePage, codePage, confirmPage } from './views/codes.js'
import { consentPage, continuePage } from './views/consent.js'
import { deviceCodePage, devicePage } from './views/device.js'
import { accountEmailPage, codeElsewherePage, confirmEmailPage } from './views/email.js'
import {
  addPasskeyPage,
  enrolPage,
  enrolPasskeyPage,
  recoveryCodesPage,
} from './views/enrolment.js'
import { errorPage } from './views/error.js'
import { handOverPage } from './views/hand-over.js'
import { accountIdentitiesPage, connectPage, newNamePage } from './views/identities.js'
import { linkDevicePage, linkPage, linkSignInPage } from './views/link.js'
import { forgotPage, notePage, resetPage, undoPage } from './views/mailed.js'
import { accountPasswordPage } from './views/new-password.js'
import { confirmRegisterPage, registerPage } from './views/register.js'
import { secondFactorPage } from './views/second-factor.js'
import { signInPage } from './views/sign-in.js'
import { signedOutPage, signOutPage } from './views/sign-out.js'

/** The document of a view. Equal views and shells give equal bytes. */
export function renderPage(view: View, shell: PageShell): SafeHtml {
  return layout(shell, contentOf(view, shell))
}

function contentOf(view: View, shell: PageShell): PageContent {
  switch (view.page) {
    case 'sign-in':
      return signInPage(view, shell)
    case 'second-factor':
      return secondFactorPage(view, shell.texts)
    case 'enrol':
      return enrolPage(view, shell.texts)
    case 'enrol-passkey':
      return enrolPasskeyPage(view, shell.texts)
    case 'add-passkey':
      return addPasskeyPage(view, shell.texts)
    case 'recovery-codes':
      return recoveryCodesPage(view, shell.texts)
    case 'continue':
      return continuePage(view, shell.texts)
    case 'consent':
      return consentPage(view, shell.texts)
    case 'account':
      return accountPage(view, shell.texts)
    case 'account-factor':
      return accountFactorPage(view, shell.texts)
    case 'account-passkeys':
      return accountPasskeysPage(view, shell.texts)
    case 'hand-over':
      return handOverPage(view, shell.texts)
    case 'sign-out':
      return signOutPage(view, shell.texts)
    case 'signed-out':
      return signedOutPage(view, shell)
    case 'error':
      return errorPage(view, shell)
    default:
      return mailedContentOf(view, shell)
  }
}

// Pages around a mail, and changes of passwords and addresses.
function mailedContentOf(view: MailedView, shell: PageShell): PageContent {
  switch (view.page) {
    case 'code':
      return codePage(view, shell.texts)
    case 'new-name':
      return newNamePage(view, shell.texts)
    case 'connect':
      return connectPage(view, shell.texts)
    case 'account-identities':
      return accountIdentitiesPage(view, shell.texts)
    case 'account-delete':
      return accountDeletePage(view, shell.texts)
    case 'confirm':
      return confirmPage(view, shell.texts)
    case 'forgot':
      return forgotPage(view, shell.texts)
    case 'reset':
      return resetPage(view, shell)
    case 'undo':
      return undoPage(view, shell)
    case 'register':
      return registerPage(view, shell)
    case 'confirm-register':
      return confirmRegisterPage(view, shell)
    case 'note':
      return notePage(view, shell)
    case 'account-password':
      return accountPasswordPage(view, shell)
    case 'account-email':
      return accountEmailPage(view, shell.texts)
    case 'confirm-email':
      return confirmEmailPage(view, shell.texts)
    case 'code-elsewhere':
      return codeElsewherePage(view, shell.texts)
    case 'device-code':
      return deviceCodePage(view, shell.texts)
    case 'device':
      return devicePage(view, shell.texts)
    case 'link':
      return linkPage(view, shell.texts)
    case 'link-sign-in':
      return linkSignInPage(view, shell.texts)
    case 'link-device':
      return linkDevicePage(view, shell.texts)
  }
}

type MailedView =
  | CodeView
  | NewNameView
  | ConnectView
  | AccountIdentitiesView
  | AccountDeleteView
  | ConfirmView
  | ForgotView
  | ResetView
  | UndoView
  | RegisterView
  | ConfirmRegisterView
  | NoteView
  | AccountPasswordView
  | AccountEmailView
  | ConfirmEmailView
  | CodeElsewhereView
  | DeviceCodeView
  | DeviceView
  | LinkView
  | LinkSignInView
  | LinkDeviceView
