import { createHash } from 'node:crypto';
import { OcrJob, OcrPage } from '@tandem/files-contract';
import { fail } from '@tandem/service';
import type { z } from 'zod';
import type { Prisma } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

type OcrJobRow = Prisma.OcrJobGetPayload<{ include: { read: true } }>;

const columns = OcrJob.pick({
  status: true,
  languages: true,
  features: true,
  engine: true,
  tables: true,
  fields: true,
});

/** Finds a job with the pages that it has read. */
export async function findOcrJob(
  tx: Tx,
  where: { fileId: number; versionId?: number; id?: number },
): Promise<OcrJobRow> {
  const row = await tx.ocrJob.findFirst({
    where,
    // The last job of the latest version that was read.
    orderBy: [{ versionId: 'desc' }, { id: 'desc' }],
    include: { read: { orderBy: { number: 'asc' } } },
  });
  if (!row) throw fail('not_found');
  return row;
}

/** Converts a row to the contract's `OcrJob`. */
export function asOcrJob({ read, ...row }: OcrJobRow): z.output<typeof OcrJob> {
  const { done, total, errorCode, errorMessage } = row;
  const pages = read.map(({ content }) => OcrPage.parse(content));
  return {
    ...row,
    ...columns.parse(row),
    progress: { done, total },
    text: pages.map(({ text }) => text).join('\n\n'),
    pages,
    error: errorCode === null ? null : { code: errorCode, message: errorMessage ?? '' },
  };
}

interface Options {
  languages: string[];
  pages?: number[] | undefined;
  features: string[];
  schema?: object | undefined;
}

/** Whether two jobs for the same version have the same result: their options, in any order. */
export function fingerprintOf({ languages, pages = [], features, schema }: Options): string {
  const sorted = [languages.toSorted(), pages.toSorted((a, b) => a - b), features.toSorted(), schema ?? null];
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
}
