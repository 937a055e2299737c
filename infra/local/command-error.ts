import { userInfo } from 'node:os';

/** An error whose message tells the user what is wrong and what to do; printed without a stack. */
export class CommandError extends Error {
  override name = 'CommandError';
  /** The last output lines of a failed process, shown below the message. */
  readonly lines: string[];

  constructor(message: string, options: { lines?: string[]; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.lines = options.lines ?? [];
  }
}

/** One line for any thrown value; the stack if DEBUG is set. */
export function explain(error: unknown): string {
  if (process.env['DEBUG']) return error instanceof Error ? (error.stack ?? error.message) : String(error);
  if (error instanceof CommandError) return error.message;
  const { code, path, message } = (error ?? {}) as NodeJS.ErrnoException;
  const location = path ? ` (${path})` : '';
  if (code === 'ENOSPC' || code === 'EDQUOT') return `The disk is full${location}: free up space and start again.`;
  if (code === 'EACCES' || code === 'EPERM') {
    return `${userInfo().username} has no write permission${location}: run as the user who owns this folder, or change its owner.`;
  }
  if (code === 'EROFS') return `The disk is mounted read-only${location}: remount it with write access.`;
  if (code === 'EMFILE' || code === 'ENFILE')
    return 'Too many open files: raise the limit (ulimit -n 4096) and start again.';
  // From the user's own PostgreSQL; the private one has no restrictions.
  if (code === '28P01' || code === '28000')
    return `PostgreSQL rejected the user or password of DATABASE_URL: ${message}.`;
  if (code === '42501') return `The user of DATABASE_URL requires the privileges CREATEDB and CREATEROLE: ${message}.`;
  return (
    (message ?? String(error)).split('\n')[0] ||
    'The command failed without an error message: set DEBUG=1 to see details.'
  );
}
