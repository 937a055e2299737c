import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { type Scanner, ScannerUnavailableError, ScanUnfinishedError, type Verdict } from './scanner.ts';

export type ScanResult = Verdict | { kind: 'unavailable' } | { kind: 'unfinished' } | { kind: 'none' };

/** A scan that receives its content in chunks, while the content is stored or compared. */
export interface RunningScan {
  /** Waits while the scanner reads more slowly than the content arrives. */
  write(chunk: Uint8Array): Promise<void>;
  end(): Promise<ScanResult>;
  /** Ends the scan of content that broke off. */
  abort(): void;
}

const bufferedBytesMax = 256 * 1024;

/** Begins a scan; without a scanner nothing is scanned. */
export function beginScan(scanner: Scanner | undefined): RunningScan {
  if (!scanner) return { write: async () => {}, end: async () => ({ kind: 'none' }), abort() {} };
  const through = new PassThrough({ highWaterMark: bufferedBytesMax });
  through.on('error', () => {});
  const closed = new AbortController();
  through.once('close', () => closed.abort());
  const result = scanner
    .scan(through)
    .catch((error: unknown): ScanResult => {
      if (error instanceof ScanUnfinishedError) return { kind: 'unfinished' };
      if (error instanceof ScannerUnavailableError) return { kind: 'unavailable' };
      throw error;
    })
    .finally(() => through.destroy());
  // Content that broke off ends with an error of its own.
  result.catch(() => {});
  return {
    async write(chunk) {
      // The scanner has seen enough, or cannot be reached.
      if (through.destroyed || through.write(chunk)) return;
      await once(through, 'drain', { signal: closed.signal }).catch(() => {});
    },
    end() {
      if (!through.destroyed) through.end();
      return result;
    },
    abort: () => void through.destroy(new Error('The content broke off')),
  };
}
