import type { SessionRecord } from './contract.js'

/** How much of `passwordMarkNext` is kept: 22 marks. What is older is cut off. */
export const maxNextMarks = 1000

type Marks = Pick<SessionRecord, 'passwordMark' | 'passwordMarkNext'>

/** What `addPasswordMark` makes of the marks of one session; nothing where it changes none. */
export function withPasswordMark(
  { passwordMark, passwordMarkNext = '' }: Marks,
  from: string,
  to: string,
): Marks {
  const next = passwordMarkNext.split(' ')
  if (next.includes(from)) return { passwordMark: from, passwordMarkNext: to }
  if (passwordMark !== from || next.includes(to)) return {}
  return { passwordMarkNext: `${passwordMarkNext} ${to}`.trimStart().slice(-maxNextMarks) }
}
