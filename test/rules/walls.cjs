// The walls of src/: which module may import which. Read by check-walls.mjs, which also proves that
// every rule here still bites.

/**
 * The floors, lowest first. A room may import, types included, from itself and from the floors
 * below. Rooms on one floor do not import each other. The sentence is the reason that a broken wall
 * prints.
 */
const floors = [
  {
    ground: [['lib/', 'errors\\.ts$'], 'the ground knows nothing of signing in.'],
    client: [
      ['client/'],
      'the client runs in browsers: whatever it imported would be loaded there.',
    ],
    doctor: [['doctor/'], 'it sees a server from outside, as strangers do.'],
  },
  {
    signers: [['signers/'], 'hosts can replace a signer: it sees keys and claims, not the router.'],
    users: [
      ['users/'],
      "the contract of the host's user table does not know the code built on it.",
    ],
    providers: [
      ['providers/'],
      'hosts can write a provider: it knows its protocol, not who signs in here.',
    ],
    directories: [
      ['directories/'],
      'hosts can write a directory: it knows its protocol, not who signs in here.',
    ],
  },
  {
    passwords: [
      ['passwords/'],
      'hosts can replace a hasher; admission/ decides when a password may be hashed.',
    ],
  },
  { stores: [['stores/'], 'an adapter author reads only contracts and rows.'] },
  { audit: [['audit/'], 'everything above reports here, so this imports nothing from above.'] },
  { 'ground-kit': [['kits/ground-kit\\.ts$'], 'it lists what rooms above it share.'] },
  {
    http: [['http/'], 'reading a request and writing an answer never decides a sign-in.'],
    admission: [['admission/'], 'the queue in front of the hasher knows passwords, not users.'],
    'two-factor': [['two-factor/'], 'a factor checks a code; the caller decides what follows.'],
  },
  {
    openapi: [['openapi/'], 'a room describes its requests in its words; these know no room.'],
    principal: [['principal/'], 'all guards and endpoints share the principal.'],
    throttle: [
      ['throttle/'],
      'limits count names and addresses; they do not know what they limit.',
    ],
    tokens: [
      ['tokens/'],
      'a token only carries claims; sessions/ knows whether its session is alive.',
    ],
  },
  {
    sessions: [
      ['sessions/'],
      'the only writer of session rows serves every way to sign in, and knows none.',
    ],
  },
  { 'session-kit': [['kits/session-kit\\.ts$'], 'it lists what rooms above it share.'] },
  {
    'sign-in': [
      ['sign-in(-factor|-again)?\\.ts$'],
      'every way to sign in calls this decision, so it can know none of them.',
    ],
    guard: [['guard/'], 'a guard checks a session; it does not know how the user signed in.'],
  },
  { 'sign-in-kit': [['kits/sign-in-kit\\.ts$'], 'it lists what rooms above it share.'] },
  {
    login: [['login/'], 'two ways to sign in do not know each other: shared code lies below both.'],
    pkce: [['pkce/'], 'two ways to sign in do not know each other: shared code lies below both.'],
    'host-sign-in': [
      ['host-sign-in/'],
      'two ways to sign in do not know each other: shared code lies below both.',
    ],
    'named-tokens': [
      ['named-tokens/'],
      'two ways to sign in do not know each other: shared code lies below both.',
    ],
    passkeys: [
      ['passkeys/'],
      'two ways to sign in do not know each other: shared code lies below both.',
    ],
    refresh: [
      ['refresh/'],
      'two ways to sign in do not know each other: shared code lies below both.',
    ],
  },
  {
    oauth: [['oauth/'], 'a user of an app signs in by any way; an app cannot manage the account.'],
  },
  {
    pages: [['pages/'], 'a page shows a decision made below; the decision does not know its look.'],
  },
  {
    mail: [
      ['mail/'],
      'it writes mails with the texts of the pages; whoever sends one decides what it proves.',
    ],
  },
  {
    account: [['account/'], 'only the map uses the management of the account.'],
  },
  {
    accounts: [
      ['accounts/'],
      'a password or an address changes by decisions made below; only the map uses it.',
    ],
  },
  {
    cookie: [['cookie/'], 'it uses the existing ways to sign in; only the map uses it.'],
    deletion: [['deletion/'], 'it ends and deletes what lies below; only the map uses it.'],
    'email-sign-in': [
      ['email-sign-in/'],
      'a mailed code is a proof of accounts; whoever signs in by one is decided below.',
    ],
    'device-links': [
      ['device-links/'],
      'a device is signed in by the code that another one has approved; only the map uses it.',
    ],
    'provider-sign-in': [
      ['provider-sign-in/'],
      'a provider says who it is; who signs in is decided below.',
    ],
    'directory-sign-in': [
      ['directory-sign-in/'],
      'a directory says whose password it is; who signs in is decided below.',
    ],
    acceptance: [
      ['acceptance/'],
      'a document is accepted in a session; what a session opens is decided below.',
    ],
    remembered: [
      ['remembered/'],
      'a browser stands in for a factor; whoever signs in is decided below.',
    ],
    registration: [
      ['registration/'],
      'it makes users with the proofs and mails of accounts; only the map uses it.',
    ],
  },
  {
    browser: [
      ['browser/'],
      'it joins the ways to sign in on one page; none of them knows the others.',
    ],
  },
  { router: [['router/'], 'the wiring is above everything that it connects.'] },
  {
    admin: [['admin/'], 'it joins parts of the router without a server; no server loads it.'],
    rocketchat: [
      ['rocketchat/'],
      'it calls the router as a host does, and nothing below knows it.',
    ],
  },
  { cli: [['cli/'], 'only a shell runs it.'] },
  { index: [['index\\.ts$'], 'only hosts import the entry point.'] },
]

