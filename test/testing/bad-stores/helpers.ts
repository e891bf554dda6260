/** The way to the database and back. */
export const awaited = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, 3))

/** As a column that takes some keys for the same: whichever came first is what is stored. */
export function collation(fold: (key: string) => string): (key: string) => string {
  const first = new Map<string, string>()
  return (key) => {
    const stored = first.get(fold(key)) ?? key
    first.set(fold(key), stored)
    return stored
  }
}
