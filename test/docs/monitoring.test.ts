// docs/monitoring.md and the files that it shows: every query asks for what there is, and each
// alert rings when it should.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { createAuthRouter, generateSigningKey, joseSigner } from '../../src/index.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { temporaryFolder } from '../support/databases.js'
import { encryptionKey } from '../support/host.js'
import { memoryDirectory } from '../support/memory-directory.js'
import { askPromtool, parseMetrics, promtool } from '../support/prometheus.js'
import { testUsers } from '../support/users.js'

const docs = fileURLToPath(new URL('../../docs/', import.meta.url))
const read = (name: string) => readFileSync(join(docs, name), 'utf8')
const alertsFile = join(docs, 'examples/monitoring/alerts.yml')
const page = read('monitoring.md')

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: {
    readonly h: number
    readonly w: number
    readonly x: number
    readonly y: number
  }
  readonly datasource: { readonly uid: string }
  readonly targets: readonly { readonly refId: string; readonly expr: string }[]
}
const dashboard = JSON.parse(read('examples/monitoring/grafana-dashboard.json')) as {
  readonly title: string
  readonly uid: string
  readonly schemaVersion: number
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly type: string }[]
  }
  readonly panels: readonly Panel[]
}

const ofDashboard = dashboard.panels
  .flatMap(({ targets }) => targets)
  .map(({ expr }) => expr.replaceAll('$__rate_interval', '5m'))
const ofPage = [...page.matchAll(/^\| [^|]+ \| `([^`]*(?:mar_)[^`]*)` \|$/gm)].map(
  ([, query = '']) => query,
)
const ofAlerts = read('examples/monitoring/alerts.yml')
  .split(/^ {8}expr: /m)
  .slice(1)
  .map((text) => text.split(/^ {8}(?:for|labels):/m)[0] ?? '')
const queries = [...ofDashboard, ...ofPage, ...ofAlerts]

/** What there is. */
let text = ''
const host = () => parseMetrics(text)
beforeAll(async () => {
  const router = createAuthRouter({
    users: testUsers(),
    ...memoryStores(),
    signer: joseSigner({
      issuer: 'https://chat.example.com',
      audience: 'chat',
      keys: [await generateSigningKey()],
    }),
    encryptionKeys: [encryptionKey],
    directories: { list: [memoryDirectory()] },
  })
  text = router.metrics()
  await router.close()
})

describe('the queries', () => {
  it('are on the page, on the dashboard and in the alerts', () => {
    expect([ofPage.length, ofDashboard.length, ofAlerts.length]).toEqual([10, 19, 9])
  })

  it.each(queries)('ask for metrics and labels that there are: %s', (query) => {
    const names = [...query.matchAll(/\bmar_\w+/g)].map(([name]) => name)
    expect(names.length).toBeGreaterThan(0)
    const all = host()
    const series = [...all.values()].flatMap((metric) => [...metric.series.keys()])
    for (const name of names) {
      const isThere = series.some((one) => one === name || one.startsWith(`${name}{`))
      expect(isThere, name).toBe(true)
    }
    for (const [, label = '', is = '', values = ''] of query.matchAll(/(\w+)(=~|=)"([^"]*)"/g))
      for (const value of is === '=' ? [values] : values.split('|'))
        expect(
          series.some((one) => one.includes(`${label}="${value}"`)),
          value,
        ).toBe(true)
  })

  it.skipIf(promtool === null)('are read by Prometheus', () => {
    const rules = queries.map((expr, i) => ({ record: `test:query_${i}`, expr }))
    const file = join(temporaryFolder(), 'queries.yml')
    // JSON is YAML, but for the folded lines of the alerts.
    const plain = rules.map(({ expr, ...rule }) => ({
      ...rule,
      expr: expr.replace(/^>-\s*/, '').trim(),
    }))
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'queries', rules: plain }] }))
    const { isContent, said } = askPromtool(['check', 'rules', file])
    expect(isContent, said).toBe(true)
  })
})

describe('the dashboard', () => {
  it('has what Grafana needs to load it', () => {
    expect(dashboard).toMatchObject({
      title: 'messaging-auth-router',
      uid: 'messaging-auth-router',
      schemaVersion: 39,
    })
    expect(dashboard.templating.list).toMatchObject([{ name: 'datasource', type: 'datasource' }])
    const { panels } = dashboard
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    for (const { title, type, datasource, targets, gridPos } of panels) {
      expect([type, datasource.uid]).toEqual(['timeseries', `\${datasource}`])
      expect(targets.map(({ refId }) => refId)).toEqual(
        ['A', 'B', 'C', 'D'].slice(0, targets.length),
      )
      expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24)
    }
  })

  it('has no panel upon another', () => {
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)}/${y + Math.floor(i / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
  })
})

const names = [...read('examples/monitoring/alerts.yml').matchAll(/- alert: (\w+)/g)].map(
  ([, name = '']) => name,
)

describe('the alerts', () => {
  it('are the nine of the page', () => {
    const listed = [...page.matchAll(/^\| `(Auth\w+)` \|/gm)].map(([, name]) => name)
    expect(names).toEqual(listed)
    expect(names.length).toBe(9)
  })

  it.skipIf(promtool === null)('are rules to Prometheus', () => {
    const { isContent, said } = askPromtool(['check', 'rules', '--lint=all', alertsFile])
    expect(isContent, said).toBe(true)
    expect(said).toContain('9 rules found')
  })

  // From the twentieth minute on, something happens.
  const rising: Readonly<Record<string, readonly string[]>> = {
    AuthPartFails: ['mar_host_call_failures_total{part="users"}'],
    AuthPartSlow: [
      'mar_host_call_duration_seconds_bucket{part="users",le="2"}',
      'mar_host_call_duration_seconds_bucket{part="users",le="+Inf"}',
    ],
    AuthPasswordsWait: ['mar_passwords_refused_total'],
    AuthGuessing: ['mar_events_total{type="login.throttled",reason="unknown-networks"}'],
    AuthStolen: ['mar_events_total{type="refresh.reused"}'],
    AuthRegistrations: ['mar_events_total{type="account.registered"}'],
    AuthPhonesPaused: ['mar_events_total{type="phone.prefix-paused"}'],
    AuthMessagesLost: ['mar_audit_lost_total'],
    AuthDirectoryNotLooked: ['mar_directory_look_age_seconds{directory="corp"}'],
  }

  it.skipIf(promtool === null).each(names)('%s rings when it should, and not before', (alert) => {
    const rule = {
      rule_files: [alertsFile],
      evaluation_interval: '1m',
      tests: [
        {
          interval: '1m',
          input_series: [...host().values()].flatMap(({ series }) =>
            [...series.keys()].map((one) => ({
              series: one,
              values: rising[alert]?.includes(one) === true ? '0x20 60+60x40' : '0x60',
            })),
          ),
          promql_expr_test: [
            {
              expr: 'count(ALERTS{alertstate="firing"}) or vector(0)',
              eval_time: '19m',
              exp_samples: [{ labels: '{}', value: 0 }],
            },
            {
              expr: `count by (alertname) (ALERTS{alertstate="firing"})`,
              eval_time: '45m',
              exp_samples: [{ labels: `{alertname="${alert}"}`, value: 1 }],
            },
          ],
        },
      ],
    }
    const file = join(temporaryFolder(), 'test.yml')
    writeFileSync(file, JSON.stringify(rule))
    const { isContent, said } = askPromtool(['test', 'rules', file])
    expect(isContent, said).toBe(true)
  })
})
