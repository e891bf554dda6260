// As event-loop.attack.test.ts promises of some routes, of each.
import '../support/steps.js'
import { describe, expect, it } from 'vitest'
import { routes, slowHeadersOf } from './hostile-headers.js'

describe('no route takes more than 40 steps for a byte of a header, whatever fills its 60 KB', () => {
  it.each(routes.map((route) => [route.method ?? 'POST', route.path, route] as const))(
    'of %s %s',
    async (_method, _path, route) => expect(await slowHeadersOf(route)).toEqual([]),
  )
})
