// Which test file runs when. The promises decide: a file that test/promises.md names is run with
// every change, in `npm test` where it is quick and in `npm run test:long` where it is slow. Of the
// others the quick ones are `npm run test:rest`, and the slow ones wait for `npm run test:all`.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisedFiles } from './promises.mjs'
import { filesBelow, root } from './support.mjs'

/**
 * Seconds each: pages in a browser, processes, databases that are started, hashes and codes that
 * are raced, drawn input, attacks in a hundred spellings. More than two, on two cores that do
 * nothing else.
 */
const slow = new Set([
  'test/account/password-changed.attack.test.ts',
  'test/account/who-did-it.test.ts',
  'test/accounts/broken-users.attack.test.ts',
  'test/accounts/email-factor.attack.test.ts',
  'test/accounts/limits.attack.test.ts',
  'test/accounts/links.attack.test.ts',
  'test/accounts/takeover-doors.attack.test.ts',
  'test/accounts/takeover.attack.test.ts',
  'test/acting/acting.attack.test.ts',
  'test/admin/admin.test.ts',
  'test/admin/program.test.ts',
  'test/admin/redis.test.ts',
  'test/client/another-user.attack.test.ts',
  'test/client/device-links.test.ts',
  'test/client/hostile-server.attack.test.ts',
  'test/client/oauth-chromium.test.ts',
  'test/client/passkeys-chromium.test.ts',
  'test/client/passkeys.test.ts',
  'test/client/popup.attack.test.ts',
  'test/client/refresh.attack.test.ts',
  'test/client/socket-io.test.ts',
  'test/client/socket.test.ts',
  'test/client/three-processes.attack.test.ts',
  'test/client/two-tabs.attack.test.ts',
  'test/client/types.test.ts',
  'test/contract/memory-stores.test.ts',
  'test/contract/redis-stores.test.ts',
  'test/contract/sqlite-stores.test.ts',
  'test/cookie/browser.attack.test.ts',
  'test/cookie/cookie.attack.test.ts',
  'test/cookie/page-socket.attack.test.ts',
  'test/cookie/request-origin.attack.test.ts',
  'test/deletion/deletion.test.ts',
  'test/deletion/every-step.attack.test.ts',
  'test/device-links/device-links.attack.test.ts',
  'test/device-links/lost-answers.attack.test.ts',
  'test/device-links/many-links.attack.test.ts',
  'test/directories/active-directory.test.ts',
  'test/directories/openldap.test.ts',
  'test/directories/outages.test.ts',
  'test/directory-sign-in/directory-sign-in.attack.test.ts',
  'test/directory-sign-in/directory-sign-in.test.ts',
  'test/directory-sign-in/openldap.test.ts',
  'test/directory-sign-in/watch.test.ts',
  'test/docs/accounts.test.ts',
  'test/docs/clients-react.test.ts',
  'test/docs/cookies.test.ts',
  'test/docs/http-api.test.ts',
  'test/docs/moving.test.ts',
  'test/docs/passkeys.test.ts',
  'test/docs/providers.test.ts',
  'test/docs/readme.test.ts',
  'test/docs/recipes.test.ts',
  'test/docs/user-store-recipes.test.ts',
  'test/doctor/doctor.test.ts',
  'test/doctor/hostile.attack.test.ts',
  'test/email-sign-in/email-sign-in.attack.test.ts',
  'test/example-app/account-page.test.ts',
  'test/example-app/cli.test.ts',
  'test/example-app/database-file.test.ts',
  'test/example-app/device-link.test.ts',
  'test/example-app/directories.test.ts',
  'test/example-app/encryption-keys.test.ts',
  'test/example-app/example-app.test.ts',
  'test/example-app/mail.test.ts',
  'test/example-app/phones.test.ts',
  'test/example-app/metrics.test.ts',
  'test/example-app/new-database-file.test.ts',
  'test/example-app/page.test.ts',
  'test/example-app/providers.test.ts',
  'test/example-app/start.test.ts',
  'test/example-app/wiki.test.ts',
  'test/guard/enrolment-policy.attack.test.ts',
  'test/guard/page-socket-io-in-browser.attack.test.ts',
  'test/guard/page-socket-io.attack.test.ts',
  'test/guard/page-socket-io.test.ts',
  'test/guard/scope-at-every-guard.attack.test.ts',
  'test/guard/socket-io-recovery.attack.test.ts',
  'test/guard/socket-io.test.ts',
  'test/guard/sockets.test.ts',
  'test/guard/upgrade-event-loop.attack.test.ts',
  'test/host-failures/adapter-errors.attack.test.ts',
  'test/host-failures/asked-again.attack.test.ts',
  'test/host-failures/clocks.attack.test.ts',
  'test/host-failures/every-call-1.attack.test.ts',
  'test/host-failures/every-call-2.attack.test.ts',
  'test/host-failures/host-failures.attack.test.ts',
  'test/http/event-loop.attack.test.ts',
  'test/http/every-header.attack.test.ts',
  'test/http/parsers.attack.test.ts',
  'test/login/other-factors.attack.test.ts',
  'test/login/slow-morning.test.ts',
  'test/named-tokens/named-tokens.attack.test.ts',
  'test/oauth/asked-for.test.ts',
  'test/oauth/backchannel-logout.attack.test.ts',
  'test/oauth/backchannel-queue.attack.test.ts',
  'test/oauth/client-documents/client-documents.attack.test.ts',
  'test/oauth/device/device.attack.test.ts',
  'test/oauth/device/volume.attack.test.ts',
  'test/oauth/invented-clients.attack.test.ts',
  'test/oauth/logout.attack.test.ts',
  'test/oauth/metadata-true.test.ts',
  'test/oauth/oidcc-basic.test.ts',
  'test/oauth/other-spellings.attack.test.ts',
  'test/oauth/service-clients.attack.test.ts',
  'test/oauth/still-allowed.attack.test.ts',
  'test/oauth/token.attack.test.ts',
  'test/oauth/told-once.attack.test.ts',
  'test/openapi/openapi.test.ts',
  'test/pages/account/account.attack.test.ts',
  'test/pages/account/code.test.ts',
  'test/pages/account/forgot.attack.test.ts',
  'test/pages/account/forgot.test.ts',
  'test/pages/account/in-browser.test.ts',
  'test/pages/account/link-in-browser.test.ts',
  'test/pages/account/link.attack.test.ts',
  'test/pages/browser.test.ts',
  'test/pages/conformance.test.ts',
  'test/pages/mounted/any-order.attack.test.ts',
  'test/pages/mounted/arrives.test.ts',
  'test/pages/mounted/double-click.attack.test.ts',
  'test/pages/mounted/every-answer.attack.test.ts',
  'test/pages/mounted/hand-over.test.ts',
  'test/pages/mounted/late-forms.test.ts',
  'test/pages/mounted/late-tabs.test.ts',
  'test/pages/mounted/looks.test.ts',
  'test/pages/mounted/names.attack.test.ts',
  'test/pages/mounted/own-pages-in-browser.test.ts',
  'test/pages/mounted/own-pages.attack.test.ts',
  'test/pages/mounted/own-pages.test.ts',
  'test/pages/mounted/passkeys.attack.test.ts',
  'test/pages/mounted/passkeys.test.ts',
  'test/pages/mounted/providers-in-browser.test.ts',
  'test/pages/mounted/providers.attack.test.ts',
  'test/pages/mounted/providers.test.ts',
  'test/pages/mounted/replay-first-answer.test.ts',
  'test/pages/mounted/tabs-at-once.attack.test.ts',
  'test/pages/mounted/whose-enrolment.attack.test.ts',
  'test/passkeys/browser.test.ts',
  'test/passkeys/cost.test.ts',
  'test/passkeys/management.attack.test.ts',
  'test/passkeys/mutated.attack.test.ts',
  'test/passkeys/outages.attack.test.ts',
  'test/passkeys/passkey-factor.attack.test.ts',
  'test/passkeys/refusals.attack.test.ts',
  'test/passkeys/sign-in.attack.test.ts',
  'test/passkeys/ways-in.test.ts',
  'test/passwords/combined-hasher.test.ts',
  'test/passwords/prepared-threads.test.ts',
  'test/passwords/readers.attack.test.ts',
  'test/passwords/readers.test.ts',
  'test/passwords/worker-death.attack.test.ts',
  'test/pkce/host-codes.attack.test.ts',
  'test/properties/session-machine.attack.test.ts',
  'test/properties/session-races.attack.test.ts',
  'test/properties/store-answers.attack.test.ts',
  'test/properties/texts.attack.test.ts',
  'test/provider-sign-in/logout-load.attack.test.ts',
  'test/provider-sign-in/provider-sign-in.attack.test.ts',
  'test/providers/logout-token.attack.test.ts',
  'test/providers/outages.attack.test.ts',
  'test/refresh/honest-refresh.attack.test.ts',
  'test/refresh/refresh.attack.test.ts',
  'test/refresh/stolen-refresh.attack.test.ts',
  'test/registration/invitations.attack.test.ts',
  'test/registration/limits.attack.test.ts',
  'test/registration/registration.attack.test.ts',
  'test/registration/registration.test.ts',
  'test/regressions/doors-of-apps.attack.test.ts',
  'test/regressions/regular-expressions.attack.test.ts',
  'test/rocketchat/login.test.ts',
  'test/router/metrics-cost.test.ts',
  'test/router/stats.test.ts',
  'test/sessions/changed-password.attack.test.ts',
  'test/sessions/ends-with-parent.attack.test.ts',
  'test/sessions/in-flight.attack.test.ts',
  'test/sessions/replacing.attack.test.ts',
  'test/signers/id-tokens.attack.test.ts',
  'test/signers/key-store-outage.attack.test.ts',
  'test/signers/rs256-ring.test.ts',
  'test/stores/id-token-keys.test.ts',
  'test/stores/oauth-stores.test.ts',
  'test/stores/postgres-bus.test.ts',
  'test/stores/redis-bus.test.ts',
  'test/stores/redis-cluster.test.ts',
  'test/stores/redis-lost-owners.attack.test.ts',
  'test/stores/sql-audit.attack.test.ts',
  'test/stores/sql-audit.test.ts',
  'test/stores/sql-indexes.test.ts',
  'test/stores/sql-migrations.test.ts',
  'test/stores/sql-schema.test.ts',
  'test/stores/sql-stores.test.ts',
  'test/surface/build.test.ts',
  'test/surface/import.test.ts',
  'test/testing/store-contract.test.ts',
  'test/testing/two-processes.test.ts',
  'test/throttle/dry-run.test.ts',
  'test/throttle/issuing.attack.test.ts',
  'test/throttle/names.attack.test.ts',
  'test/throttle/networks.attack.test.ts',
  'test/throttle/stores.test.ts',
  'test/throttle/window.test.ts',
  'test/two-factor/faults.attack.test.ts',
  'test/two-factor/guesses.attack.test.ts',
  'test/two-factor/races.attack.test.ts',
  'test/two-factor/total.attack.test.ts',
  'test/two-processes/one-wins.attack.test.ts',
])

