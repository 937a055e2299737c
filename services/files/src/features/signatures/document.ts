import { fail } from '@tandem/service';
import type { FileVersion as VersionRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import { type DocumentError, documentLimits } from './pdf/document.ts';

const problems: Record<DocumentError | 'too_large', string> = {
  not_pdf: 'Must be a PDF that can be opened; print it to PDF again if it is damaged',
  encrypted: 'Must not be encrypted; save it without a password',
  has_scripts: 'Must not contain scripts or actions that open programs; print it to PDF',
  has_xfa: 'Must not be a dynamic form (XFA); print it to PDF',
  too_many_pages: `Must have at most ${documentLimits.pages} pages`,
  too_complex: 'Has too many objects to be processed; print it to PDF',
  too_large: `Must have at most ${documentLimits.bytes / 1024 / 1024} MiB`,
};

/** @throws 422 that names the problem of a document and the remedy */
export function documentNotSignable(reason: keyof typeof problems) {
  return fail('document_not_signable', [{ field: 'id', message: problems[reason] }]);
}

/** The bytes of a version. Call it outside of transactions. */
export async function readBytes(
  { store }: Pick<Tools, 'store'>,
  { objectKey, size }: Pick<VersionRow, 'objectKey' | 'size'>,
): Promise<Uint8Array> {
  if (size > documentLimits.bytes) throw documentNotSignable('too_large');
  const chunks: Buffer[] = [];
  for await (const chunk of await store.get(objectKey)) chunks.push(chunk as Buffer);
  return new Uint8Array(Buffer.concat(chunks));
}

/** The version that a request is about. */
export async function versionOf(tx: Tx, id: number): Promise<VersionRow> {
  const version = await tx.fileVersion.findFirst({ where: { id } });
  if (!version) throw fail('not_found');
  return version;
}
