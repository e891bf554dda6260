/**
 * Tests that take a minute or more together: the store contract on further engines, a thousand
 * rounds of honest clients, hashes that are raced, pages in a browser, clusters. They run as
 * `npm run test:long`, so that `npm test` stays quick.
 */
export const longTests: readonly string[] = [
  'test/contract/mariadb-stores.test.ts',
  'test/contract/pglite-stores.test.ts',
  'test/contract/redis-stores.test.ts',
  'test/cookie/browser.attack.test.ts',
  'test/docs/mongodb-recipe.test.ts',
  'test/example-app/database-file.test.ts',
  'test/example-app/encryption-keys.test.ts',
  'test/example-app/example-app.test.ts',
  'test/example-app/page.test.ts',
  'test/example-app/second-factor-page.test.ts',
  'test/http/event-loop.attack.test.ts',
  'test/login/rehash-marks.attack.test.ts',
  'test/passwords/combined-hasher.test.ts',
  'test/refresh/honest-refresh.attack.test.ts',
  'test/sessions/changed-password.attack.test.ts',
  'test/stores/housekeeping-clocks.attack.test.ts',
  'test/stores/redis-lost-keys.attack.test.ts',
  'test/stores/rolling-upgrade.test.ts',
  'test/stores/sql-indexes.test.ts',
  'test/stores/sql-migrations.test.ts',
  'test/stores/sql-texts.attack.test.ts',
  'test/testing/two-processes.test.ts',
]
