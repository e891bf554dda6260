/** How many scripts are sent before their answers are awaited. */
const chunk = 100

/**
 * Asks for each of the items. Commands that are sent without awaiting one another travel together;
 * a chunk at a time, so that nobody else waits long.
 */
export async function inChunks<T, Answer>(
  items: readonly T[],
  ask: (item: T) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let from = 0; from < items.length; from += chunk) {
    answers.push(...(await Promise.all(items.slice(from, from + chunk).map(ask))))
  }
  return answers
}
