// Somebody who manages an account in a browser without a window.
import { password } from '../../support/host.js'
import { signIn } from '../mounted/forms.js'
import { type MountedHost, queryOf, tracker } from '../mounted/mounted-host.js'
import { openVisitor, type PageAnswer, type Visitor } from '../mounted/visitor.js'
import { tagsOf } from '../support/markup.js'

export const alice = { username: 'alice', password }

/** A browser in which somebody is signed in to the account page. */
export async function openAccount(host: MountedHost, username = 'alice') {
  const visitor = openVisitor(host)
  const asked = await visitor.open(`${host.base}/account`)
  const page = await visitor.fill(asked, { username, password })
  return { visitor, page }
}

/** Signs in and allows an app of somebody else’s what it asks for. */
export async function allowTracker(visitor: Visitor, host: MountedHost): Promise<void> {
  const page = await signIn(visitor, host, 'alice', queryOf(tracker))
  await visitor.fill(page, { choice: 'allow' })
}

/** The choices that the buttons of a page send. */
export function choicesOn({ text }: PageAnswer): readonly string[] {
  return tagsOf(text)
    .filter(({ name, attributes }) => name === 'button' && attributes['name'] === 'choice')
    .map(({ attributes }) => attributes['value'] ?? '')
}

/** The ids of the sessions of alice, or somebody else. */
export async function sessionsOf({ stores, clock }: MountedHost, userId = 'u-alice') {
  return (await stores.sessions.listForUser(userId, clock())).map(({ id }) => id)
}
