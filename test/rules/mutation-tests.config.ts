import { defineConfig } from 'vitest/config'
import { testsWith } from './tiers.mjs'

/** How the files of the area begin that is broken, from mutation.mjs. */
const area = (process.env['MUTATION_TESTS'] ?? '*/').split(';')
// Some tests run for each mutant. These take seconds, or replace a module that others here use as
// it is, and what they are about is elsewhere: outages, keys, seeds, codes by the thousand.
const slow = [
  'device-links/many-links',
  'host-failures/{asked-again,every-call,host-failures}',
  'login/slow-morning',
  'oauth/device/volume',
  'oauth/told-once',
  'pages/mounted/{looks,providers-in-browser}',
  'provider-sign-in/logout-load',
  'providers/cost',
  'signers/{jose-signer,key-files,key-material,key-ring}',
  'throttle/stores',
  'two-factor/{at-rest,guesses,key-uri,races,rfc-6238,totp}',
  'two-processes/one-wins',
]

// What is counted in steps counts those of the mutants' switches as well.
const counted = testsWith(/^import '.*\/steps\.js'/m)

export default defineConfig({
  test: {
    // None that needs a database, a browser, another process or the example.
    include: area.map((name) => `test/${name}*.test.ts`),
    exclude: [...slow.map((name) => `test/${name}*`), ...counted],
    // One import of the router serves all files of a run, which takes a third of the time. No test
    // leaves anything behind in a module.
    isolate: false,
    // What a mutant makes hang costs this much; the tests that run here take a tenth of it.
    testTimeout: 5_000,
    // So that none gives up sooner: a machine that breaks code is a busy one.
    setupFiles: ['test/support/every-file.ts'],
  },
})
