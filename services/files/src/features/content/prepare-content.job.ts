import { Readable } from 'node:stream';
import { id } from '@tandem/contract';
import { ocrBytesMax, ocrPagesMax } from '@tandem/files-contract';
import { type JobContext, job } from '@tandem/jobs';
import { ShareTimeoutError } from '@tandem/process';
import { TaskStuckError } from '@tandem/workers';
import { z } from 'zod';
import { DocumentError } from '../../documents/document.ts';
import type { Documents } from '../../documents/documents.ts';
import type { FileVersion } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { readStart, withLocalCopy } from '../../store/local-copy.ts';
import type { Store } from '../../store/store.ts';
import { discardObjectJob } from '../files/discard-object-job.ts';
import { readableKind } from '../ocr/readable.ts';
import { indexedMax, storeText } from './file-text.ts';
import { previewKey, previewSides } from './previews.ts';

/** Job that makes the previews of the current version of a file, and indexes the text that it contains as text. */
export const prepareContentJob = { name: 'prepare-content', payload: z.object({ fileId: id('file') }) };

// When all processes that read documents are busy.
const busyMs = 5_000;

interface Prepared {
  previews: 'ready' | 'none';
  /** The pages that contain text. */
  pages: { number: number; text: string }[];
}

export const prepareContent = (tools: { store: Store; documents: Documents }) =>
  job({
    ...prepareContentJob,
    lane: 'documents',
    async run({ payload, tx: reader, outside, finish }: JobContext<z.output<typeof prepareContentJob.payload>, Tx>) {
      const file = await reader.file.findFirst({ where: { id: payload.fileId, status: 'available' } });
      const version = await reader.fileVersion.findFirst({ where: { id: file?.versionId ?? 0 } });
      if (!version) return;
      const { id: versionId, fileId, objectKey } = version;
      try {
        const { previews, pages } = await outside(() => prepare(tools, version));
        await finish(async ({ tx, schedule }) => {
          // The file first, as in deletions: in another order the two would wait for each other.
          await tx.file.lockFirst({ where: { id: fileId } });
          const { count } = await tx.fileVersion.updateMany({ where: { objectKey }, data: { previews } });
          // The version was removed meanwhile, perhaps before its previews were stored.
          if (!count) await schedule(discardObjectJob, [{ objectKey }]);
          await storeText(tx, { fileId, versionId }, pages);
        });
      } catch (error) {
        // A stuck task counts as an attempt, because it holds a process until its time limit.
        if (!(error instanceof ShareTimeoutError) || error instanceof TaskStuckError) throw error;
        await finish(async () => new Date(Date.now() + busyMs));
      }
    },
  });

async function prepare(
  { store, documents }: { store: Store; documents: Documents },
  version: FileVersion,
): Promise<Prepared> {
  const { objectKey } = version;
  const tenantId = Number(version.tenantId);
  const kind = readableKind(version);
  if (kind === undefined || version.size > ocrBytesMax) return { previews: 'none', pages: [] };
  if (kind === 'text')
    return { previews: 'none', pages: [{ number: 1, text: await readStart(store, objectKey, indexedMax) }] };
  return withLocalCopy(store, objectKey, async (path) => {
    const sides = Object.values(previewSides);
    const previews = await unlessDamaged(documents.makePreviews({ path, kind, sides }, tenantId));
    for (const [index, side] of sides.entries()) {
      const preview = previews?.[index];
      if (preview) await store.put(previewKey(objectKey, side), Readable.from([Buffer.from(preview.content)]));
    }
    const read = kind === 'pdf' && (await unlessDamaged(documents.readText({ path, pages: allPages }, tenantId)));
    return { previews: previews ? 'ready' : 'none', pages: read ? read.pages : [] };
  });
}

const allPages = Array.from({ length: ocrPagesMax }, (_, index) => index + 1);

/** Nothing for content that cannot be read: the file remains what it is, without preview and text. */
async function unlessDamaged<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof DocumentError) return undefined;
    throw error;
  }
}
