/**
 * The text with which a hook of the host refuses; undefined if it allows. Any value is an
 * objection: a hook that returns `false` meant to say no.
 */
export function objectionIn(answer: unknown, otherwise: string): string | undefined {
  const objection = answer ?? undefined
  if (objection === undefined) return undefined
  return typeof objection === 'string' && objection !== '' ? objection : otherwise
}
