import type { Ai } from '@tandem/ai';
import { id } from '@tandem/contract';
import { fileOcrCompleted, OcrPage, type ocrLanguages, ocrPagesMax } from '@tandem/files-contract';
import { type Inside, type JobContext, job } from '@tandem/jobs';
import { ShareTimeoutError } from '@tandem/process';
import { TaskStuckError } from '@tandem/workers';
import { z } from 'zod';
import { DocumentError, type PageText } from '../../documents/document.ts';
import type { Documents } from '../../documents/documents.ts';
import { tablesOf } from '../../documents/tables.ts';
import type { FileVersion, OcrJob } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { readStart, withLocalCopy } from '../../store/local-copy.ts';
import type { Store } from '../../store/store.ts';
import { storeText } from '../content/file-text.ts';
import { findFields } from './fields.ts';
import { readableKind } from './readable.ts';

/** Job that reads the next pages of a version, until all are read. */
export const readDocumentJob = { name: 'read-document', payload: z.object({ ocrJobId: id('ocr_job') }) };

type Languages = (typeof ocrLanguages)[number][];

/** Tools of the job. */
export interface Reader {
  store: Store;
  documents: Documents;
  ai: Ai;
}

// A run reads so many pages with text, or recognizes so many, which takes seconds each: then it stores them, so that a
// crash repeats little and clients see the progress.
const textPagesMax = 20;
const recognizedPagesMax = 3;
const plainTextMax = 1_000_000;
// When all processes that read documents are busy.
const busyMs = 5_000;

interface ReadPage {
  page: PageText;
  recognized: boolean;
}

/** Pages that were read in one run, and how many there are to read. */
interface Portion {
  total: number;
  read: ReadPage[];
}

export const readDocument = (reader: Reader) =>
  job({
    ...readDocumentJob,
    // Recognition takes seconds per page, and must not hold up the previews of other files.
    lane: 'recognition',
    async run({ payload, tx, outside, finish }: JobContext<z.output<typeof readDocumentJob.payload>, Tx>) {
      const ocrJob = await tx.ocrJob.findFirst({ where: { id: payload.ocrJobId } });
      if (!ocrJob || isOver(ocrJob)) return;
      const version = await tx.fileVersion.findFirst({ where: { id: ocrJob.versionId } });
      if (version?.status !== 'available') return finish((inside) => failJob(inside, ocrJob, gone));
      const rows = await tx.ocrPage.findMany({ where: { ocrJobId: ocrJob.id }, orderBy: { number: 'asc' } });
      try {
        const done = new Set(rows.map(({ number }) => number));
        const portion = await outside(() => readPortion(reader, { ocrJob, version, done }));
        if (portion.total === 0) return await finish((inside) => failJob(inside, ocrJob, noPages));
        const pages = [
          ...rows.map(({ content }) => OcrPage.parse(content)),
          ...portion.read.map(({ page }) => asPage(page)),
        ];
        const isLast = pages.length >= portion.total;
        const fields = isLast ? await outside(() => fieldsOf(reader, ocrJob, pages)) : {};
        const contained = isLast && ocrJob.pages.length ? await outside(() => containedText(reader, version)) : [];
        await finish(async (inside) => {
          // The file first, as in deletions; its words are stored by one job at a time.
          await inside.tx.file.lockFirst({ where: { id: ocrJob.fileId } });
          await storePages(inside.tx, ocrJob, portion);
          if (!isLast) return new Date();
          const recognized = [...rows, ...portion.read].map((one) => one.recognized);
          return completeJob(inside, ocrJob, { pages, fields, contained, engine: engineOf(recognized) });
        });
      } catch (error) {
        // A stuck task counts as an attempt, because it holds a process until its time limit.
        if (error instanceof TaskStuckError) throw error;
        if (error instanceof ShareTimeoutError) return finish(async () => new Date(Date.now() + busyMs));
        if (!(error instanceof DocumentError)) throw error;
        await finish((inside) => failJob(inside, ocrJob, { code: error.fault, message: error.message }));
      }
    },
    async giveUp({ payload, ...inside }) {
      const ocrJob = await inside.tx.ocrJob.findFirst({ where: { id: payload.ocrJobId } });
      if (ocrJob && !isOver(ocrJob)) await failJob(inside, ocrJob, unavailable);
    },
  });

const gone = { code: 'version_deleted', message: 'The version was deleted before it was read' };
const noPages = { code: 'no_such_page', message: 'The document has none of these pages' };
const unavailable = { code: 'ocr_engine_unavailable', message: 'The text could not be read; try again later' };

function isOver({ status }: OcrJob): boolean {
  return status === 'completed' || status === 'failed';
}

