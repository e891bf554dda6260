// What a monitoring system reads of a directory.
import { describe, expect, it } from 'vitest'
import { post } from '../support/client.js'
import { startHost } from '../support/host.js'
import { memoryDirectory } from '../support/memory-directory.js'
import { askPromtool, parseMetrics, promtool, valuesIn } from '../support/prometheus.js'
import { type DirectoryHost, rightPassword, startDirectories } from './directory-host.js'

const asAda = { username: 'ada', password: rightPassword }
const wrong = { username: 'ada', password: 'mistyped by ada' }
// The looks of these tests are their own.
const directories = { watchInterval: false } as const

const start = () => startDirectories({ directories })
const valuesOf = ({ auth }: Pick<DirectoryHost, 'auth'>) => valuesIn(auth.metrics())
const namesOf = ({ auth }: Pick<DirectoryHost, 'auth'>) => [...parseMetrics(auth.metrics()).keys()]
const age = (host: DirectoryHost) =>
  valuesOf(host)['mar_directory_look_age_seconds{directory="corp"}']

/** How often each outcome has come, but for those that have not. */
function callsOf(host: DirectoryHost): Readonly<Record<string, number>> {
  const [before, after] = ['mar_directory_calls_total{directory="corp",call=', ',outcome=']
  const own = Object.entries(valuesOf(host)).filter(
    ([series, count]) => series.startsWith(before) && count > 0,
  )
  return Object.fromEntries(
    own.map(([series, count]) => [
      series.slice(before.length, -1).replace(after, ' ').replaceAll('"', ''),
      count,
    ]),
  )
}

describe('the metrics of directories', () => {
  it('are there with the option alone', async () => {
    const [without, having] = [await startHost(), await start()]
    const own = ['calls_total', 'call_seconds_total', 'look_age_seconds']
    const added = namesOf(having).filter((name) => !namesOf(without).includes(name))
    expect(added).toEqual(own.map((name) => `mar_directory_${name}`))
  })

  it('have the same series from start to end, nine for each directory', async () => {
    const list = [memoryDirectory(), memoryDirectory({ id: 'school' })]
    const host = await startHost({ options: { directories: { ...directories, list } } })
    const all = () => Object.keys(valuesOf(host))
    const before = all()
    expect(before.filter((series) => series.startsWith('mar_directory_')).length).toBe(18)
    await post(host, '/login', asAda)
    list[0]?.down(true)
    await post(host, '/login', asAda)
    await host.auth.directories.look()
    expect(all()).toEqual(before)
  })

  it.skipIf(promtool === null)('are taken by promtool without a remark', async () => {
    const host = await start()
    await post(host, '/login', asAda)
    const { isContent, said } = askPromtool(['check', 'metrics'], host.auth.metrics())
    expect([isContent, said]).toEqual([true, ''])
  })

  it('count searches and binds by their outcome', async () => {
    const host = await start()
    expect(callsOf(host)).toEqual({})
    expect((await post(host, '/login', asAda)).status).toBe(200)
    expect(callsOf(host)).toEqual({ 'search ok': 1, 'bind right': 1 })
    expect((await post(host, '/login', wrong)).status).toBe(401)
    expect(callsOf(host)).toEqual({ 'search ok': 2, 'bind right': 1, 'bind wrong': 1 })
    host.directory.setVerdict('ada', { outcome: 'must-change' })
    expect((await post(host, '/login', asAda)).status).toBe(403)
    expect(callsOf(host)).toMatchObject({ 'bind must-change': 1 })
    await host.auth.directories.look()
    expect(callsOf(host)).toMatchObject({ 'search ok': 4 })
  })

  it('count a bind that is made for a name that nobody has', async () => {
    const host = await start()
    await post(host, '/login', { username: 'nobody', password: 'any' })
    expect(callsOf(host)).toEqual({ 'search ok': 1, 'bind wrong': 1 })
  })

  it('count an outage, and an answer that is none', async () => {
    const host = await start()
    host.directory.down(true)
    expect((await post(host, '/login', asAda)).status).toBe(503)
    const down = callsOf(host)
    expect(down).toMatchObject({ 'search failed': 1 })
    host.directory.down(false)
    host.directory.verify = async () => ({ outcome: 'yes' }) as never
    expect((await post(host, '/login', asAda)).status).toBe(503)
    expect(callsOf(host)['bind failed']).toBe((down['bind failed'] ?? 0) + 1)
  })

  it('have the seconds of the calls', async () => {
    const host = await start()
    const series = 'mar_directory_call_seconds_total{directory="corp",call="bind"}'
    expect(valuesOf(host)[series]).toBe(0)
    await post(host, '/login', asAda)
    expect(valuesOf(host)[series]).toBeGreaterThan(0)
  })

  it('have the age of the last complete look, and before it that of the process', async () => {
    const host = await start()
    host.clock.advance(100)
    expect(age(host)).toBe(100)
    await host.auth.directories.look()
    expect(age(host)).toBe(0)
    host.clock.advance(40)
    host.directory.down(true)
    await expect(host.auth.directories.look()).rejects.toMatchObject({ status: 503 })
    expect(age(host)).toBe(40)
  })

  it('name nobody', async () => {
    const host = await start()
    for (const body of [asAda, wrong]) await post(host, '/login', body)
    const told = host.auth.metrics()
    for (const secret of [
      'u-ada',
      '="ada',
      'guid-ada',
      'Example Ltd',
      rightPassword,
      wrong.password,
    ])
      expect(told).not.toContain(secret)
  })
})

it('calls of a directory are calls to another server, its rules are hooks', async () => {
  const count = (part: string) =>
    valuesOf(host)[`mar_host_call_duration_seconds_count{part="${part}"}`]
  const host = await startDirectories({
    directories: { ...directories, allowed: () => true, signedIn: () => {} },
  })
  // Calls are measured from the first question on.
  expect([count('outgoing'), count('hooks')]).toEqual([0, 0])
  await post(host, '/login', asAda)
  expect([count('outgoing'), count('hooks')]).toEqual([2, 2])
})
