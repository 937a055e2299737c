import { FileVersion } from '@tandem/files-contract';
import { fail } from '@tandem/service';
import type { z } from 'zod';
import type { FileVersion as VersionRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type VersionRecord = z.output<typeof FileVersion>;

const columns = FileVersion.pick({ status: true });

/**
 * Converts a row to the contract's `FileVersion`.
 * @param currentId the current version of its file
 */
export function asVersion(row: VersionRow, currentId: number | null): VersionRecord {
  const checksumSha256 = row.checksumSha256 || null;
  return { ...row, ...columns.parse(row), checksumSha256, isCurrent: row.id === currentId };
}

/** Finds a version of a file that the caller can access. */
export async function findVersion(
  tx: Tx,
  { fileId, versionId }: { fileId: number; versionId: number },
): Promise<VersionRow> {
  const row = await tx.fileVersion.findFirst({ where: { id: versionId, fileId } });
  if (!row) throw fail('not_found');
  return row;
}
