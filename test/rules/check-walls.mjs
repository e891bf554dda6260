// Checks the walls of src/ (walls.cjs), and then that each wall still bites: a rule whose pattern
// no longer matches anything would pass for ever. For that, a copy of src/ gets one offence for
// every rule, and every rule must report it.
import { appendFileSync, cpSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { cruise } from 'dependency-cruiser'
import extractTsConfig from 'dependency-cruiser/config-utl/extract-ts-config'
import { filesBelow, finish, root, scratchFolder } from './support.mjs'
import walls from './walls.cjs'

/** For every rule the file that offends it, and the line that does. */
const offences = {
  'no-cycles': [
    'lib/texts.ts',
    "export { randomId } from './secrets.js'",
    'lib/secrets.ts',
    "export { isOneLine } from './texts.js'",
  ],
  'contracts-are-types': ['users/contract.ts', "import 'node:os'"],
  'one-approver': [
    'pkce/token.endpoint.ts',
    "export { approve } from '../sessions/approved-sign-in.js'",
  ],
  'one-problem-writer': ['login/login.ts', "export { writeProblem } from '../http/problem.js'"],
  'testing-imports-little': ['testing/testing.ts', "export { ok } from '../http/answer.js'"],
  'testing-is-apart': [
    'sessions/sessions.ts',
    "export { manualClock } from '../testing/testing.js'",
  ],
  'client-is-apart': ['guard/scope.ts', "import type { Me } from '../client/wire.js'"],
  'providers-are-apart': [
    'router/metrics.ts',
    "export { openIdProvider } from '../providers/open-id-provider.js'",
  ],
  'directories-are-apart': [
    'router/metrics.ts',
    "export { ldapDirectory } from '../directories/ldap-directory.js'",
  ],
  'node-in-client-node': ['client/wire.ts', "import 'node:os'"],
  'client-core-alone': [
    'client/token-store.ts',
    "export { fileStore } from './node/file-store.js'",
  ],
  'no-dev-dependencies': ['errors.ts', "import type { Test } from 'supertest'"],
  'nothing-unlisted': ['errors.ts', "export { default } from 'body-parser'"],
  'nothing-unresolved': ['errors.ts', "export { gone } from './gone.js'"],
  'src-stays-in-src': ['errors.ts', "export { outside } from '../outside.js'"],
  'floor-ground': ['lib/typed-codes.ts', "import type { Ok } from '../http/answer.js'"],
  'floor-client': ['client/errors.ts', "export type { AuthErrorCode } from '../errors.js'"],
  'floor-doctor': ['doctor/look.ts', "import type { Audit } from '../audit/events.js'"],
  'floor-signers': [
    'signers/key-material.ts',
    "import type { SessionRecord } from '../stores/contract.js'",
  ],
  'floor-passwords': [
    'passwords/bcrypt-hasher.ts',
    "import type { SessionRecord } from '../stores/contract.js'",
  ],
  'floor-providers': [
    'providers/contract.ts',
    "import type { SessionRecord } from '../stores/contract.js'",
  ],
  'floor-directories': [
    'directories/contract.ts',
    "import type { SessionRecord } from '../stores/contract.js'",
  ],
  'floor-users': [
    'users/contract.ts',
    "import type { SessionRecord } from '../stores/contract.js'",
  ],
  'floor-stores': [
    'stores/memory-tables.ts',
    "import type { AuthEvent } from '../audit/events.js'",
  ],
  'floor-audit': ['audit/audit.ts', "import type { Principal } from '../principal/principal.js'"],
  'floor-ground-kit': [
    'kits/ground-kit.ts',
    "import type { Principal } from '../principal/principal.js'",
  ],
  'floor-session-kit': [
    'kits/session-kit.ts',
    "import type { Authentication } from '../guard/authenticate.js'",
  ],
  'floor-sign-in-kit': ['kits/sign-in-kit.ts', "import type { LogIn } from '../login/log-in.js'"],
  'floor-http': ['http/input.ts', "export { createThrottle } from '../throttle/throttle.js'"],
  'floor-admission': [
    'admission/fair-queue.ts',
    "import type { Throttle } from '../throttle/throttle.js'",
  ],
  'floor-two-factor': ['two-factor/recovery-codes.ts', "export { ok } from '../http/answer.js'"],
  'floor-principal': [
    'principal/principal.ts',
    "import type { Sessions } from '../sessions/sessions.js'",
  ],
  'floor-throttle': [
    'throttle/throttle.ts',
    "import type { Sessions } from '../sessions/sessions.js'",
  ],
  'floor-tokens': [
    'tokens/access-token.ts',
    "import type { Sessions } from '../sessions/sessions.js'",
  ],
  'floor-sessions': [
    'sessions/placeholder-session.ts',
    "import type { DecideSignIn } from '../sign-in.js'",
  ],
  'floor-sign-in': ['sign-in.ts', "export { createAuthentication } from './guard/authenticate.js'"],
  'floor-guard': ['guard/key-marks.ts', "import type { DecideSignIn } from '../sign-in.js'"],
  'floor-login': [
    'login/login-request.ts',
    "import type { TokenDeps } from '../pkce/token.endpoint.js'",
  ],
  'floor-pkce': [
    'pkce/authorization-code.ts',
    "import type { LogInDeps } from '../login/log-in.js'",
  ],
  'floor-passkeys': ['passkeys/counter.ts', "import type { LogInDeps } from '../login/log-in.js'"],
  'floor-refresh': ['refresh/refresh.ts', "import type { Me } from '../account/account.js'"],
  'floor-named-tokens': [
    'named-tokens/make-named-token.ts',
    "import type { LogIn } from '../login/log-in.js'",
  ],
  'floor-host-sign-in': [
    'host-sign-in/open-session.ts',
    "import type { LogIn } from '../login/log-in.js'",
  ],
  'floor-oauth': ['oauth/client-auth.ts', "import type { Me } from '../account/account.js'"],
  'floor-pages': ['pages/html.ts', "import type { Me } from '../account/account.js'"],
  'floor-mail': ['mail/mailer.ts', "import type { Me } from '../account/account.js'"],
  'floor-accounts': [
    'accounts/mails.ts',
    "import type { ResolvedOptions } from '../router/resolve-options.js'",
  ],
  'floor-account': [
    'account/device-name.ts',
    "import type { ResolvedOptions } from '../router/resolve-options.js'",
  ],
  'floor-openapi': [
    'openapi/document.ts',
    "import type { AuthRouter } from '../router/auth-router.js'",
  ],
  'floor-cookie': [
    'cookie/cookie.ts',
    "import type { ResolvedOptions } from '../router/resolve-options.js'",
  ],
  'floor-acceptance': [
    'acceptance/acceptance.ts',
    "import type { ResolvedOptions } from '../router/resolve-options.js'",
  ],
  'floor-remembered': [
    'remembered/remembered.ts',
    "import type { ResolvedOptions } from '../router/resolve-options.js'",
  ],
  'floor-deletion': [
    'deletion/deletion.ts',
    "import type { ResolvedOptions } from '../router/resolve-options.js'",
  ],
  'floor-device-links': [
    'device-links/device-links.ts',
    "import type { ResolvedOptions } from '../router/resolve-options.js'",
  ],
  'floor-email-sign-in': [
    'email-sign-in/email-sign-in.ts',
    "import type { ResolvedOptions } from '../router/resolve-options.js'",
  ],
  'floor-provider-sign-in': [
    'provider-sign-in/tickets.ts',
    "import type { AuthRouter } from '../router/auth-router.js'",
  ],
  'floor-directory-sign-in': [
    'directory-sign-in/directories.ts',
    "import type { AuthRouter } from '../router/auth-router.js'",
  ],
  'floor-registration': [
    'registration/invitations.ts',
    "import type { ResolvedOptions } from '../router/resolve-options.js'",
  ],
  'floor-browser': [
    'browser/code-page.ts',
    "import type { ResolvedOptions } from '../router/resolve-options.js'",
  ],
  'floor-router': ['router/metrics.ts', "export { joseSigner } from '../index.js'"],
  'floor-rocketchat': ['rocketchat/mount.ts', "export { joseSigner } from '../index.js'"],
  'floor-admin': ['admin/admin.ts', "export { joseSigner } from '../index.js'"],
  'floor-cli': ['cli/cli.ts', "export { joseSigner } from '../index.js'"],
  'floor-index': ['index.ts', "export { manualClock } from './testing/testing.js'"],
  'express-at-the-door': ['guard/http-guard.ts', "import type { Request } from 'express'"],
  'speakeasy-in-totp': [
    'testing/user-store-contract/harness.ts',
    "export { default } from 'speakeasy'",
  ],
  'bcrypt-in-worker': ['passwords/hashing-pool.ts', "export { default } from 'bcryptjs'"],
  'piscina-in-pool': ['passwords/bcrypt-hasher.ts', "export { Piscina } from 'piscina'"],
  'passport-in-strategy': ['guard/guards.ts', "export { Strategy } from 'passport-local'"],
  'jose-in-signers': ['tokens/access-token.ts', "export { SignJWT } from 'jose'"],
  'bowser-in-device-name': ['sessions/sessions.ts', "export { default } from 'bowser'"],
  'kysely-in-sql': ['stores/memory-stores.ts', "export { CompiledQuery } from 'kysely'"],
  'argon2-in-reader': ['passwords/readers/pbkdf2.ts', "export { hashRaw } from '@node-rs/argon2'"],
  'react-in-client': ['client/client.ts', "export { useState } from 'react'"],
  'simplewebauthn-in-verifier': [
    'passkeys/counter.ts',
    "export { verifyAuthenticationResponse } from '@simplewebauthn/server'",
  ],
  'openid-client-in-providers': ['router/metrics.ts', "export { discovery } from 'openid-client'"],
  'ldapts-in-directories': ['router/metrics.ts', "export { Client } from 'ldapts'"],
  'limiter-in-throttle': [
    'http/endpoint.ts',
    "export { RateLimiterMemory } from 'rate-limiter-flexible'",
  ],
}

async function cruiseSrc(baseDir) {
  const options = {
    ...walls.options,
    baseDir,
    validate: true,
    ruleSet: { forbidden: walls.forbidden },
  }
  const { output } = await cruise(['src'], options, undefined, {
    tsConfig: extractTsConfig(join(root, 'tsconfig.json')),
  })
  const modules = output.modules.filter(({ source }) => source.startsWith('src/'))
  return { modules, violations: output.summary.violations }
}

/** What is wrong with src/ itself. */
async function findOffences() {
  const files = filesBelow('src', '.ts')
  const { modules, violations } = await cruiseSrc(root)
  const reasons = new Map(walls.forbidden.map(({ name, comment }) => [name, comment]))
  const problems = violations.map(
    ({ rule, from, to }) => `${from} -> ${to}: ${rule.name}. ${reasons.get(rule.name)}`,
  )
  if (modules.length < files.length)
    problems.push(`only ${modules.length} of ${files.length} modules were looked at`)
  return { count: modules.length, problems: [...problems, ...homeless(files)] }
}

// No rule is applied to a file that belongs to no floor.
function homeless(files) {
  const homes = (file) =>
    walls.rooms.filter(({ patterns }) => patterns.some((pattern) => new RegExp(pattern).test(file)))
  const lost = files
    .filter((file) => !file.startsWith('src/testing/') && homes(file).length !== 1)
    .map((file) => `${file}: belongs to ${homes(file).length} floors of walls.cjs, not to one`)
  const fronts = files
    .filter((file) => basename(file) === 'index.ts' && file !== 'src/index.ts')
    .map(
      (file) =>
        `${file}: only src/index.ts is a front door; a second one hides what is imported from ` +
        'where',
    )
  return [...lost, ...fronts]
}

/** Rules that say nothing although src/ offends them. */
async function findToothless() {
  const folder = scratchFolder('walls')
  for (const part of ['src', 'package.json', 'tsconfig.json'])
    cpSync(join(root, part), join(folder, part), { recursive: true })
  writeFileSync(join(folder, 'outside.ts'), 'export const outside = true\n')
  for (const lines of Object.values(offences)) {
    for (let at = 0; at < lines.length; at += 2)
      appendFileSync(join(folder, 'src', lines[at]), `${lines[at + 1]}\n`)
  }
  const { violations } = await cruiseSrc(folder)
  const biting = new Set(
    violations
      .filter(({ rule, from }) => (offences[rule.name] ?? []).includes(from.replace('src/', '')))
      .map(({ rule }) => rule.name),
  )
  return walls.forbidden
    .filter(({ name }) => !biting.has(name))
    .map(({ name }) => `walls.cjs: the rule ${name} does not bite`)
}

const { count, problems } = await findOffences()
const toothless = await findToothless()
finish(
  'walls',
  [...problems, ...toothless],
  `${count} modules, ${walls.forbidden.length} rules kept, each shown to bite`,
)
