import { defineConfig } from 'vitest/config'
import { TimeLimit } from './support/time-limit.js'

export default defineConfig({
  test: {
    include: ['test/oauth-clients/*.test.ts'],
    maxWorkers: 2,
    // To import the clients anew costs each file a second of the processor. No test leaves anything
    // behind in a module.
    isolate: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    reporters: ['default', new TimeLimit()],
    // What oidc-provider would have of somebody who runs it in earnest.
    onConsoleLog: (log) => !/^oidc-provider (?:NOTICE|WARNING)/.test(log),
    // Written for bundlers: its imports have no endings, which Node does not take.
    server: { deps: { inline: ['@openid/appauth'] } },
  },
})
