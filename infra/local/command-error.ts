import { userInfo } from 'node:os';

/** A failure whose message alone tells the user what is wrong and what to do about it. */
export class CommandError extends Error {
  override name = 'CommandError';
  /** The last lines of a process that failed, to be shown below the message. */
  readonly lines: string[];

  constructor(message: string, options: { lines?: string[]; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.lines = options.lines ?? [];
  }
}

/** One line for whatever was thrown; a stack only when the user asks for it with DEBUG. */
export function explain(error: unknown): string {
  if (process.env['DEBUG']) return error instanceof Error ? (error.stack ?? error.message) : String(error);
  if (error instanceof CommandError) return error.message;
  const { code, path, message } = (error ?? {}) as NodeJS.ErrnoException;
  const where = path ? ` (${path})` : '';
  if (code === 'ENOSPC' || code === 'EDQUOT') return `The disk is full${where}: free some space and start again.`;
  if (code === 'EACCES' || code === 'EPERM') {
    return `${userInfo().username} may not write here${where}: run as the user who owns this folder, or change its owner.`;
  }
  if (code === 'EROFS') return `The disk is mounted read-only${where}.`;
  if (code === 'EMFILE' || code === 'ENFILE')
    return 'Too many open files: raise the limit (ulimit -n 4096) and start again.';
  // From a PostgreSQL of the user's own; the private one lets us do everything.
  if (code === '28P01' || code === '28000') return `PostgreSQL refuses the user of DATABASE_URL: ${message}.`;
  if (code === '42501') return `The user of DATABASE_URL must be allowed to create databases and roles: ${message}.`;
  return (message ?? String(error)).split('\n')[0] || 'It failed without saying why: set DEBUG=1 to see more.';
}
