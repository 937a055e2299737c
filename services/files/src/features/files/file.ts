import { File, fileStates } from '@tandem/files-contract';
import { fail } from '@tandem/service';
import type { z } from 'zod';
import type { File as FileRow } from '../../generated/client.ts';
import type { Linked, Tools, Tx } from '../../handler.ts';
import { previewKey, previewType } from '../content/previews.ts';
import { isDisplayable } from './detect-type.ts';

export type FileRecord = z.output<typeof File>;

const columns = File.pick({ status: true, ocrStatus: true, scan: true });

/** The columns that operations change; the others describe the current version, and change with it. */
type Changes = Partial<
  Pick<
    FileRow,
    | 'filename'
    | 'tags'
    | 'entityType'
    | 'entityId'
    | 'mergedFromEntityId'
    | 'legalHold'
    | 'holdReason'
    | 'retainUntil'
    | 'deleteAt'
    | 'deletedAt'
    | 'deletedWithLeadId'
  >
>;

/** Converts a row to the contract's `File`. */
export function asFile(row: FileRow): FileRecord {
  const { status, ocrStatus, scan } = columns.parse(row);
  return {
    ...row,
    status,
    ocrStatus,
    scan,
    allowedTransitions: fileStates.next(status),
    // A pending upload may not have declared it.
    checksumSha256: row.checksumSha256 || null,
    versionId: row.versionId as number,
  };
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

/** The changes that restore a file. A time for its deletion that has passed meanwhile is removed: somebody wants to keep it. */
export function restoredColumns({ deleteAt }: Pick<FileRow, 'deleteAt'>): Changes {
  return { deletedAt: null, ...(deleteAt && deleteAt <= new Date() && { deleteAt: null }) };
}

/** Writes changes to a locked file as its next version. */
export async function writeFile(tx: Tx, id: number, data: Changes): Promise<FileRow> {
  const [row] = await tx.file.updateManyAndReturn({ where: { id }, data: { ...data, version: { increment: 1 } } });
  if (!row) throw fail('not_found');
  return row;
}

/** The columns of a file or version that a link presents. */
type Content = Pick<FileRow, 'status' | 'objectKey' | 'contentType' | 'detectedContentType'>;

/** Creates a download link, which works as long as the content is available. */
export function linkTo(
  { links, publicUrl }: Tools,
  { content, linked, seconds }: { content: Pick<Content, 'status'>; linked: Linked; seconds: number },
): { url: string; expiresAt: Date } {
  if (content.status !== 'available') throw fail('not_available');
  const expiresAt = new Date(Date.now() + seconds * 1_000);
  return { url: `${publicUrl}/v1/public/files/${links.issue(linked, expiresAt)}`, expiresAt };
}

/** The object behind a link and how a browser presents it: the content, displayed for harmless types only, or a preview. */
export function presentationOf(
  { objectKey, contentType, detectedContentType }: Omit<Content, 'status'>,
  filename: string,
  { disposition: wanted, preview }: Pick<Linked, 'disposition' | 'preview'>,
) {
  if (preview !== undefined) {
    const disposition = { kind: 'inline' as const, filename: `${filename}.webp` };
    return { key: previewKey(objectKey, preview), contentType: previewType, disposition };
  }
  const isInline = wanted === 'inline' && isDisplayable(contentType, detectedContentType);
  const disposition = { kind: isInline ? ('inline' as const) : ('attachment' as const), filename };
  return { key: objectKey, contentType, disposition };
}