const inSrc = (patterns) => patterns.map((pattern) => `^src/${pattern}`)
const npm = (...names) => `(^|node_modules/)(@types/)?(${names.join('|')})(/|$)`
const notTypes = { dependencyTypesNot: ['type-only'] }
const patternsOf = (floor) => Object.values(floor).flatMap(([patterns]) => patterns)

/** One rule for each room: nothing of src/ but itself and what lies below. */
const floorRules = floors.flatMap((floor, height) =>
  Object.entries(floor).map(([room, [patterns, reason]]) => ({
    name: `floor-${room}`,
    comment: `${room} looks only down: ${reason}`,
    severity: 'error',
    from: { path: inSrc(patterns) },
    to: {
      path: '^src/',
      pathNot: inSrc([...patterns, ...floors.slice(0, height).flatMap(patternsOf)]),
    },
  })),
)

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
    ['http/', 'router/(create-)?auth-router\\.ts$', 'rocketchat/(rocketchat|mount)\\.ts$'],
    'Express is the host, not the core: guards are typed without it so that they fit hosts on ' +
      'version 4 and 5.',
  ),
  onlyIn(
    'speakeasy-in-totp',
    ['speakeasy'],
    ['two-factor/totp\\.ts$'],
    'speakeasy is no longer maintained: one file replaces it.',
  ),
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
  onlyIn(
    'jose-in-signers',
    ['jose'],
    ['signers/', 'providers/'],
    'A host can bring another signer, and another provider; nothing else may depend on these.',
  ),
  onlyIn(
    'bowser-in-device-name',
    ['bowser'],
    ['account/device-name\\.ts$'],
    "Guessing devices is nobody else's task.",
  ),
  onlyIn(
    'kysely-in-sql',
    ['kysely'],
    ['stores/sql/'],
    'An optional peer: whoever imported it elsewhere would make every host install it.',
  ),
  onlyIn(
    'argon2-in-reader',
    ['@node-rs/argon2'],
    ['passwords/readers/argon2\\.ts$'],
    'An optional peer: whoever imported it elsewhere would make every host install it.',
  ),
  onlyIn(
    'react-in-client',
    ['react'],
    ['client/react/'],
    'An optional peer: whoever imported it elsewhere would make every host install it.',
  ),
  onlyIn(
    'simplewebauthn-in-verifier',
    ['@simplewebauthn/server'],
    ['passkeys/simple-webauthn\\.ts$'],
    'An optional peer that adds to the global object: one file loads it, when it is needed.',
  ),
  onlyIn(
    'openid-client-in-providers',
    ['openid-client'],
    ['providers/'],
    'An optional peer: whoever imported it elsewhere would make every host install it.',
  ),
  onlyIn(
    'ldapts-in-directories',
    ['ldapts'],
    ['directories/'],
    'An optional peer: whoever imported it elsewhere would make every host install it.',
  ),
  onlyIn(
    'limiter-in-throttle',
    ['rate-limiter-flexible'],
    ['throttle/'],
    'Counting is replaceable; the rest knows only slots.',
  ),
]

