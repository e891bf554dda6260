// As event-loop.attack.test.ts promises of some routes, of each.
import { describe, expect, it } from 'vitest'
import { routes, slowHeadersOf } from './hostile-headers.js'

describe('no route lets a header hold the event loop for 5 ms, whatever fills its 60 KB', () => {
  it.each(routes.map((route) => [route.method ?? 'POST', route.path, route] as const))(
    'of %s %s',
    async (_method, _path, route) => expect(await slowHeadersOf(route)).toEqual([]),
    120_000,
  )
})
