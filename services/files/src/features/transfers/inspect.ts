import type { Tools } from '../../handler.ts';
import { contentReader } from '../files/read-content.ts';
import type { StoredObject } from '../files/stored-object.ts';

/** The size and checksum that an upload declared. */
export interface Declared {
  size: number;
  contentType: string;
  declaredChecksum: string | null;
}

/**
 * Reads the bytes of an upload once, and compares them with what it declared.
 * @param objectKey of a copy that clients cannot change
 */
export async function inspect(
  tools: Tools,
  objectKey: string,
  { size, contentType, declaredChecksum }: Declared,
): Promise<{ stored: StoredObject; isUnfinished: boolean } | { mismatch: string }> {
  const reader = contentReader(tools);
  for await (const _chunk of reader.pass(await tools.store.get(objectKey)));
  if (reader.size() !== size) return { mismatch: `Must be exactly ${size} bytes, not ${reader.size()}` };
  const facts = await reader.facts();
  const { checksumSha256 } = facts;
  if (declaredChecksum !== null && checksumSha256 !== declaredChecksum)
    return { mismatch: `Must have the SHA-256 checksum ${declaredChecksum}, not ${checksumSha256}` };
  return { stored: { objectKey, contentType, ...facts }, isUnfinished: reader.isUnfinished() };
}