const singleRules = [
  {
    name: 'no-cycles',
    comment:
      'Modules in a cycle, be it of types alone, cannot be understood, tested or moved one at a ' +
      'time.',
    severity: 'error',
    from: { path: '^src/' },
    to: { circular: true },
  },
  {
    name: 'contracts-are-types',
    comment: 'A contract is what a host implements: it promises shapes and brings no code.',
    severity: 'error',
    from: {
      path: inSrc([
        '[^/]+/(|[^/]+-)contract\\.ts$',
        'stores/revocation-bus\\.ts$',
        'router/options\\.ts$',
      ]),
    },
    to: notTypes,
  },
  {
    name: 'one-approver',
    comment:
      'approve() is the proof that the one sign-in decision was asked; whoever else called it ' +
      'would be a second way in.',
    severity: 'error',
    from: { path: '^src/', pathNot: inSrc(['sign-in\\.ts$']) },
    to: { path: inSrc(['sessions/approved-sign-in\\.ts$']), ...notTypes },
  },
  {
    name: 'one-problem-writer',
    comment: 'Every error answer is written in one place, so that none says more than another.',
    severity: 'error',
    from: {
      path: '^src/',
      pathNot: inSrc([
        'http/endpoint\\.ts$',
        'http/documents\\.ts$',
        'guard/http-guard\\.ts$',
        'guard/sockets\\.ts$',
        'rocketchat/mount\\.ts$',
      ]),
    },
    to: { path: inSrc(['http/problem\\.ts$']), ...notTypes },
  },
  {
    name: 'testing-imports-little',
    comment:
      'The test helpers are a package of their own in all but name: what they need of the ' +
      'product is the ground, TOTP, the shapes of the contracts that they try, and the records ' +
      'that the probe of stores makes, too.',
    severity: 'error',
    from: { path: inSrc(['testing/']) },
    to: {
      path: '^src/',
      pathNot: inSrc([
        'testing/',
        'lib/',
        'errors\\.ts$',
        'two-factor/totp\\.ts$',
        '(directories|stores|signers|users)/(|[^/]+-)contract\\.ts$',
        'stores/new-records\\.ts$',
      ]),
    },
  },
  {
    name: 'testing-is-apart',
    comment: 'Test helpers in the product would be shipped to production.',
    severity: 'error',
    from: { path: '^src/', pathNot: inSrc(['testing/']) },
    to: { path: inSrc(['testing/']) },
  },
  {
    name: 'client-is-apart',
    comment: 'The client is the other half: a server that imported it would trust what it says.',
    severity: 'error',
    from: { path: '^src/', pathNot: inSrc(['client/']) },
    to: { path: inSrc(['client/']) },
  },
  {
    name: 'providers-are-apart',
    comment: 'Who signs in without other providers must not load what they need.',
    severity: 'error',
    from: { path: '^src/', pathNot: inSrc(['providers/']) },
    to: {
      path: inSrc(['providers/']),
      pathNot: inSrc(['providers/contract\\.ts$']),
    },
  },
  {
    name: 'directories-are-apart',
    comment: 'Who signs in without a directory must not load what one needs.',
    severity: 'error',
    from: { path: '^src/', pathNot: inSrc(['directories/']) },
    to: {
      path: inSrc(['directories/']),
      pathNot: inSrc(['directories/contract\\.ts$']),
    },
  },
  {
    name: 'node-in-client-node',
    comment: 'The client runs in browsers too, where there is nothing of Node.',
    severity: 'error',
    from: { path: inSrc(['client/']), pathNot: inSrc(['client/node/']) },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'client-core-alone',
    comment: 'Whoever imports the core must not load what is for Node, React or Socket.IO.',
    severity: 'error',
    from: { path: inSrc(['client/[^/]+\\.ts$']) },
    to: { path: inSrc(['client/[^/]+/']) },
  },
  {
    name: 'no-dev-dependencies',
    comment:
      'A host installs no development dependencies, so importing one, even for its types, ' +
      'breaks there and not here. zod is part of the package.',
    severity: 'error',
    from: { path: '^src/' },
    to: {
      dependencyTypes: ['npm-dev'],
      dependencyTypesNot: ['npm', 'npm-peer'],
      pathNot: '^node_modules/zod/',
    },
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
  forbidden: [...singleRules, ...floorRules, ...packageRules],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
  rooms: floors.flatMap((floor) =>
    Object.entries(floor).map(([name, [patterns]]) => ({ name, patterns: inSrc(patterns) })),
  ),
}
