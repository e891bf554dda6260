/** Maximum characters of a name; a longer one is not a typo. */
const longest = 64

/** The known name that was probably meant; undefined if none is close. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > longest) return undefined
  const most = Math.min(3, Math.max(1, Math.floor(name.length / 3)))
  const near = known
    .map((one) => ({ one, slips: slips(name.toLowerCase(), one.toLowerCase()) }))
    .filter(({ slips }) => slips <= most)
  return near.sort((a, b) => a.slips - b.slips)[0]?.one
}

// Levenshtein distance.
function slips(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1]
    for (const [place, wanted] of [...other].entries()) {
      const changed = (row[place] ?? 0) + (letter === wanted ? 0 : 1)
      next.push(Math.min(changed, (row[place + 1] ?? 0) + 1, (next[place] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
