/** Thrown by a consumer when further attempts cannot succeed: the event becomes a dead letter at once. */
export class PermanentError extends Error {
  override readonly name: string = 'PermanentError';
  /** Failure reason stored with the dead letter. */
  readonly reason: string = 'permanent';
}

/** Thrown when data or record of an event do not match the contract that the consumer has. */
export class UnreadableError extends PermanentError {
  override readonly name: string = 'UnreadableError';
  override readonly reason: string = 'unreadable';
}

/**
 * Thrown for an event that this release cannot read because another release wrote it: its name is unknown to the consumer,
 * or its contract differs. The event is handed back until an instance of the other release takes it.
 */
export class OtherReleaseError extends Error {
  override readonly name = 'OtherReleaseError';
  /** Failure reason when the event becomes a dead letter after all. */
  readonly reason: 'unknown_event' | 'unknown_contract';
  constructor(reason: OtherReleaseError['reason'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

// Headers of a message have to fit into one frame.
const textMaxBytes = 2_000;
const lineMax = 160;

/** Name and message of an error, as stored with a dead letter: at most 2,000 bytes. */
export function describeError(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return Buffer.from(text.toWellFormed()).subarray(0, textMaxBytes).toString();
}

/** The same on one line of at most 160 characters, without source code and stack that some libraries put into messages. */
export function onOneLine(text: string): string {
  const lines = text.split('\n').filter((line) => !/^\s*(→\s*)?\d+ |^\s*at .*:\d+/.test(line));
  const line = lines.join(' ').replace(/\s+/g, ' ').trim();
  return line.length > lineMax ? `${line.slice(0, lineMax - 1)}…` : line;
}