/** One quick file of each room of `src/` that has no quick promise: the first to fail for it. */
const smoke = new Set([
  'test/admin/databases.test.ts',
  'test/directories/options.test.ts',
  'test/directory-sign-in/leaving.test.ts',
  'test/doctor/program.test.ts',
  'test/email-sign-in/email-sign-in.test.ts',
  'test/host-sign-in/open-session.attack.test.ts',
  'test/mail/mails.test.ts',
  'test/openapi/described.test.ts',
  'test/passkeys/sign-in.test.ts',
  'test/phones/toll-fraud.attack.test.ts',
  'test/refresh/refresh.test.ts',
  'test/registration/invitations.test.ts',
  'test/testing/user-store-contract.test.ts',
  'test/users/describe-user.attack.test.ts',
])

/** What only databases show that the usual run leaves out: `npm run test:all -- --only engines`. */
const onlyEngines = new Set([
  'test/contract/mariadb-stores.test.ts',
  'test/contract/pglite-stores.test.ts',
  'test/contract/postgres-stores.test.ts',
  'test/docs/adding-a-capability.test.ts',
  'test/docs/mongodb-recipe.test.ts',
  'test/login/rehash-marks.attack.test.ts',
  'test/stores/redis-lost-keys.attack.test.ts',
  'test/stores/sql-texts.attack.test.ts',
])

