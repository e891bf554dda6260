// The tables, as Markdown that is also fit for a terminal.
import { targetsOf } from './targets.mjs'

const ours = 'messaging-auth-router'

/** One suite: its tables, and what was aimed at. */
export function markdownOf(suite, results) {
  return [...tablesOf[suite](results), targetTable(targetsOf[suite](results))].join('\n\n')
}

const tablesOf = {
  storm: ({ clients, userCount, guardedPerSecond, rounds, storms }) => [
    '### Login storm',
    `${clients} clients log in ${userCount} users, one after another each; ${guardedPerSecond} ` +
      `guarded GETs a second come from a second process meanwhile. Medians of ${rounds} rounds.`,
    ...storms.map(({ cost, count, rows }) => stormTable(cost, count, rows)),
  ],
  guard: ({ tokens, connections, rounds, seconds, rows }) => [
    '### Guarded GET',
    `${tokens} tokens in turn over ${connections} connections, ${seconds} s a round. Medians of ` +
      `${rounds} rounds. *To no guard*: to the same route of the same process behind a guard ` +
      'that ' +
      'lets everybody in.',
    table(
      ['', 'requests/s', 'to no guard', 'p50 ms', 'p99 ms', 'CPU us/request', 'of which the guard'],
      rows.map((row) => [
        row.label,
        whole(row.perSecond),
        ratio(row.toNoGuard),
        fixed(row.p50),
        fixed(row.p99),
        whole(row.cpu),
        whole(row.cpuOfGuard),
      ]),
    ),
  ],
  tokens: ({ connections, rounds, count, exchange, refresh }) => [
    '### Code exchange and refresh',
    `${count} requests over ${connections} connections a round. Medians of ${rounds} rounds.`,
    tokenTable('code exchange', exchange),
    tokenTable('refresh', refresh),
  ],
  oauth: ({ connections, rounds, count, exchange, browser, ratios }) => [
    '### OAuth and OpenID Connect',
    `${count} requests over ${connections} connections a round. Medians of ${rounds} rounds. A ` +
      'client with a secret sends it by `client_secret_basic`, with PKCE; it gets an ES256 ' +
      'access token, a refresh token and an ES256 ID Token. Ratios are of each round.',
    tokenTable('code exchange', exchange),
    tokenTable('a browser that is signed in', browser),
    table(
      ['ratio', 'median', 'least', 'most'],
      Object.entries(ratios).map(([name, { median, least, most }]) => [
        ratioTitles[name],
        ...[median, least, most].map(ratio),
      ]),
    ),
  ],
  pages: ({ connections, rounds, count, rows }) => [
    '### Pages of a sign-in',
    `${count} requests over ${connections} connections a round, memory stores. Medians of ` +
      `${rounds} rounds. *Of which the page*: beyond a plain page of as many bytes, which the ` +
      'same process answers.',
    table(
      ['', 'requests/s', 'p50 ms', 'p99 ms', 'CPU us/request', 'of which the page'],
      rows.map((row) => [
        row.label,
        whole(row.perSecond),
        fixed(row.p50),
        fixed(row.p99),
        whole(row.cpu),
        whole(row.cpuOfPage),
      ]),
    ),
  ],
  import: ({ rounds, rows }) => [
    '### Import',
    `A process for each, in ${rounds} rounds; medians. *To Express*: the least of each.`,
    table(
      ['', 'ms', 'CPU ms', 'to Express'],
      rows.map(({ label, clock, cpu, toExpress }) => [
        label,
        whole(clock),
        whole(cpu),
        ratio(toExpress),
      ]),
    ),
  ],
  growth: ({ rounds, turns, kinds }) => [
    '### Growth',
    'Microseconds a call, one after another, each size in a process of its own. Medians of ' +
      `${rounds} rounds of ${turns} calls.`,
    table(
      ['', 'operation', 'few', 'many', 'us beside few', 'us beside many', 'ratio'],
      kinds.flatMap(({ kind, few, many, rows }) =>
        rows.map((row) => [
          titles[kind],
          row.operation,
          count(few),
          count(many),
          fixed(row.few),
          fixed(row.many),
          ratio(row.ratio),
        ]),
      ),
    ),
    table(
      ['', 'number', 'bytes each'],
      kinds.map(({ kind, many, bytesMany }) => [weights[kind], count(many), whole(bytesMany)]),
    ),
  ],
}

const ratioTitles = {
  toOidcProvider: 'code exchanges/s with an ID Token, to oidc-provider',
  toPkce: 'code exchanges/s without one, to POST /auth/pkce/token',
  authorizeToMe: 'GET /oauth/authorize p99, to that of GET /me',
}

const titles = {
  memory: 'sessions in memory',
  postgres: 'sessions in PostgreSQL',
  redis: 'sessions in Redis',
  sockets: 'tracked sockets',
  throttle: 'accounts with a wrong password',
}
const weights = {
  memory: 'session in memory, heap',
  postgres: 'session in PostgreSQL, table and indexes',
  redis: 'session in Redis, used_memory',
  sockets: 'tracked socket, heap, beyond the socket itself',
  throttle: 'account with a wrong password, heap',
}

function stormTable(cost, logins, rows) {
  const own = rows.find(({ label }) => label === ours)
  const head = [
    `cost ${cost}, ${logins} logins`,
    'logins/s',
    'to ours',
    'login p50 ms',
    'p99 ms',
    'loop delay p99 ms',
    'guarded p50 ms',
    'guarded p99 ms',
    '503s',
  ]
  return table(
    head,
    rows.map((row) => [
      row.label,
      fixed(row.perSecond),
      ratio(row.perSecond / own.perSecond),
      ...[row.loginP50, row.loginP99].map(whole),
      ...[row.delayP99, row.guardedP50, row.guardedP99].map(fixed),
      row.refused,
    ]),
  )
}

function tokenTable(title, rows) {
  return table(
    [title, 'requests/s', 'ours to it', 'p50 ms', 'p99 ms', 'CPU us/request', 'its CPU to ours'],
    rows.map((row) => [
      row.label,
      whole(row.perSecond),
      ratio(rows[0].perSecond / row.perSecond),
      fixed(row.p50),
      fixed(row.p99),
      whole(row.cpu),
      ratio(row.cpu / rows[0].cpu),
    ]),
  )
}

function targetTable(targets) {
  return table(
    ['aim', 'bound', 'measured', ''],
    targets.map(({ what, aim, value, unit, met }) => [
      what,
      aim,
      unit === 'x' ? ratio(value) : `${fixed(value)}${unit}`,
      met ? 'met' : '**missed**',
    ]),
  )
}

function table([first, ...rest], rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  return [line([first, ...rest]), line(['---', ...rest.map(() => '---:')]), ...rows.map(line)].join(
    '\n',
  )
}

const count = (number) => number.toLocaleString('en')
const whole = (number) => number.toFixed(0)
const fixed = (number) => number.toFixed(number < 100 ? 1 : 0)
const ratio = (number) => `${number.toFixed(2)}x`
