import type { Readable } from 'node:stream';

/** The result of a scan. `skipped` content was not scanned, and is available as without a scanner. */
export type Verdict = { kind: 'clean' } | { kind: 'infected'; signature: string } | { kind: 'skipped'; reason: string };

/** The scanner cannot be reached, or did not answer in time. The content is scanned later. */
export class ScannerUnavailableError extends Error {}

/** The scanner received the whole content and did not finish it: it took too long, or ended. Other content may do no harm. */
export class ScanUnfinishedError extends ScannerUnavailableError {}

/** Searches content for malware. */
export interface Scanner {
  /**
   * Reads a stream to its end, or until the scanner has seen enough.
   * @throws ScannerUnavailableError when there is no verdict
   */
  scan(content: Readable): Promise<Verdict>;
  /** Whether the scanner answers now. */
  isReady(): Promise<boolean>;
}
