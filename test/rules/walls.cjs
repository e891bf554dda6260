// The walls of src/: which module may import which. Read by check-walls.mjs, which also proves that every rule here still bites.

/**
 * The floors, lowest first. A slice may import values from its own slice and from the floors below it. Slices on one floor do not
 * import each other. Types are free everywhere: they are gone at run time, and sharing them is how slices agree.
 */
const floors = [
  { ground: ['lib/', 'errors\\.ts$', 'events\\.ts$', 'event-counts\\.ts$'] },
  {
    stores: ['stores/'],
    signers: ['signers/'],
    passwords: ['passwords/'],
    revocations: ['revocations/'],
    contracts: ['users/contract\\.ts$'],
  },
  { http: ['http/', 'options\\.ts$', 'resolve-options\\.ts$'] },
  { throttle: ['throttle/'] },
  { tokens: ['tokens/'], 'two-factor': ['two-factor/'], users: ['users/(?!contract\\.ts$)'] },
  { sessions: ['sessions/'] },
  { 'sign-in': ['sign-in\\.ts$'], guard: ['guard/'] },
  { login: ['login/'], pkce: ['pkce/'] },
  {
    assembly: [
      'create-auth-router\\.ts$',
      'assemble\\.ts$',
      'connect-host\\.ts$',
      'housekeeping\\.ts$',
      'clock-watch\\.ts$',
      'stats\\.ts$',
    ],
  },
  { index: ['index\\.ts$'] },
]

/** What a floor's rule does not forbid, and why. check-walls.mjs fails when one is no longer needed. */
const exceptions = []

const inSrc = (patterns) => patterns.map((pattern) => `^src/${pattern}`)
const exactly = (path) => `^${path.replaceAll('.', '\\.')}$`
const npm = (...names) => `(^|node_modules/)(@types/)?(${names.join('|')})(/|$)`
const notTypes = { dependencyTypesNot: ['type-only'] }

/** One rule for each slice: nothing of src/ but itself and what lies below. */
const floorRules = floors.flatMap((floor, height) =>
  Object.entries(floor).map(([slice, patterns]) => {
    const below = floors.slice(0, height).flatMap((lower) => Object.values(lower).flat())
    return {
      name: `floor-${slice}`,
      comment: `${slice} looks only down: a value imported from its own floor or from above would make the slices one lump.`,
      severity: 'error',
      from: { path: inSrc(patterns), pathNot: exceptions.map(({ from }) => exactly(from)) },
      to: { path: '^src/', pathNot: inSrc([...patterns, ...below]), ...notTypes },
    }
  }),
)

const exceptionRules = exceptions.map(({ from, to }) => {
  const height = floors.findIndex((floor) => inSrc(Object.values(floor).flat()).some((pattern) => new RegExp(pattern).test(from)))
  const reachable = floors.slice(0, height + 1).flatMap((floor) => Object.values(floor).flat())
  return {
    name: `exception-${from.replace(/^src\//, '').replace(/\.ts$/, '')}`,
    comment: `${from} has one exception, ${to}; beyond it, it looks only down like the rest of its floor.`,
    severity: 'error',
    from: { path: exactly(from) },
    to: { path: '^src/', pathNot: [...inSrc(reachable), exactly(to)], ...notTypes },
  }
})

/** Third-party packages, each behind the one module that knows it. */
const onlyIn = (name, packages, homes, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: '^src/', pathNot: inSrc(homes) },
  to: { path: npm(...packages) },
})

const packageRules = [
  onlyIn(
    'express-at-the-door',
    ['express'],
    ['http/', 'create-auth-router\\.ts$'],
    'Express is the host, not the core: guards are typed without it so that they fit hosts on version 4 and 5.',
  ),
  onlyIn('speakeasy-in-totp', ['speakeasy'], ['two-factor/totp\\.ts$'], 'speakeasy is no longer maintained: one file replaces it.'),
  onlyIn(
    'bcrypt-in-worker',
    ['bcryptjs'],
    ['passwords/bcrypt-worker\\.ts$'],
    'bcrypt on the main thread would stall every request.',
  ),
  onlyIn(
    'piscina-in-pool',
    ['piscina'],
    ['passwords/hashing-pool\\.ts$'],
    'One file owns the threads, so one close() ends them all.',
  ),
  onlyIn(
    'passport-in-strategy',
    ['passport', 'passport-local'],
    ['login/local-strategy\\.ts$'],
    "passport's traps are disarmed in one file, on an instance of its own, away from the host's.",
  ),
  onlyIn('jose-in-signers', ['jose'], ['signers/'], 'A host can bring another signer; nothing else may depend on this one.'),
  onlyIn('bowser-in-device-name', ['bowser'], ['sessions/device-name\\.ts$'], "Guessing devices is nobody else's task."),
  onlyIn(
    'kysely-in-sql',
    ['kysely'],
    ['stores/sql/'],
    'An optional peer: whoever imported it elsewhere would make every host install it.',
  ),
  onlyIn('limiter-in-throttle', ['rate-limiter-flexible'], ['throttle/'], 'Counting is replaceable; the rest knows only slots.'),
]

