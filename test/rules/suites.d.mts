export interface Suite {
  readonly name: string
  readonly command: readonly string[]
  readonly rooms: readonly string[]
}
export const suites: readonly Suite[]
export function suitesOf(changed: readonly string[]): readonly Suite[]
