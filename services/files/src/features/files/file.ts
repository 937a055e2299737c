import { File } from '@tandem/files-contract';
import { fail } from '@tandem/service';
import type { z } from 'zod';
import type { File as FileRow } from '../../generated/client.ts';
import type { Linked, Tools, Tx } from '../../handler.ts';

export type FileRecord = z.output<typeof File>;

const columns = File.pick({ status: true });

/** The columns that operations change; the others describe the current version, and change with it. */
type Changes = Partial<
  Pick<FileRow, 'filename' | 'tags' | 'entityType' | 'entityId' | 'mergedFromEntityId' | 'deletedAt'>
>;

/** Converts a row to the contract's `File`. */
export function asFile(row: FileRow): FileRecord {
  return { ...row, ...columns.parse(row), versionId: row.versionId as number };
}

/** Finds a file that is not deleted. */
export async function findPresent(tx: Tx, id: number): Promise<FileRow> {
  const row = await tx.file.findFirst({ where: { id, deletedAt: null } });
  if (!row) throw fail('not_found');
  return row;
}

/** Reads and locks a file, so that no other request changes it before this one is written. */
export async function lockFile(tx: Tx, id: number): Promise<FileRow> {
  const row = await tx.file.lockFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return row;
}

/** Reads and locks a file that is not deleted. */
export async function lockPresent(tx: Tx, id: number): Promise<FileRow> {
  const row = await lockFile(tx, id);
  if (row.deletedAt) throw fail('not_found');
  return row;
}

/** Writes changes to a locked file as its next version. */
export async function writeFile(tx: Tx, id: number, data: Changes): Promise<FileRow> {
  const [row] = await tx.file.updateManyAndReturn({ where: { id }, data: { ...data, version: { increment: 1 } } });
  if (!row) throw fail('not_found');
  return row;
}

/** Creates a download link; fails if the file is not available. */
export function linkTo(
  { links, publicUrl }: Tools,
  { status }: Pick<FileRow, 'status'>,
  linked: Linked,
  seconds: number,
): { url: string; expiresAt: Date } {
  if (status !== 'available') throw fail('not_available');
  const expiresAt = new Date(Date.now() + seconds * 1_000);
  return { url: `${publicUrl}/v1/public/files/${links.issue(linked, expiresAt)}`, expiresAt };
}
