// What was aimed at before anything was measured, and whether it was reached.
const ours = 'messaging-auth-router'

const find = (rows, label) => {
  const row = rows.find((one) => one.label === label)
  if (row === undefined)
    throw new Error(`the results hold no row "${label}"; run the whole bench again: npm run bench`)
  return row
}

const limit = 'limit in Express'

/** How many times as much as the other one. */
const times = (rows, name, other) => find(rows, ours)[name] / find(rows, other)[name]

/** Processor time with the guard, to that without: the same on any machine, busy or not. */
const guardedToOpen = ({ cpu, cpuOfGuard }) => cpu / (cpu - cpuOfGuard)

const atLeast = (what, bound, value, unit = 'x') => ({
  what,
  aim: `>= ${bound}${unit}`,
  value,
  unit,
  met: value >= bound,
})
const atMost = (what, bound, value, unit = 'x') => ({
  what,
  aim: `<= ${bound}${unit}`,
  value,
  unit,
  met: value <= bound,
})

const workers = 'two bare bcryptjs workers'

const stormTargets = ({ storms }) =>
  storms.flatMap(({ cost, rows }) => [
    atLeast(
      `cost ${cost}: logins/s, to those of ${workers}`,
      0.95,
      times(rows, 'perSecond', workers),
    ),
    atMost(`cost ${cost}: login p99, to that of ${workers}`, 1.2, times(rows, 'loginP99', workers)),
    atMost(
      `cost ${cost}: guarded GET p99, to that of ${workers}`,
      1.3,
      times(rows, 'guardedP99', workers),
    ),
    atMost(`cost ${cost}: event-loop delay p99`, 20, find(rows, ours).delayP99, ' ms'),
  ])

const guardTargets = ({ rows }) => [
  atMost('CPU of a guarded GET, to no guard', 1.08, guardedToOpen(find(rows, ours))),
  atLeast('guarded GETs/s, to no guard', 0.95, find(rows, ours).toNoGuard),
  atLeast(
    'guarded GETs/s with challenges, to those without',
    0.98,
    find(rows, `${ours}, with challenges`).perSecond / find(rows, ours).perSecond,
  ),
  atLeast(
    'guarded GETs/s, to express-oauth2-jwt-bearer',
    1.4,
    times(rows, 'perSecond', 'express-oauth2-jwt-bearer'),
  ),
  atMost(
    'guarded GETs/s by a JWT, to those by a named token',
    1.1,
    times(rows, 'perSecond', 'the same, named token'),
  ),
]

const tokenTargets = (results) =>
  [
    ['exchange', 'exchanges', 1.3],
    ['refresh', 'refreshes', 1.2],
  ].flatMap(([operation, many, bound]) => [
    atMost(
      `CPU of ${many}, to the limit in Express`,
      bound,
      times(results[operation], 'cpu', limit),
    ),
    atLeast(
      `${many}/s, to @node-oauth/oauth2-server`,
      1.2,
      times(results[operation], 'perSecond', '@node-oauth/oauth2-server'),
    ),
    atLeast(
      `${many}/s, to oidc-provider`,
      1.5,
      times(results[operation], 'perSecond', 'oidc-provider'),
    ),
  ])

const oauthTargets = ({ ratios }) => [
  atLeast('code exchanges/s with an ID Token, to oidc-provider', 1.2, ratios.toOidcProvider.median),
  atLeast('code exchanges/s without one, to POST /auth/pkce/token', 0.9, ratios.toPkce.median),
  atMost('GET /oauth/authorize p99, to that of GET /me', 3, ratios.authorizeToMe.median),
]

const pageTargets = ({ rows }) =>
  ['GET /oauth/sign-in', 'GET /oauth/consent', 'GET /oauth/continue'].map((label) =>
    atMost(`${label}: CPU of the page`, 1000, find(rows, label).cpuOfPage, ' us'),
  )

const growthTargets = ({ kinds }) =>
  kinds.flatMap(({ kind, few, many, bytesMany, rows }) => [
    ...rows.map(({ operation, ratio }) =>
      atMost(
        `${kind}: ${operation}, beside ${many.toLocaleString('en')} to beside ` +
          `${few.toLocaleString('en')}`,
        1.5,
        ratio,
      ),
    ),
    ...(kind === 'memory' ? [atMost('memory: bytes of a session', 1300, bytesMany, ' B')] : []),
  ])

// How many modules and bytes that is, is counted by test/rules/check-loaded.mjs.
const importTargets = ({ rows }) => [
  atMost('CPU of importing the package, to that of Express', 1.8, find(rows, ours).toExpress),
]

/** Everything aimed at in a suite. */
export const targetsOf = {
  storm: stormTargets,
  guard: guardTargets,
  tokens: tokenTargets,
  oauth: oauthTargets,
  pages: pageTargets,
  growth: growthTargets,
  import: importTargets,
}
