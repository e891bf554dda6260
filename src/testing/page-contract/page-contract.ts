import { AuthConfigError } from '../../errors.js'
import type { RenderPage } from '../../pages/pages-options.js'
import { contentTests } from './contents.js'
import { documentTests } from './documents.js'
import { formTests } from './forms.js'
import { ask, askedPages, check, type Outcome } from './rendered.js'

/** One test of {@link pageContract}, for the runner of your choice. */
export interface PageTest {
  /** What is promised. */
  readonly name: string
  /** Rejects, with the page and what to mend, where the promise is not kept. */
  run(): Promise<void>
}

/**
 * The tests that a `pages.render` of yours must pass, to be registered with any runner. It is asked
 * for every state of every page: with everything around it, with nothing, in Arabic, from right to
 * left, and with names that try to become links. What it leaves to the router by null passes.
 *
 * It reads the markup, and sees no page: look at yours in a browser, and with axe.
 *
 * @throws AuthConfigError for a `render` that is no function
 *
 * @example
 * ```ts
 * import type { PagesOptions } from 'messaging-auth-router'
 * import { pageContract } from 'messaging-auth-router/testing'
 *
 * // import { it } from 'vitest'
 * declare function it(name: string, run: () => Promise<void>): void
 * declare const pages: Required<Pick<PagesOptions, 'render'>> // yours
 *
 * for (const { name, run } of pageContract(pages.render)) it(name, run)
 * ```
 */
export function pageContract(render: RenderPage): readonly PageTest[] {
  if (typeof render !== 'function')
    throw new AuthConfigError(
      'pageContract()',
      'was given no function.',
      'pass the one of the option pages.render.',
    )
  let asked: readonly Outcome[] | undefined
  const outcomes = () => {
    asked ??= askedPages().map((page) => ask(render, page))
    return asked
  }
  const tests = [...documentTests, ...formTests, ...contentTests]
  return [
    {
      name: 'every page is made by html, or left to the router',
      run: async () => made(outcomes()),
    },
    ...tests.map(([name, run]) => ({
      name,
      async run() {
        for (const one of outcomes()) if (one.outcome === 'made') run(one.page)
      },
    })),
  ]
}

function made(outcomes: readonly Outcome[]): void {
  for (const one of outcomes)
    if (one.outcome === 'failed') check(false, one.asked, `${one.problem} Users see our page.`)
}
