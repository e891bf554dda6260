export function countTests(printed: string): { passed: number; failed: number } | null