const singleRules = [
  {
    name: 'no-cycles',
    comment: 'Modules in a cycle, be it of types alone, cannot be understood, tested or moved one at a time.',
    severity: 'error',
    from: { path: '^src/' },
    to: { circular: true },
  },
  {
    name: 'contracts-are-types',
    comment: 'A contract is what a host implements: it promises shapes and brings no code.',
    severity: 'error',
    from: { path: inSrc(['[^/]+/contract\\.ts$', 'options\\.ts$']) },
    to: notTypes,
  },
  {
    name: 'one-approver',
    comment: 'approve() is the proof that the one sign-in decision was asked; whoever else called it would be a second way in.',
    severity: 'error',
    from: { path: '^src/', pathNot: inSrc(['sign-in\\.ts$']) },
    to: { path: inSrc(['sessions/approved-sign-in\\.ts$']), ...notTypes },
  },
  {
    name: 'one-problem-writer',
    comment: 'Every error answer is written in one place, so that none says more than another.',
    severity: 'error',
    from: { path: '^src/', pathNot: inSrc(['http/endpoint\\.ts$', 'guard/http-guard\\.ts$', 'guard/sockets\\.ts$']) },
    to: { path: inSrc(['http/problem\\.ts$']), ...notTypes },
  },
  {
    name: 'login-and-pkce-apart',
    comment: 'Two ways in that know nothing of each other, types included: what they share lies below both.',
    severity: 'error',
    from: { path: inSrc(['(login|pkce)/']) },
    to: { path: inSrc(['(login|pkce)/']), pathNot: ['^src/$1/'] },
  },
  {
    name: 'testing-imports-little',
    comment:
      'The test helpers are a package of their own in all but name: what they need of the product is the ground, TOTP, and the shapes ' +
      'of the contracts that they try.',
    severity: 'error',
    from: { path: inSrc(['testing/']) },
    to: { path: '^src/', pathNot: inSrc(['testing/', 'lib/', 'two-factor/totp\\.ts$', '(stores|signers)/contract\\.ts$']) },
  },
  {
    name: 'testing-is-apart',
    comment: 'Test helpers in the product would be shipped to production.',
    severity: 'error',
    from: { path: '^src/', pathNot: inSrc(['testing/']) },
    to: { path: inSrc(['testing/']) },
  },
  {
    name: 'no-dev-dependencies',
    comment: 'A host installs no development dependencies, so importing one, even for its types, breaks there and not here.',
    severity: 'error',
    from: { path: '^src/' },
    to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm', 'npm-peer'] },
  },
  {
    name: 'nothing-unlisted',
    comment: 'A package that is not in package.json is there by luck, or not at all.',
    severity: 'error',
    from: { path: '^src/' },
    // An optional peer counts as unlisted too, because of its entry in peerDependenciesMeta.
    to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['npm', 'npm-peer'] },
  },
  {
    name: 'nothing-unresolved',
    comment: 'What cannot be found cannot be judged by the other rules.',
    severity: 'error',
    from: { path: '^src/' },
    to: { couldNotResolve: true },
  },
  {
    name: 'src-stays-in-src',
    comment: 'The published code must not reach for tests, the example or the build.',
    severity: 'error',
    from: { path: '^src/' },
    to: { dependencyTypes: ['local'], pathNot: '^src/' },
  },
]

module.exports = {
  forbidden: [...singleRules, ...floorRules, ...exceptionRules, ...packageRules],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
  slices: floors.flatMap((floor) => Object.entries(floor).map(([name, patterns]) => ({ name, patterns: inSrc(patterns) }))),
  exceptions,
}