/** Suites with settings of their own, or with packages of their own. */
const elsewhere = new Set(['bench', 'hosts', 'oauth-clients', 'outages', 'recipes', 'timing'])

/** Of `outages`, and run by `.ci/run` all the same: test/rules/smoke.mjs. */
const smoked = new Set(['test/outages/example-restart.test.ts'])

/** @typedef {'test' | 'rest' | 'long' | 'further' | 'engines'} Tier */

/** The test files that vitest.config.ts runs, sorted. */
export const testFiles = readdirSync(join(root, 'test'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !elsewhere.has(entry.name))
  .flatMap(({ name }) => filesBelow(`test/${name}`, '.test.ts'))
  .sort()

/** @returns {Tier | undefined} Undefined for a file of another suite. */
export function tierOf(file) {
  if (elsewhere.has(file.split('/')[1])) return undefined
  const isPromise = promisedFiles.has(file)
  if (slow.has(file)) return isPromise ? 'long' : 'further'
  if (onlyEngines.has(file)) return isPromise ? 'long' : 'engines'
  return isPromise || smoke.has(file) ? 'test' : 'rest'
}

/** The test files of a tier. */
export const filesOf = (tier) => testFiles.filter((file) => tierOf(file) === tier)

/** Whether each change is judged by this file. */
export const isRunByCi = (file) =>
  smoked.has(file) || ['test', 'rest', 'long'].includes(tierOf(file))

/** Those whose text this is found in. */
export const testsWith = (what) =>
  testFiles.filter((file) => what.test(readFileSync(join(root, file), 'utf8')))

/** Tests that run over each database there is where ENGINES=all. */
export const engineTests = [
  ...new Set([
    ...testsWith(
      /from '.*\/(databases|redis-clients|shared-stores|engines|arena|sql-contract)\.js'/,
    ),
    ...onlyEngines,
  ]),
].filter((file) => !/^test\/contract\/(?:memory|sqlite)-stores/.test(file))

/** Tests whose input is drawn, ten times as often where ROUNDS=10. */
export const roundTests = testsWith(/from '.*\/rounds\.js'/)