/** Reads the next pages that are not done. */
async function readPortion(
  { store, documents }: Reader,
  { ocrJob, version, done }: { ocrJob: OcrJob; version: FileVersion; done: ReadonlySet<number> },
): Promise<Portion> {
  const { languages } = ocrJob as { languages: string[] } as { languages: Languages };
  const tenantId = Number(version.tenantId);
  const kind = readableKind(version);
  if (kind === 'text') return { total: 1, read: [plainPage(await readStart(store, version.objectKey, plainTextMax))] };
  return withLocalCopy(store, version.objectKey, async (path) => {
    const recognize = async (page: number): Promise<ReadPage> => ({
      page: await documents.recognize({ path, kind: kind ?? 'picture', page, languages }, tenantId),
      recognized: true,
    });
    if (kind !== 'pdf') return { total: 1, read: [await recognize(1)] };
    const wanted = ocrJob.pages.length ? ocrJob.pages.toSorted((a, b) => a - b) : allPages;
    const next = wanted.filter((number) => !done.has(number)).slice(0, textPagesMax);
    const { pagesCount, pages } = await documents.readText({ path, pages: next }, tenantId);
    const read: ReadPage[] = [];
    let scans = 0;
    for (const page of pages) {
      if (page.lines.length) read.push({ page, recognized: false });
      else if (scans++ < recognizedPagesMax) read.push(await recognize(page.number));
      else break;
    }
    return { total: wanted.filter((number) => number <= pagesCount).length, read };
  });
}

/** The text that the pages of a PDF contain. */
async function containedText({ store, documents }: Reader, version: FileVersion): Promise<PageText[]> {
  if (readableKind(version) !== 'pdf') return [];
  const { pages } = await withLocalCopy(store, version.objectKey, (path) =>
    documents.readText({ path, pages: allPages }, Number(version.tenantId)),
  );
  return pages;
}

const allPages = Array.from({ length: ocrPagesMax }, (_, index) => index + 1);

function plainPage(text: string): ReadPage {
  return { page: { number: 1, width: 0, height: 0, text, confidence: 1, lines: [] }, recognized: false };
}

/** A page as the contract describes it. */
function asPage({ lines, ...page }: PageText): z.output<typeof OcrPage> {
  return { ...page, lines: lines.map(({ text, confidence, box }) => ({ text, confidence, bbox: [...box] })) };
}

async function fieldsOf({ ai }: Reader, { features, schema, tenantId }: OcrJob, pages: z.output<typeof OcrPage>[]) {
  if (!features.includes('fields') || typeof schema !== 'object' || schema === null) return {};
  return findFields(ai, { schema, pages, tenantId: Number(tenantId) });
}

function engineOf(recognized: boolean[]): 'text_layer' | 'tesseract' | 'mixed' {
  if (recognized.every(Boolean)) return 'tesseract';
  return recognized.some(Boolean) ? 'mixed' : 'text_layer';
}

async function storePages(tx: Tx, ocrJob: OcrJob, { total, read }: Portion): Promise<void> {
  await tx.ocrPage.createMany({
    data: read.map(({ page, recognized }) => ({
      ocrJobId: ocrJob.id,
      number: page.number,
      recognized,
      content: asPage(page) as object,
    })),
  });
  const tables = ocrJob.features.includes('tables') ? read.flatMap(({ page }) => tablesOf(page)) : [];
  await tx.ocrJob.updateManyAndReturn({
    where: { id: ocrJob.id },
    data: {
      status: 'processing',
      total,
      done: { increment: read.length },
      tables: [...(ocrJob.tables as object[]), ...tables] as object[],
    },
  });
  await setStatus(tx, ocrJob, 'processing');
}

interface Found {
  pages: z.output<typeof OcrPage>[];
  fields: object;
  /** The pages of the document that contain text, when only some of its pages were to be read. */
  contained: PageText[];
  engine: 'text_layer' | 'tesseract' | 'mixed';
}

async function completeJob(inside: Inside<Tx>, ocrJob: OcrJob, found: Found): Promise<void> {
  const { pages, fields, contained, engine } = found;
  const { tx } = inside;
  await tx.ocrJob.updateManyAndReturn({
    where: { id: ocrJob.id },
    data: { status: 'completed', engine, fields, completedAt: new Date() },
  });
  await setStatus(tx, ocrJob, 'completed');
  await storeText(tx, ocrJob, contained);
  await report(inside, ocrJob, { status: 'completed', pages: pages.length });
}

async function failJob(inside: Inside<Tx>, ocrJob: OcrJob, error: { code: string; message: string }): Promise<void> {
  await inside.tx.ocrJob.updateManyAndReturn({
    where: { id: ocrJob.id },
    data: { status: 'failed', errorCode: error.code, errorMessage: error.message, completedAt: new Date() },
  });
  await setStatus(inside.tx, ocrJob, 'failed');
  await report(inside, ocrJob, { status: 'failed', pages: ocrJob.done });
}

/** The file shows the status of the last job for its current version. */
async function setStatus(tx: Tx, { id: ocrJobId, fileId, versionId }: OcrJob, ocrStatus: string): Promise<void> {
  const later = await tx.ocrJob.count({ where: { fileId, versionId, id: { gt: ocrJobId } } });
  if (!later) await tx.file.updateManyAndReturn({ where: { id: fileId, versionId }, data: { ocrStatus } });
}

async function report(
  { tx, emit }: Inside<Tx>,
  { id: ocrJobId, fileId, versionId }: OcrJob,
  outcome: { status: 'completed' | 'failed'; pages: number },
): Promise<void> {
  const file = await tx.file.findFirst({ where: { id: fileId } });
  if (file) emit(fileOcrCompleted, { data: { fileId, versionId, ocrJobId, ...outcome }, record: file });
}
