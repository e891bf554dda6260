import { AssertionError } from 'node:assert/strict'
import type { Directory, DirectoryEntry } from '../../directories/contract.js'

/** A person as the suite adds one. */
export interface PersonToAdd {
  /** In lower case; within one harness as good as unique. */
  readonly username: string
  readonly email: string
  readonly password: string
}

/** A directory, and the way to change who is in it. */
export interface DirectoryHarness {
  readonly directory: Directory
  add(person: PersonToAdd): Promise<unknown>
  /** From now on nobody may sign in by this entry. */
  disable(username: string): Promise<unknown>
  remove(username: string): Promise<unknown>
  setPassword(username: string, password: string): Promise<unknown>
  /**
   * True makes the directory unreachable, false lets it answer again. Default: outages are not
   * tried.
   */
  down?(isDown: boolean): Promise<unknown>
  /** Removes what `create` opened and what was added. Default: nothing. */
  close?(): Promise<unknown>
}

/** One test of the suite, for the runner of your choice. */
export interface DirectoryTest {
  /** What is promised. */
  readonly name: string
  /** Rejects, with what to mend, where the promise is not kept. */
  run(): Promise<void>
}

/** What a test of the suite works with. */
export interface Subject extends Omit<DirectoryHarness, 'add' | 'close'> {
  /** Adds a person of a name of their own. */
  add(): Promise<PersonToAdd>
  /** A name that nobody has. */
  newName(): string
}

/** A promise, and how it is tried. */
export type Promised = readonly [name: string, run: (subject: Subject) => Promise<void>]

/** Fails with a text for the author of the directory. */
export function check(kept: boolean, broken: string): asserts kept {
  if (!kept)
    throw new AssertionError({
      message: broken,
      actual: false,
      expected: true,
      operator: 'directoryContract',
    })
}

/** The answer of a method; a rejection fails with the remedy. */
export async function answered<Answer>(
  method: string,
  remedy: string,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await ask()
  } catch (error) {
    const name = error instanceof Error ? error.name : typeof error
    throw new AssertionError({
      message: `${method} rejected (${name}): the client is told 503. ${remedy}`,
      actual: error,
      operator: 'directoryContract',
    })
  }
}

/** The one entry of a person who is there. */
export async function entryOf({ directory }: Subject, name: string): Promise<DirectoryEntry> {
  const found = await answered('find', 'Answer a list.', () => directory.find(name))
  const [entry, ...others] = found
  check(
    entry !== undefined && others.length === 0,
    `find answered ${found.length} entries for a name that one person has.`,
  )
  return entry
}
