import { html, markupOf } from '../../pages/html.js'
import type {
  AccountDeleteView,
  AccountEmailView,
  AccountFactorView,
  AccountView,
  SecondFactorView,
  SignInView,
  View,
} from '../../pages/view.js'
import type { PromisedOfPage } from './documents.js'
import { type FormTags, type Tag, tagsOf, textOf } from './markup.js'
import { check, formOfView, passkeyOfView, type RenderedPage } from './rendered.js'

/** A field that an answer is read from. */
interface Expected {
  readonly name: string
  readonly types: readonly string[]
  /** The token by which managers of passwords and phones know it; null for what nobody fills in. */
  readonly autocomplete: string | null
}

const oneTimeCode: Expected = {
  name: 'code',
  types: ['text', 'tel'],
  autocomplete: 'one-time-code',
}

const typedName: Expected = {
  name: 'username',
  types: ['text', 'email'],
  autocomplete: 'username',
}

const newPassword: Expected = {
  name: 'password',
  types: ['password'],
  autocomplete: 'new-password',
}

const presentPassword: Expected = {
  name: 'present',
  types: ['password'],
  autocomplete: 'current-password',
}

const userCode: Expected = { name: 'user_code', types: ['text'], autocomplete: 'off' }

const link: Expected = { name: 'link', types: ['text'], autocomplete: 'off' }

const checkCode: Expected = { name: 'check_code', types: ['text', 'tel'], autocomplete: 'off' }

const seen: Expected = { name: 'seen', types: ['checkbox'], autocomplete: null }

const typedAddress: Expected = { name: 'email', types: ['email', 'text'], autocomplete: 'email' }

const typedAsFactor: Readonly<Record<SecondFactorView['method'], readonly Expected[]>> = {
  code: [oneTimeCode],
  recovery: [{ name: 'code', types: ['text'], autocomplete: 'off' }],
  passkey: [],
}

function fieldsOf(view: View): readonly Expected[] {
  switch (view.page) {
    case 'sign-in':
      if (view.password === 'none') return []
      return [
        typedName,
        { name: 'password', types: ['password'], autocomplete: 'current-password' },
      ]
    case 'second-factor':
      return typedAsFactor[view.method]
    case 'enrol':
    case 'confirm-email':
      return [oneTimeCode]
    case 'account-email':
      return addressFields(view)
    case 'undo':
      return view.password === null ? [] : [newPassword]
    case 'device-code':
      return [userCode]
    case 'device':
      return view.network === 'refused' ? [] : [seen]
    case 'link':
      return [link]
    case 'link-device':
      return [checkCode]
    case 'forgot':
    case 'new-name':
      return [typedName]
    case 'code':
      return [view.isSent ? oneTimeCode : typedName]
    case 'account-delete':
      return deletionFields(view)
    case 'reset':
      return [typedName, newPassword]
    case 'account-password':
      return view.hasPassword ? [presentPassword, newPassword] : [newPassword]
    default:
      return []
  }
}

function addressFields({ asksPassword }: AccountEmailView): readonly Expected[] {
  return asksPassword ? [typedAddress, presentPassword] : [typedAddress]
}

function deletionFields({ asksPassword, requestId }: AccountDeleteView): readonly Expected[] {
  if (requestId !== null) return [oneTimeCode]
  return asksPassword ? [presentPassword] : []
}

/** Buttons that say by their name and value what the user has chosen. */
function choicesOf(view: View): readonly (readonly [name: string, value: string])[] {
  switch (view.page) {
    case 'sign-in':
      return signInChoices(view).map(asChoice)
    case 'second-factor':
      return view.method === 'passkey'
        ? [['choice', 'cancel']]
        : view.sendable.map(({ name }) => ['send', name] as const)
    case 'code':
      return view.isSent ? [['choice', 'again']] : []
    case 'enrol-passkey':
      return [['choice', 'cancel']]
    case 'add-passkey':
      return [['choice', 'later']]
    case 'connect':
      return ['connect', 'later'].map((choice) => ['choice', choice] as const)
    case 'continue':
      return ['continue', 'other', 'cancel'].map((choice) => ['choice', choice] as const)
    case 'consent':
      return ['allow', 'cancel'].map((choice) => ['choice', choice] as const)
    case 'sign-out':
      return view.everywhere ? [asChoice('everywhere')] : []
    case 'confirm':
      return [asChoice(view.choice)]
    case 'account-factor':
      return factorChoices(view).map(asChoice)
    case 'account-passkeys':
      return ['add', ...view.passkeys.map(({ id }) => `remove ${id}`)].map(asChoice)
    case 'account-identities':
      return [
        ...view.providers.map(({ id }) => `connect ${id}`),
        ...view.identities.map(({ id }) => `disconnect ${id}`),
      ].map(asChoice)
    case 'device':
    case 'link-device':
      return [asChoice('deny')]
    case 'account-email':
      return provesAddress(view) ? [asChoice('verify')] : []
    case 'account':
      return accountChoices(view).map(asChoice)
    default:
      return []
  }
}

