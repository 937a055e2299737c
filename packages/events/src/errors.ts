/** Thrown by a consumer that no further attempt would help: the event goes to its dead letters at once. */
export class PermanentError extends Error {
  override readonly name: string = 'PermanentError';
  /** What stands at the dead letter. */
  readonly reason: string = 'permanent';
}

/** Thrown where somebody reads what is not as its contract says. */
export class UnreadableError extends PermanentError {
  override readonly name = 'UnreadableError';
  override readonly reason = 'unreadable';
}

// Headers of a message have to fit into one frame.
const textMaxBytes = 2_000;
const lineMax = 160;

/** What was thrown, by name and message, as it is kept with a dead letter. */
export function describeError(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return Buffer.from(text.toWellFormed()).subarray(0, textMaxBytes).toString();
}

/** The same on one short line: without the source code and stack that some libraries put into a message. */
export function onOneLine(text: string): string {
  const lines = text.split('\n').filter((line) => !/^\s*(→\s*)?\d+ |^\s*at .*:\d+/.test(line));
  const line = lines.join(' ').replace(/\s+/g, ' ').trim();
  return line.length > lineMax ? `${line.slice(0, lineMax - 1)}…` : line;
}
