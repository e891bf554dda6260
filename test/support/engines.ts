/**
 * Whether a test that holds for every database runs over each of them: `npm run test:all -- --only
 * engines` sets ENGINES=all. Else over SQLite and PostgreSQL, and Redis through one of its two
 * libraries.
 */
export const everyEngine: boolean = process.env['ENGINES'] === 'all'