function signInChoices({ account, isAgain, mayCancel, client }: SignInView): readonly string[] {
  const leave = mayCancel && client !== null ? ['cancel'] : []
  const goOn = account === null ? [] : ['continue']
  return [...(isAgain ? ['other'] : []), ...goOn, ...leave]
}

function factorChoices({ app, email }: AccountFactorView): readonly string[] {
  const ofApp = app?.enabled === true ? ['codes', 'off'] : ['begin']
  const on = email?.verified === true ? ['email-on'] : []
  const ofEmail = email?.enabled === true ? ['email-off'] : on
  return [...(app === null ? [] : ofApp), ...ofEmail]
}

function provesAddress({ email, verified }: AccountEmailView): boolean {
  return email !== null && !verified
}

function asChoice(value: string) {
  return ['choice', value] as const
}

function accountChoices({ devices, apps }: AccountView): readonly string[] {
  const others = devices.filter(({ current }) => !current)
  return [
    ...others.map(({ id }) => `end ${id}`),
    'end-others',
    ...apps.map(({ id }) => `revoke ${id}`),
  ]
}

const isTyped = ({ name, attributes }: Tag) =>
  ['input', 'select', 'textarea'].includes(name) &&
  !['hidden', 'submit', 'image', 'button'].includes(attributes['type'] ?? 'text')

const isSubmit = ({ name, attributes }: Tag) =>
  (name === 'button' && (attributes['type'] ?? 'submit') === 'submit') ||
  (name === 'input' && ['submit', 'image'].includes(attributes['type'] ?? ''))

function goesWhereTold(page: RenderedPage): void {
  const told = formOfView(page.view)
  const forms = page.forms
  if (told === null) {
    check(forms.length === 0, page, 'has a form, which nobody would read.')
    return
  }
  const isFormless = page.view.page === 'sign-in' && page.view.password === 'none'
  check(forms.length > 0 || isFormless, page, 'has no form.')
  for (const { form, inside } of forms) {
    const { method = 'get', action } = form.attributes
    check(method.toLowerCase() === 'post', page, 'has a form without method="post".')
    check(action === told.action, page, 'has a form that does not go to view.form.action.')
    const elsewhere = inside.some(
      ({ attributes: { formaction = action } }) => formaction !== action,
    )
    check(!elsewhere, page, 'has a button with a formaction of its own.')
  }
}

function keepsHiddenFields(page: RenderedPage): void {
  const hidden = tagsOf(markupOf(formOfView(page.view)?.hidden ?? html``))
  for (const { inside } of page.forms) {
    const carried = inside.map(keyOf)
    const lost = hidden.find((tag) => !carried.includes(keyOf(tag)))
    const remedy = 'Put view.form.hidden into each form, or no answer is taken.'
    check(lost === undefined, page, `has a form without its hidden fields. ${remedy}`)
  }
}

function keepsPasskey(page: RenderedPage): void {
  const part = passkeyOfView(page.view)
  if (part === null) return
  const wanted = tagsOf(markupOf(part)).map(keyOf)
  const isKept = page.forms.some(({ inside }) => {
    const keys = inside.map(keyOf)
    return wanted.every((key) => keys.includes(key))
  })
  check(isKept, page, 'has no form with all of view.passkey in it.')
}

function canBeSent(page: RenderedPage): void {
  for (const { inside } of page.forms) {
    const submits = inside.filter(isSubmit)
    check(submits.length > 0, page, 'has a form without a button that sends it.')
    // Enter presses the first.
    const [first] = submits
    const isSafe = !inside.some(isTyped) || first?.attributes['name'] === undefined
    const remedy = 'Let the button that sends what was typed come first, without a name.'
    check(isSafe, page, `has another button before the one that sends the fields. ${remedy}`)
  }
}

function hasItsFields(page: RenderedPage): void {
  const expected = fieldsOf(page.view)
  if (expected.length === 0) return
  const form = page.forms.find((one) => expected.every(({ name }) => fieldIn(one, name)))
  const names = expected.map(({ name }) => name).join(' and ')
  check(form !== undefined, page, `has no form with ${names} in it, by these names.`)
  for (const { name, types } of expected) {
    const type = fieldIn(form, name)?.attributes['type'] ?? 'text'
    check(types.includes(type), page, `has ${name} as a field of type ${type}, not ${types[0]}.`)
  }
}

