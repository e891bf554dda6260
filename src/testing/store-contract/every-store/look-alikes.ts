import { randomId } from '../../../lib/secrets.js'
import type { AuthorizationCodeStore } from '../../../stores/code-contract.js'
import type {
  AuthenticationMethod,
  EndReason,
  SessionKind,
  SessionStore,
} from '../../../stores/contract.js'
import { moments, newFactor, newSession } from '../../../stores/new-records.js'
import type { SecondFactorStore } from '../../../stores/second-factor-contract.js'
import type { Part } from '../harness.js'
import { check, inheritedNames, isNone, resolves, same, sessionsOf } from '../harness.js'

// Texts that a driver, an ORM or a JSON reviver converts into something else.
const lookAlikes = [
  '',
  ' ',
  'null',
  'undefined',
  'true',
  'NaN',
  '17',
  '007',
  '1e3',
  '2024-02-29T12:00:00.000Z',
  '/Date(1709208000000)/',
  '{"a":1}',
  '[]',
  '"quoted"',
  '\\x41',
  '__proto__',
]

/** Texts stay texts. */
export function sessionLookAlikes(part: Part<SessionStore>): void {
  sessionTexts(part)
  noSessionById(part)
}

function sessionTexts({ it }: Part<SessionStore>): void {
  it('texts that look like something else come back as the same texts', async (sessions, at) => {
    for (const text of lookAlikes) {
      const session = newSession(at, { scope: text, ip: text, userAgent: text })
      await sessions.create(session)
      const found = await sessions.find(session.id)
      same(
        [found?.scope, found?.ip, found?.userAgent],
        [text, text, text],
        `sessions.find does not answer the text ${JSON.stringify(text)} as it was created. A ` +
          `text is a text, whatever it looks like, and \`''\` is not \`null\`.`,
      )
    }
  })

  it('a kind, methods and a reason of a later release come back as the same texts', async (sessions, at) => {
    const later: string = 'of-a-later-release'
    const session = newSession(at, {
      kind: later as SessionKind,
      methods: ['pwd', later as AuthenticationMethod],
    })
    const why =
      'Two releases write to one store while a deployment rolls: `kind`, `methods` and reasons ' +
      'are texts, and no list is complete.'
    await resolves(
      sessions.create(session),
      `sessions.create refused a word that it does not know. ${why}`,
    )
    await resolves(
      sessions.end(session.id, later as EndReason, at(1)),
      `sessions.end refused a word that it does not know. ${why}`,
    )
    const found = await resolves(
      sessions.find(session.id),
      `sessions.find failed at a word that it does not know. ${why}`,
    )
    same(
      [found?.kind, found?.methods, found?.endReason],
      [later, ['pwd', later], later],
      `sessions.find of other words. ${why}`,
    )
  })
}

function noSessionById({ it }: Part<SessionStore>): void {
  it('an id that every object has as a property is no session', async (sessions) => {
    for (const name of inheritedNames) {
      check(
        isNone(await sessions.find(name)),
        `sessions.find of '${name}'. Keep rows in a Map, not in a plain object.`,
      )
      const { userId } = newSession(moments(), { userId: name })
      same(
        await sessionsOf(sessions, userId, new Date()),
        [],
        `sessions.listForUser of '${name}'. Use a Map, not a plain object.`,
      )
    }
  })
}

/** The same for codes. */
export function codeLookAlikes({ it }: Part<AuthorizationCodeStore>): void {
  it('a hash that every object has as a property is no code', async (codes) => {
    for (const name of inheritedNames) {
      check(
        isNone(await codes.find(name)),
        `codes.find of '${name}'. Keep rows in a Map, not in a plain object.`,
      )
    }
  })
}

/** The same for second factors. */
export function factorLookAlikes({ it }: Part<SecondFactorStore>): void {
  it('a user whose id every object has as a property has a factor like any other', async (factors, at) => {
    for (const userId of inheritedNames) {
      // An aborted run may have left it.
      await factors.deactivate(userId)
      const plain = `of a user called '${userId}'. Keep rows in a Map, not in a plain object.`
      check(isNone(await factors.find(userId)), `secondFactors.find ${plain}`)
      const hash = randomId()
      const { outcome } = await factors.activate(newFactor(at, { userId }), [hash])
      const used = await factors.consumeRecoveryCode(userId, hash)
      const gone = await factors.deactivate(userId)
      const said = [outcome, used.outcome, gone.outcome].join()
      check(
        said === 'activated,consumed,deactivated',
        `activate, consumeRecoveryCode and deactivate answered ${said} ${plain}`,
      )
    }
  })
}
