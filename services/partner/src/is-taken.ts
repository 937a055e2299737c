/** Whether the database refused a second record where only one may be. */
export function isTaken(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 'P2002';
}
