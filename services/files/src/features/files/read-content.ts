import { createHash } from 'node:crypto';
import type { Tools } from '../../handler.ts';
import { beginScan, type ScanResult } from '../../scan/begin-scan.ts';
import type { Verdict } from '../../scan/scanner.ts';
import { detectType, isProgram, sniffedBytes } from './detect-type.ts';

/** Facts about the bytes of a file, found in one pass. */
export interface ContentFacts {
  size: number;
  checksumSha256: string;
  detectedContentType: string | null;
  /** `processing` without a verdict of the scanner: a job scans the content later. */
  status: 'available' | 'quarantined' | 'processing';
  quarantineReason: string | null;
  /** The verdict of the scanner; null without one. */
  scan: Verdict['kind'] | null;
}

/**
 * Counts, hashes, recognizes and scans the chunks that pass; `facts` are complete after the last one, and `isUnfinished`
 * tells then whether the scanner received all and did not finish.
 */
export function contentReader({ scanner }: Pick<Tools, 'scanner'>) {
  const hash = createHash('sha256');
  const scan = beginScan(scanner);
  const beginning: Uint8Array[] = [];
  let size = 0;
  let isUnfinished = false;

  async function* pass<Chunk extends Uint8Array>(chunks: AsyncIterable<Chunk>): AsyncGenerator<Chunk> {
    let isWhole = false;
    try {
      for await (const chunk of chunks) {
        if (size < sniffedBytes) beginning.push(chunk);
        size += chunk.length;
        hash.update(chunk);
        await scan.write(chunk);
        yield chunk;
      }
      isWhole = true;
    } finally {
      if (!isWhole) scan.abort();
    }
  }

  async function facts(): Promise<ContentFacts> {
    const result = await scan.end();
    isUnfinished = result.kind === 'unfinished';
    const detectedContentType = await detectType(Buffer.concat(beginning));
    const scanned = { scan: verdictOf(result), ...statusOf(detectedContentType, result) };
    return { size, checksumSha256: hash.digest('hex'), detectedContentType, ...scanned };
  }

  return { pass, facts, size: () => size, isUnfinished: () => isUnfinished };
}

function statusOf(detected: string | null, result: ScanResult): Pick<ContentFacts, 'status' | 'quarantineReason'> {
  if (result.kind === 'infected')
    return { status: 'quarantined', quarantineReason: `Malware was found: ${result.signature}` };
  if (isProgram(detected)) return { status: 'quarantined', quarantineReason: `The content is a program (${detected})` };
  const isScanned = result.kind !== 'unavailable' && result.kind !== 'unfinished';
  return { status: isScanned ? 'available' : 'processing', quarantineReason: null };
}

function verdictOf({ kind }: ScanResult): ContentFacts['scan'] {
  return kind === 'clean' || kind === 'infected' || kind === 'skipped' ? kind : null;
}
