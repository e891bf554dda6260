// Checks the walls of src/ (walls.cjs), and then that each wall still bites: a rule whose pattern no longer matches anything would
// pass for ever. For that, a copy of src/ gets one offence for every rule, and every rule must report it.
import { appendFileSync, cpSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { cruise } from 'dependency-cruiser'
import extractTsConfig from 'dependency-cruiser/config-utl/extract-ts-config'
import { filesBelow, finish, root, scratchFolder } from './support.mjs'
import walls from './walls.cjs'

/** For every rule the file that offends it, and the line that does. */
const offences = {
  'no-cycles': ['lib/digest.ts', "export { randomId } from './random.js'", 'lib/random.ts', "export { sha256 } from './digest.js'"],
  'contracts-are-types': ['users/contract.ts', "import 'node:os'"],
  'one-approver': ['pkce/token.endpoint.ts', "export { approve } from '../sessions/approved-sign-in.js'"],
  'one-problem-writer': ['login/login.endpoint.ts', "export { writeProblem } from '../http/problem.js'"],
  'login-and-pkce-apart': ['login/rehash.ts', "import type { CodeRequest } from '../pkce/authorization-code.js'"],
  'testing-imports-little': ['testing/totp-code.ts', "export { ok } from '../http/answer.js'"],
  'testing-is-apart': ['sessions/sessions.ts', "export { manualClock } from '../testing/manual-clock.js'"],
  'no-dev-dependencies': ['errors.ts', "import type { Test } from 'supertest'"],
  'nothing-unlisted': ['errors.ts', "export { default } from 'body-parser'"],
  'nothing-unresolved': ['errors.ts', "export { gone } from './gone.js'"],
  'src-stays-in-src': ['errors.ts', "export { outside } from '../outside.js'"],
  'floor-ground': ['lib/base32.ts', "export { ok } from '../http/answer.js'"],
  'floor-stores': ['stores/bounded-table.ts', "export { joseSigner } from '../signers/jose-signer.js'"],
  'floor-signers': ['signers/key-material.ts', "export { boundedTable } from '../stores/bounded-table.js'"],
  'floor-passwords': ['passwords/bcrypt-hasher.ts', "export { ok } from '../http/answer.js'"],
  'floor-revocations': ['revocations/revocations.ts', "export { ok } from '../http/answer.js'"],
  'floor-contracts': ['users/contract.ts', "export { ok } from '../http/answer.js'"],
  'floor-http': ['http/input.ts', "export { createThrottle } from '../throttle/throttle.js'"],
  'floor-throttle': ['throttle/throttle.ts', "export { createDescribeMe } from '../users/me.js'"],
  'floor-tokens': ['tokens/access-token.ts', "export { createDescribeMe } from '../users/me.js'"],
  'floor-two-factor': ['two-factor/recovery-codes.ts', "export { createDescribeMe } from '../users/me.js'"],
  'floor-users': ['users/me.ts', "export { createSessions } from '../sessions/sessions.js'"],
  'floor-sessions': ['sessions/logout.endpoint.ts', "export { createSignInDecision } from '../sign-in.js'"],
  'floor-sign-in': ['sign-in.ts', "export { createSignedIn } from './guard/authenticate.js'"],
  'floor-guard': ['guard/principal.ts', "export { createSignInDecision } from '../sign-in.js'"],
  'floor-login': ['login/identifier.ts', "export { tokenEndpoint } from '../pkce/token.endpoint.js'"],
  'floor-pkce': ['pkce/code-challenge.ts', "export { connectHost } from '../connect-host.js'"],
  'floor-assembly': ['connect-host.ts', "export { joseSigner } from './index.js'"],
  'floor-index': ['index.ts', "export { manualClock } from './testing/manual-clock.js'"],
  'exception-resolve-options': ['resolve-options.ts', "export { createRehash } from './login/rehash.js'"],
  'express-at-the-door': ['guard/http-guard.ts', "import type { Request } from 'express'"],
  'speakeasy-in-totp': ['testing/totp-code.ts', "export { default } from 'speakeasy'"],
  'bcrypt-in-worker': ['passwords/hashing-pool.ts', "export { default } from 'bcryptjs'"],
  'piscina-in-pool': ['passwords/bcrypt-hasher.ts', "export { Piscina } from 'piscina'"],
  'passport-in-strategy': ['guard/passport-strategy.ts', "export { Strategy } from 'passport-local'"],
  'jose-in-signers': ['tokens/access-token.ts', "export { SignJWT } from 'jose'"],
  'bowser-in-device-name': ['sessions/sessions.ts', "export { default } from 'bowser'"],
  'kysely-in-sql': ['stores/memory-stores.ts', "export { CompiledQuery } from 'kysely'"],
  'limiter-in-throttle': ['http/endpoint.ts', "export { RateLimiterMemory } from 'rate-limiter-flexible'"],
}

async function cruiseSrc(baseDir) {
  const options = { ...walls.options, baseDir, validate: true, ruleSet: { forbidden: walls.forbidden } }
  const { output } = await cruise(['src'], options, undefined, { tsConfig: extractTsConfig(join(root, 'tsconfig.json')) })
  const modules = output.modules.filter(({ source }) => source.startsWith('src/'))
  return { modules, violations: output.summary.violations }
}

/** What is wrong with src/ itself. */
async function findOffences() {
  const files = filesBelow('src', '.ts')
  const { modules, violations } = await cruiseSrc(root)
  const reasons = new Map(walls.forbidden.map(({ name, comment }) => [name, comment]))
  const problems = violations.map(({ rule, from, to }) => `${from} -> ${to}: ${rule.name}. ${reasons.get(rule.name)}`)
  if (modules.length < files.length) problems.push(`only ${modules.length} of ${files.length} modules were looked at`)
  return { count: modules.length, problems: [...problems, ...homeless(files), ...idleExceptions(modules)] }
}

// A file that belongs to no floor is judged by no floor.
function homeless(files) {
  const homes = (file) => walls.slices.filter(({ patterns }) => patterns.some((pattern) => new RegExp(pattern).test(file)))
  const lost = files
    .filter((file) => !file.startsWith('src/testing/') && homes(file).length !== 1)
    .map((file) => `${file}: belongs to ${homes(file).length} floors of walls.cjs, not to one`)
  const fronts = files
    .filter((file) => basename(file) === 'index.ts' && file !== 'src/index.ts')
    .map((file) => `${file}: only src/index.ts is a front door; a second one hides what is imported from where`)
  return [...lost, ...fronts]
}

function idleExceptions(modules) {
  const used = ({ from, to }) =>
    modules.some(({ source, dependencies }) => source === from && dependencies.some(({ resolved }) => resolved === to))
  return walls.exceptions
    .filter((exception) => !used(exception))
    .map(({ from, to }) => `walls.cjs: the exception ${from} -> ${to} is not needed any more; remove it`)
}

/** Rules that say nothing although src/ offends them. */
async function findToothless() {
  const folder = scratchFolder('walls')
  for (const part of ['src', 'package.json', 'tsconfig.json']) cpSync(join(root, part), join(folder, part), { recursive: true })
  writeFileSync(join(folder, 'outside.ts'), 'export const outside = true\n')
  for (const lines of Object.values(offences)) {
    for (let at = 0; at < lines.length; at += 2) appendFileSync(join(folder, 'src', lines[at]), `${lines[at + 1]}\n`)
  }
  const { violations } = await cruiseSrc(folder)
  const biting = new Set(
    violations
      .filter(({ rule, from }) => (offences[rule.name] ?? []).includes(from.replace('src/', '')))
      .map(({ rule }) => rule.name),
  )
  return walls.forbidden.filter(({ name }) => !biting.has(name)).map(({ name }) => `walls.cjs: the rule ${name} does not bite`)
}

const { count, problems } = await findOffences()
const toothless = await findToothless()
finish('walls', [...problems, ...toothless], `${count} modules, ${walls.forbidden.length} rules kept, each shown to bite`)
