import type { Routes } from '../http/endpoint.js'
import { checkOptions, fitting, optionsOf } from '../lib/check-options.js'
import { lazily } from '../lib/lazily.js'
import type { OpenApiDocument } from '../openapi/document.js'

/** Where the document says that the router is. */
export interface OpenApiOptions {
  /**
   * Where clients reach the router: a URL, or a path of the server that has the document. Default:
   * `baseUrl` of the option `oauth`, else `/api/v1`.
   */
  readonly baseUrl?: string
}

/** Describes the router. */
export type DescribeApi = (options?: OpenApiOptions) => Promise<OpenApiDocument>

/** Makes `auth.openapi`, of the routes that are mounted and no other. */
export function createDescribeApi(routes: Routes, baseUrlOfApps: string | undefined): DescribeApi {
  const mounted = new Set(
    routes.flatMap(([path, endpoints]) =>
      Object.keys(endpoints ?? {}).map((method) => `${method} ${path}`),
    ),
  )
  const describe = lazily(async () => {
    // Not with the router: most servers describe themselves to nobody.
    const [{ describeOperations }, { operations }] = await Promise.all([
      import('../openapi/document.js'),
      import('../openapi/operations.js'),
    ])
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
