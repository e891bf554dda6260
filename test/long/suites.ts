import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
// Packages of their own, with thousands of files of others, and suites with settings of their own.
const elsewhere = ['bench', 'hosts', 'oauth-clients', 'outages', 'recipes', 'timing']

/** The tests of `npm test`, `test:long` and `test:engines`. */
const tests = readdirSync(join(root, 'test'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !elsewhere.includes(entry.name))
  .flatMap(({ name }) => {
    const below = readdirSync(join(root, 'test', name), { recursive: true, encoding: 'utf8' })
    return below.map((path) => join('test', name, path))
  })
  .filter((path) => path.endsWith('.test.ts'))
  .sort()

/** Those whose text this is found in. */
export function testsWith(what: RegExp): readonly string[] {
  return tests.filter((path) => what.test(readFileSync(join(root, path), 'utf8')))
}

/** What stands in a test that cannot share a process with others. */
export const ownProcess: RegExp =
  /\bvi\.(?:mock|doMock|hoisted|resetModules)\b|import '.*\/steps\.js'/

/**
 * Tests that take a minute or more together: pages in a browser, processes, clusters, hashes and
 * codes that are raced, the store contract. They run as `npm run test:long`, so that `npm test`
 * stays quick.
 */
export const longTests: readonly string[] = [
  'test/admin/program.test.ts',
  'test/client/react.test.ts',
  'test/client/socket-io.test.ts',
  'test/client/socket.test.ts',
  'test/contract/redis-stores.test.ts',
  'test/contract/sqlite-stores.test.ts',
  'test/example-app/example-app.test.ts',
  'test/example-app/users.test.ts',
  'test/guard/page-socket-io-in-browser.attack.test.ts',
  'test/guard/socket-io-joins.attack.test.ts',
  'test/http/event-loop.attack.test.ts',
  'test/oauth/client-documents/client-documents.attack.test.ts',
  'test/oauth/nothing-without.test.ts',
  'test/pages/mounted/consent.attack.test.ts',
  'test/pages/mounted/every-answer.attack.test.ts',
  'test/pages/mounted/flow.attack.test.ts',
  'test/pages/mounted/foreign-forms.attack.test.ts',
  'test/pages/mounted/names.attack.test.ts',
  'test/pages/mounted/outages.attack.test.ts',
  'test/passkeys/management.attack.test.ts',
  'test/passkeys/outages.attack.test.ts',
  'test/properties/session-races.attack.test.ts',
  'test/refresh/stolen-refresh.attack.test.ts',
  'test/sessions/replacing.attack.test.ts',
  'test/signers/signing-algorithms.test.ts',
  'test/stores/housekeeping-clocks.attack.test.ts',
  'test/stores/oauth-stores.test.ts',
  'test/stores/postgres-bus.test.ts',
  'test/stores/redis-bus.test.ts',
  'test/stores/sql-indexes.test.ts',
  'test/stores/sql-missing-tables.test.ts',
  'test/stores/sql-stores.test.ts',
  'test/throttle/stores.test.ts',
  'test/two-factor/guesses.attack.test.ts',
  'test/two-factor/races.attack.test.ts',
]

/**
 * Tests that each take seconds, though they need nothing but the processor: attacks in a hundred
 * spellings, bursts, drawn input. They run as `npm run test:long` too, in processes that they
 * share.
 */
export const slowTests: readonly string[] = [
  'test/account/password-changed.attack.test.ts',
  'test/account/who-did-it.test.ts',
  'test/accounts/email-factor.attack.test.ts',
  'test/accounts/links.attack.test.ts',
  'test/accounts/outages.attack.test.ts',
  'test/accounts/takeover-doors.attack.test.ts',
  'test/accounts/takeover.attack.test.ts',
  'test/admin/admin.test.ts',
  'test/admin/databases.test.ts',
  'test/admission/admission.attack.test.ts',
  'test/client/another-user.attack.test.ts',
  'test/client/device-links.test.ts',
  'test/client/oauth.attack.test.ts',
  'test/client/passkeys.test.ts',
  'test/client/popup.attack.test.ts',
  'test/client/refresh.attack.test.ts',
  'test/contract/memory-stores.test.ts',
  'test/cookie/browser-session.attack.test.ts',
  'test/cookie/cookie.attack.test.ts',
  'test/cookie/page-socket.attack.test.ts',
  'test/cookie/request-origin.attack.test.ts',
  'test/deletion/deletion.test.ts',
  'test/device-links/approving.attack.test.ts',
  'test/device-links/device-links.attack.test.ts',
  'test/device-links/device-links.test.ts',
  'test/device-links/lost-answers.attack.test.ts',
  'test/device-links/two-nodes.attack.test.ts',
  'test/docs/clients.test.ts',
  'test/docs/http-api.test.ts',
  'test/docs/monitoring.test.ts',
  'test/docs/recipes.test.ts',
  'test/email-sign-in/email-sign-in.attack.test.ts',
  'test/guard/enrolment-policy.attack.test.ts',
  'test/guard/page-socket-io.attack.test.ts',
  'test/guard/page-socket-io.test.ts',
  'test/guard/scope-at-every-guard.attack.test.ts',
  'test/guard/socket-io-recovery.attack.test.ts',
  'test/guard/socket-io.test.ts',
  'test/guard/sockets.test.ts',
  'test/guard/upgrade-event-loop.attack.test.ts',
  'test/guard/warm-and-cold.attack.test.ts',
  'test/host-failures/adapter-errors.attack.test.ts',
  'test/host-failures/clocks.attack.test.ts',
  'test/host-failures/host-failures.attack.test.ts',
  'test/http/parsers.attack.test.ts',
  'test/login/login.attack.test.ts',
  'test/login/other-factors.attack.test.ts',
  'test/named-tokens/named-tokens.attack.test.ts',
  'test/oauth/asked-for.test.ts',
  'test/oauth/authorize.attack.test.ts',
  'test/oauth/backchannel-logout.attack.test.ts',
  'test/oauth/backchannel-queue.attack.test.ts',
  'test/oauth/client-documents/client-documents.test.ts',
  'test/oauth/device/device.attack.test.ts',
  'test/oauth/device/phishing.attack.test.ts',
  'test/oauth/ends-everywhere.attack.test.ts',
  'test/oauth/further-apis.attack.test.ts',
  'test/oauth/logout.attack.test.ts',
  'test/oauth/metadata-true.test.ts',
  'test/oauth/oidcc-basic.test.ts',
  'test/oauth/other-spellings.attack.test.ts',
  'test/oauth/passkeys.test.ts',
  'test/oauth/redirect-uri.attack.test.ts',
  'test/oauth/service-clients.attack.test.ts',
  'test/oauth/still-allowed.attack.test.ts',
  'test/oauth/token.attack.test.ts',
  'test/openapi/openapi.test.ts',
  'test/openapi/refusals.test.ts',
  'test/pages/account/account.attack.test.ts',
  'test/pages/account/code.test.ts',
  'test/pages/account/email.test.ts',
  'test/pages/account/forgot.attack.test.ts',
  'test/pages/account/forgot.test.ts',
  'test/pages/account/link.attack.test.ts',
  'test/pages/account/link.test.ts',
  'test/pages/conformance.test.ts',
  'test/pages/mounted/any-order.attack.test.ts',
  'test/pages/mounted/bytes.test.ts',
  'test/pages/mounted/consent-apis.attack.test.ts',
  'test/pages/mounted/late-forms.test.ts',
  'test/pages/mounted/new-secret.attack.test.ts',
  'test/pages/mounted/own-pages.attack.test.ts',
  'test/pages/mounted/own-pages.test.ts',
  'test/pages/mounted/passkeys.attack.test.ts',
  'test/pages/mounted/providers.attack.test.ts',
  'test/pages/mounted/providers.test.ts',
  'test/passkeys/kept-codes.attack.test.ts',
  'test/passkeys/passkey-factor.attack.test.ts',
  'test/passkeys/refusals.attack.test.ts',
  'test/passkeys/sign-in.attack.test.ts',
  'test/passkeys/stolen-password.attack.test.ts',
  'test/passkeys/ways-in.test.ts',
  'test/passkeys/what-is-left.attack.test.ts',
  'test/passwords/prepared-threads.test.ts',
  'test/passwords/readers.attack.test.ts',
  'test/passwords/worker-death.attack.test.ts',
  'test/pkce/host-codes.attack.test.ts',
  'test/properties/store-answers.attack.test.ts',
  'test/properties/texts.attack.test.ts',
  'test/provider-sign-in/hosts.attack.test.ts',
  'test/provider-sign-in/provider-sign-in.attack.test.ts',
  'test/provider-sign-in/two-nodes.attack.test.ts',
  'test/providers/id-token.attack.test.ts',
  'test/providers/logout-token.attack.test.ts',
  'test/providers/outages.attack.test.ts',
  'test/refresh/refresh.attack.test.ts',
  'test/registration/invitations.attack.test.ts',
  'test/registration/registration.attack.test.ts',
  'test/registration/registration.test.ts',
  'test/regressions/cve-tokens.attack.test.ts',
  'test/regressions/doors-of-apps.attack.test.ts',
  'test/regressions/doors.attack.test.ts',
  'test/regressions/host-process.attack.test.ts',
  'test/regressions/regular-expressions.attack.test.ts',
  'test/rocketchat/login.test.ts',
  'test/router/stats.test.ts',
  'test/sessions/in-flight.attack.test.ts',
  'test/signers/id-tokens.attack.test.ts',
  'test/signers/key-store-outage.attack.test.ts',
  'test/stores/redis-cluster.test.ts',
  'test/stores/redis-cutoff.test.ts',
  'test/stores/redis-lost-owners.attack.test.ts',
  'test/stores/sql-audit.attack.test.ts',
  'test/stores/sql-conflicts.test.ts',
  'test/stores/sql-schema.test.ts',
  'test/surface/import.test.ts',
  'test/throttle/dry-run.test.ts',
  'test/throttle/networks.attack.test.ts',
  'test/throttle/outage.attack.test.ts',
  'test/throttle/parallel.attack.test.ts',
  'test/throttle/round-trips.test.ts',
  'test/throttle/second-factor.attack.test.ts',
  'test/throttle/shared-names.attack.test.ts',
  'test/throttle/unlock.test.ts',
  'test/throttle/window.test.ts',
  'test/two-factor/faults.attack.test.ts',
]

/**
 * What `npm run test:engines` repeats over more databases than the files above, and nobody else
 * runs.
 */
const furtherEngines: readonly string[] = [
  'test/contract/mariadb-stores.test.ts',
  'test/contract/pglite-stores.test.ts',
  'test/contract/postgres-stores.test.ts',
  'test/docs/adding-a-capability.test.ts',
  'test/docs/mongodb-recipe.test.ts',
  'test/login/rehash-marks.attack.test.ts',
  'test/passkeys/two-processes.attack.test.ts',
  'test/stores/redis-lost-keys.attack.test.ts',
  'test/stores/sql-texts.attack.test.ts',
]

/**
 * What takes longest, and changes least often what it says: races between processes for one more
 * capability, pages in a browser and in the example, migrations, random input, limits that are
 * reached, figures, documents from top to bottom. They run as `npm run test:further`, so that
 * `npm run test:long` stays below ten minutes; `.ci/run` leaves them to `npm run test:all`.
 */
export const furtherTests: readonly string[] = [
  'test/accounts/broken-users.attack.test.ts',
  'test/accounts/limits.attack.test.ts',
  'test/accounts/two-processes.attack.test.ts',
  'test/admin/redis.test.ts',
  'test/client/hostile-server.attack.test.ts',
  'test/client/oauth-chromium.test.ts',
  'test/client/passkeys-chromium.test.ts',
  'test/client/three-processes.attack.test.ts',
  'test/client/two-tabs.attack.test.ts',
  'test/client/types.test.ts',
  'test/cookie/browser.attack.test.ts',
  'test/deletion/every-step.attack.test.ts',
  'test/device-links/many-links.attack.test.ts',
  'test/docs/accounts.test.ts',
  'test/docs/clients-react.test.ts',
  'test/docs/cookies.test.ts',
  'test/docs/moving.test.ts',
  'test/docs/passkeys.test.ts',
  'test/docs/providers.test.ts',
  'test/docs/readme.test.ts',
  'test/docs/user-store-recipes.test.ts',
  'test/doctor/doctor.test.ts',
  'test/doctor/hostile.attack.test.ts',
  'test/example-app/account-page.test.ts',
  'test/example-app/cli.test.ts',
  'test/example-app/database-file.test.ts',
  'test/example-app/device-link.test.ts',
  'test/example-app/encryption-keys.test.ts',
  'test/example-app/mail.test.ts',
  'test/example-app/metrics.test.ts',
  'test/example-app/new-database-file.test.ts',
  'test/example-app/page.test.ts',
  'test/example-app/providers.test.ts',
  'test/example-app/start.test.ts',
  'test/example-app/wiki.test.ts',
  'test/host-failures/every-call.attack.test.ts',
  'test/http/every-header.attack.test.ts',
  'test/login/slow-morning.test.ts',
  'test/oauth/device/two-processes.attack.test.ts',
  'test/oauth/device/volume.attack.test.ts',
  'test/oauth/invented-clients.attack.test.ts',
  'test/oauth/outages.attack.test.ts',
  'test/oauth/told-once.attack.test.ts',
  'test/oauth/two-processes.attack.test.ts',
  'test/pages/account/in-browser.test.ts',
  'test/pages/account/link-in-browser.test.ts',
  'test/pages/browser.test.ts',
  'test/pages/mounted/arrives.test.ts',
  'test/pages/mounted/double-click.attack.test.ts',
  'test/pages/mounted/hand-over.test.ts',
  'test/pages/mounted/late-tabs.test.ts',
  'test/pages/mounted/looks.test.ts',
  'test/pages/mounted/own-pages-in-browser.test.ts',
  'test/pages/mounted/passkeys-looks.test.ts',
  'test/pages/mounted/passkeys.test.ts',
  'test/pages/mounted/providers-in-browser.test.ts',
  'test/pages/mounted/providers-looks.test.ts',
  'test/pages/mounted/replay-first-answer.test.ts',
  'test/pages/mounted/tabs-at-once.attack.test.ts',
  'test/pages/mounted/whose-enrolment.attack.test.ts',
  'test/passkeys/browser.test.ts',
  'test/passkeys/cost.test.ts',
  'test/passkeys/mutated.attack.test.ts',
  'test/passwords/combined-hasher.test.ts',
  'test/passwords/readers.test.ts',
  'test/properties/session-machine.attack.test.ts',
  'test/provider-sign-in/logout-load.attack.test.ts',
  'test/refresh/honest-refresh.attack.test.ts',
  'test/registration/limits.attack.test.ts',
  'test/registration/two-processes.attack.test.ts',
  'test/router/metrics-cost.test.ts',
  'test/sessions/changed-password.attack.test.ts',
  'test/sessions/ends-with-parent.attack.test.ts',
  'test/signers/rs256-ring.test.ts',
  'test/stores/id-token-keys.test.ts',
  'test/stores/sql-audit.test.ts',
  'test/stores/sql-migrations.test.ts',
  'test/surface/build.test.ts',
  'test/testing/page-contract.test.ts',
  'test/testing/store-contract.test.ts',
  'test/testing/two-processes.test.ts',
  'test/throttle/issuing.attack.test.ts',
  'test/throttle/names.attack.test.ts',
  'test/two-factor/total.attack.test.ts',
]

/** What `npm test` leaves to the suites above. */
export const outsideNpmTest: readonly string[] = [
  ...longTests,
  ...slowTests,
  ...furtherEngines,
  ...furtherTests,
]

/** Tests that run over each database there is where ENGINES=all: `npm run test:engines`. */
export const engineTests: readonly string[] = [
  ...new Set([
    ...testsWith(
      /from '.*\/(databases|redis-clients|shared-stores|engines|arena|sql-contract)\.js'/,
    ),
    ...furtherEngines,
  ]),
].filter((path) => !['memory', 'sqlite'].some((one) => isContractOf(path, one)))

/** Tests whose input is drawn, ten times as often where ROUNDS=10: `npm run test:rounds`. */
export const roundTests: readonly string[] = testsWith(/from '.*\/rounds\.js'/)

function isContractOf(path: string, name: string): boolean {
  return path === `test/contract/${name}-stores.test.ts`
}
