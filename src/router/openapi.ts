import type { Routes } from '../http/endpoint.js'
import { lazily } from '../lib/async.js'
import { checkOptions, fitting, optionsOf } from '../lib/check-options.js'
import { loadOnce } from '../lib/load-once.js'
import type { OpenApiDocument } from '../openapi/document.js'

/** Options of `auth.openapi`. */
export interface OpenApiOptions {
  /**
   * The address of the router for clients: a URL, or a path on the server of the document. Default:
   * `baseUrl` of the option `oauth`, else `/api/v1`.
   */
  readonly baseUrl?: string
}

/** Describes the router. */
export type DescribeApi = (options?: OpenApiOptions) => Promise<OpenApiDocument>

/** Describes only the mounted routes. */
export function createDescribeApi(
  loadRoutes: () => Promise<Routes>,
  baseUrlOfApps: string | undefined,
): DescribeApi {
  const describe = loadOnce(async () => {
    // Imported on demand: most hosts never call it.
    const [routes, { describeOperations }, { operations }] = await Promise.all([
      loadRoutes(),
      import('../openapi/document.js'),
      import('./operations.js'),
    ])
    const mounted = new Set(
      routes.flatMap(([path, endpoints]) =>
        Object.keys(endpoints ?? {}).map((method) => `${method} ${path}`),
      ),
    )
    return describeOperations(operations.filter(({ route }) => mounted.has(route)))
  })
  return async function openapi(options) {
    const { baseUrl = baseUrlOfApps ?? '/api/v1' } = checkOptions(rules(), options)
    const servers = [{ url: baseUrl === '/' ? baseUrl : baseUrl.replace(/\/$/, '') }]
    return { ...(await describe()), servers }
  }
}

const rules = lazily(() => ({
  factory: 'openapi',
  schema: optionsOf({
    baseUrl: fitting<string>(
      isAddress,
      'is neither a URL over http or https nor a path.',
    ).optional(),
  }),
  remedies: {
    baseUrl: 'pass where the router is mounted, such as https://chat.example.com/api/v1.',
  },
}))

function isAddress(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    value.length <= 2048 &&
    (/^\/(?!\/)/.test(value) || /^https?:\/\//.test(value)) &&
    URL.canParse(value, 'https://host.invalid')
  )
}