function isKnownToManagers(page: RenderedPage): void {
  const tags = page.forms.flatMap(({ inside }) => inside)
  for (const { name, autocomplete } of fieldsOf(page.view)) {
    const field = tags.find((tag) => isTyped(tag) && tag.attributes['name'] === name)
    if (field === undefined || autocomplete === null) continue
    const tokens = (field.attributes['autocomplete'] ?? '').split(/\s+/)
    const broken = `has ${name} without autocomplete="${autocomplete}"`
    check(tokens.includes(autocomplete), page, `${broken}, by which it is filled in.`)
    check(
      !('maxlength' in field.attributes),
      page,
      `cuts ${name} by a maxlength when it is pasted.`,
    )
  }
}

function hasItsChoices(page: RenderedPage): void {
  const forms = page.forms
  for (const [name, value] of choicesOf(page.view)) {
    const within = forms.find(({ inside }) => inside.some((tag) => isChoice(tag, name, value)))
    const button = `<button name="${name}" value="${value}">`
    check(within !== undefined, page, `has no ${button}.`)
    const asks = within.inside.some((tag) => isTyped(tag) && 'required' in tag.attributes)
    const chosen = within.inside.find((tag) => isChoice(tag, name, value))
    const isFree = !asks || 'formnovalidate' in (chosen?.attributes ?? {})
    const remedy = 'Give it formnovalidate, or a form of its own.'
    check(isFree, page, `has ${button} beside a field that is required. ${remedy}`)
  }
}

function hasLabels(page: RenderedPage): void {
  const tags = page.tags
  const labelled = new Set(
    tags.map(({ name, attributes }) => name === 'label' && attributes['for']),
  )
  const labels = page.tags.filter(({ name }) => name === 'label')
  const wrapped = labels.flatMap(({ content }) => tagsOf(content).map(keyOf))
  for (const tag of tags.filter(isTyped)) {
    const { id, name, 'aria-hidden': unseen, 'aria-label': label } = tag.attributes
    if (unseen === 'true' || label) continue
    const isWrapped = wrapped.includes(keyOf(tag))
    const broken = `has no <label for="…"> for the field ${name}.`
    check(isWrapped || (id !== undefined && labelled.has(id)), page, broken)
  }
}

function keepsWhatWasTyped(page: RenderedPage): void {
  const { view } = page
  if (view.page !== 'sign-in') return
  for (const { inside } of page.forms) {
    const attributesOf = (name: string) =>
      inside.find((tag) => tag.attributes['name'] === name)?.attributes
    const username = attributesOf('username')
    const isKept = username === undefined || (username['value'] ?? '') === view.username
    check(isKept, page, 'does not have view.username as the value of username.')
    check(!('value' in (attributesOf('password') ?? {})), page, 'has a password with a value.')
    const stay = attributesOf('stay')
    const isTicked = stay === undefined || 'checked' in stay === view.stay
    check(isTicked, page, 'has stay ticked otherwise than view.stay says.')
  }
}

function saysWhy(page: RenderedPage): void {
  const fault = formOfView(page.view)?.fault ?? null
  const alerts = page.tags.filter(({ attributes }) => attributes['role'] === 'alert')
  if (fault === null) {
    check(alerts.length === 0, page, 'has a role="alert", though nothing is wrong.')
    return
  }
  const broken = 'does not say what is wrong in an element with role="alert": view.form.fault.'
  check(
    alerts.some(({ content }) => textOf(content) !== ''),
    page,
    broken,
  )
  if (fault.kind !== 'refused' || fault.message === null) return
  const isTold = textOf(page.markup).includes(textOf(fault.message))
  check(isTold, page, 'leaves out what your own beforeLogin has to say: view.form.fault.message.')
}

function fieldIn({ inside }: FormTags, name: string): Tag | undefined {
  return inside.find((tag) => isTyped(tag) && tag.attributes['name'] === name)
}

/** The same for tags that are alike. */
function keyOf({ name, attributes }: Tag): string {
  return JSON.stringify([name, attributes])
}

function isChoice(tag: Tag, name: string, value: string): boolean {
  return isSubmit(tag) && tag.attributes['name'] === name && tag.attributes['value'] === value
}

/** What holds for pages with a form. */
export const formTests: readonly PromisedOfPage[] = [
  ['a form goes to where it is told, by post', goesWhereTold],
  ['a form keeps its hidden fields', keepsHiddenFields],
  ['a form keeps what the view has for passkeys', keepsPasskey],
  ['a form can be sent, by Enter as well', canBeSent],
  ['a form has the fields that its answer is read from', hasItsFields],
  ['managers of passwords know the fields', isKnownToManagers],
  ['a form has a button for each choice', hasItsChoices],
  ['each field has a label', hasLabels],
  ['a form has what was typed, and no password', keepsWhatWasTyped],
  ['a form that comes back says why', saysWhy],
]
