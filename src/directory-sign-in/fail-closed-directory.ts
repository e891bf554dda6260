import { z } from 'zod'
import type { Directory, DirectoryEntry, DirectoryVerdict } from '../directories/contract.js'
import { lazily } from '../lib/async.js'
import { ownMembers } from '../lib/check-options.js'
import { type HostCall, UnexpectedAnswer } from '../lib/host-call.js'
import { storedProviderOf } from '../lib/stored-directory.js'
import { isWellFormed } from '../lib/texts.js'
import type { DirectoryCounts } from './directories.js'

/** A directory whose answers are checked. A failure is 503. */
export interface ConnectedDirectory
  extends Pick<Directory, 'id' | 'name' | 'changePasswordUrl' | 'find' | 'verify' | 'look'> {
  /** The provider that its entries are stored under. */
  readonly provider: string
  readonly counts: DirectoryCounts
  readonly close: () => Promise<void>
}

const schemas = lazily(() => {
  const line = (most: number) =>
    z
      .string()
      .min(1)
      .max(most)
      .refine((text) => isWellFormed(text) && !/\p{Cc}/u.test(text))
  const entry = z.object({
    subject: line(255).refine((text) => Buffer.byteLength(text) <= 255),
    dn: z.string().min(1).max(16_000),
    username: line(320),
    // People may write these themselves: nobody else's look or sign-in may fail for one.
    displayName: line(320).optional().catch(undefined),
    email: line(320).optional().catch(undefined),
    groups: z.array(z.string()).max(10_000),
    disabled: z.boolean(),
  })
  const reason = z.enum([
    'wrong-password',
    'disabled',
    'locked',
    'expired-account',
    'outside-hours',
    'refused',
  ])
  return {
    entries: z.array(z.unknown()).max(1000),
    entry: entry as z.ZodType<DirectoryEntry>,
    verdict: z.discriminatedUnion('outcome', [
      z.object({ outcome: z.literal('right') }),
      z.object({ outcome: z.literal('must-change') }),
      z.object({ outcome: z.literal('wrong'), reason }),
    ]),
  }
})

/** Wraps a directory of the host. `call` has a time limit that suits other servers. */
export function failClosedDirectory(
  directory: Directory,
  counts: DirectoryCounts,
  call: HostCall,
): ConnectedDirectory {
  const { id, name, changePasswordUrl } = directory
  const of = (method: string) => `directories.${id}.${method}`
  const search = (method: 'find' | 'look', ask: () => Promise<readonly DirectoryEntry[]>) =>
    counted(counts.search, call(of(method), ask, entriesOf), () => 'ok')
  return {
    id,
    name,
    changePasswordUrl,
    provider: storedProviderOf(id),
    counts,
    find: (typed) => search('find', () => directory.find(typed)),
    verify: (entry, password) =>
      counted(
        counts.bind,
        call(of('verify'), () => directory.verify(entry, password), verdictOf),
        ({ outcome }) => outcome,
      ),
    look: (subjects) => search('look', () => directory.look(subjects)),
    close: () => directory.close(),
  }
}

/** Counts a call when it has ended, with its time. It is the same promise. */
function counted<Answer, Outcome extends string>(
  calls: { readonly outcomes: Record<Outcome | 'failed', number>; seconds: number },
  asking: Promise<Answer>,
  outcomeOf: (answer: Answer) => Outcome,
): Promise<Answer> {
  const from = performance.now()
  const note = (outcome: Outcome | 'failed') => {
    calls.outcomes[outcome] += 1
    calls.seconds += (performance.now() - from) / 1000
  }
  asking.then(
    (answer) => note(outcomeOf(answer)),
    () => note('failed'),
  )
  return asking
}

// The copies have no prototype: a polluted prototype must put nobody into a group.
function entriesOf(answer: unknown): readonly DirectoryEntry[] {
  const { success, data } = schemas().entries.safeParse(answer)
  if (!success) throw new UnexpectedAnswer('the answer is no list of at most 1,000 entries')
  return data.map((given) => {
    const read = schemas().entry.safeParse(ownMembers(given))
    if (read.success) return ownMembers(read.data)
    // The names of the members alone: their values are a person's.
    const wrong = read.error.issues.map(({ path }) => path.join('.')).join(', ')
    throw new UnexpectedAnswer(`an entry is malformed: ${wrong}`)
  })
}

function verdictOf(answer: unknown): DirectoryVerdict {
  const { success, data } = schemas().verdict.safeParse(ownMembers(answer))
  if (success) return data
  throw new UnexpectedAnswer('verify: no verdict')
}
