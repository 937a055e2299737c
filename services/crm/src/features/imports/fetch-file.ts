import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ServiceCallError, type ServiceClient } from '@tandem/client/internal';
import { importLimits } from '@tandem/crm-contract';
import type { internalFiles } from '@tandem/files-contract';
import { readCsv } from './read-csv.ts';
import { readXlsx } from './read-xlsx.ts';
import { FileError, type Table } from './table.ts';

/** The files service. */
export type Files = ServiceClient<typeof internalFiles>;

type As = Parameters<Files['readFile']>[0]['as'];
/** Reads the files of imports. */
export type FileReader = ReturnType<typeof fileReader>;

// Each takes a temporary file, and memory for the texts of its cells.
const filesAtOnceMax = 2;

/** Reads the files of imports, few at a time in a process. */
export function fileReader(files: Files) {
  let filesAtOnce = 0;
  return {
    /** Whether no other file may be read now. */
    isBusy: () => filesAtOnce >= filesAtOnceMax,
    /**
     * Runs work on the content of a file, which is a temporary file meanwhile: an XLSX file is not read from its beginning
     * to its end, and the encoding of a CSV file is known only at its end.
     * @throws FileError when the file is gone, too large, or neither CSV nor XLSX
     */
    async withTable<T>({ fileId, as }: { fileId: number; as: As }, work: (table: Table) => Promise<T>): Promise<T> {
      const path = join(tmpdir(), `import-${randomUUID()}`);
      filesAtOnce += 1;
      try {
        await download(files, { fileId, as }, path);
        return await work(await readTable(path));
      } finally {
        filesAtOnce -= 1;
        await rm(path, { force: true });
      }
    },
  };
}

async function download(files: Files, { fileId, as }: { fileId: number; as: As }, path: string): Promise<void> {
  const { body } = await files.readFile({ params: { id: fileId }, as }).catch((error: unknown) => {
    if (error instanceof ServiceCallError && (error.status === 404 || error.status === 409))
      throw new FileError('The file was deleted', 'file_missing');
    throw error;
  });
  let bytes = 0;
  await pipeline(
    body as Readable,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        bytes += chunk.length;
        if (bytes > importLimits.bytes) throw new FileError('The file is larger than 50 MiB; split it', 'too_large');
        yield chunk;
      }
    },
    createWriteStream(path, { mode: 0o600 }),
  );
}

const zipMark = Buffer.from('PK\x03\x04', 'latin1');
const oldExcelMark = Buffer.from('d0cf11e0a1b11ae1', 'hex');

/** Reads a file by its content, because its name and declared type may be wrong. */
async function readTable(path: string): Promise<Table> {
  const begin = await firstBytes(path);
  if (begin.subarray(0, 4).equals(zipMark)) return readXlsx(path);
  if (begin.equals(oldExcelMark)) throw new FileError('XLS files cannot be read; save the file as XLSX or CSV');
  // UTF-16 has zeros beside each letter; other binary files have them anywhere.
  const isBinary = begin.length >= 4 && begin.subarray(0, 4).every((byte) => byte < 9) && begin[0] !== 0xff;
  if (isBinary || begin.subarray(0, 4).toString('latin1') === '%PDF')
    throw new FileError('The file is neither a CSV nor an XLSX file');
  return readCsv(path);
}

async function firstBytes(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(8), 0, 8, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
