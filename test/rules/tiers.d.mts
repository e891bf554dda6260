export type Tier = 'test' | 'rest' | 'long' | 'further' | 'engines'
export const testFiles: readonly string[]
export function tierOf(file: string): Tier | undefined
export function filesOf(tier: Tier): readonly string[]
export function isRunByCi(file: string): boolean
export function testsWith(what: RegExp): readonly string[]
export const engineTests: readonly string[]
export const roundTests: readonly string[]
