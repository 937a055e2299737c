// SQLSTATE class 23, integrity violations (PostgreSQL manual, appendix A), under the codes that Prisma gives them.
const taken = 'P2002';
const referenced = 'P2003';
// A foreign key with RESTRICT fails with 23001 since PostgreSQL 18.
const violations: Record<string, string> = { 23505: taken, 23503: referenced, 23001: referenced };

/** Converts a PostgreSQL error to the error that Prisma would have thrown, so that handlers see one kind of error. */
export function prismaError(error: unknown): unknown {
  const { code, message } = error as { code?: string; message: string };
  const known = violations[code ?? ''];
  return known ? Object.assign(new Error(message, { cause: error }), { code: known }) : error;
}

/** Whether an error is a unique constraint violation. */
export function isTaken(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === taken;
}

/** Whether an error is a foreign key violation: the record is still referenced by others, or refers to none. */
export function isReferenced(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === referenced;
}
