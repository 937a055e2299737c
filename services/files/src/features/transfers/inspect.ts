import { createHash } from 'node:crypto';
import type { Tools } from '../../handler.ts';
import { contentStatus, detectType, sniffedBytes } from '../files/detect-type.ts';
import type { StoredObject } from '../files/stored-object.ts';

/** What an upload declared. */
export interface Declared {
  size: number;
  contentType: string;
  declaredChecksum: string | null;
}

/** Reads the bytes of an upload once, and compares them with what it declared. */
export async function inspect(
  { store }: Tools,
  objectKey: string,
  { size, contentType, declaredChecksum }: Declared,
): Promise<{ stored: StoredObject } | { mismatch: string }> {
  const hash = createHash('sha256');
  const beginning: Buffer[] = [];
  let read = 0;
  for await (const chunk of await store.get(objectKey)) {
    if (read < sniffedBytes) beginning.push(chunk as Buffer);
    read += (chunk as Buffer).length;
    hash.update(chunk as Buffer);
  }
  if (read !== size) return { mismatch: `Must be exactly ${size} bytes, not ${read}` };
  const checksumSha256 = hash.digest('hex');
  if (declaredChecksum !== null && checksumSha256 !== declaredChecksum)
    return { mismatch: `Must have the SHA-256 checksum ${declaredChecksum}, not ${checksumSha256}` };
  const detectedContentType = await detectType(Buffer.concat(beginning));
  return {
    stored: {
      objectKey,
      size,
      contentType,
      detectedContentType,
      checksumSha256,
      ...contentStatus(detectedContentType),
    },
  };
}
