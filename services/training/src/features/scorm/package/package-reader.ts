import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Caller } from '@tandem/caller';
import type { ServiceClient } from '@tandem/client/internal';
import type { internalFiles } from '@tandem/files-contract';
import { createShares } from '@tandem/process';
import { asService, failField } from '@tandem/service';
import { scormLimits } from '@tandem/training-contract';
import { createWorkers, TaskTooLongError } from '@tandem/workers';
import type { PackageTasks } from './read-package.thread.ts';
import type { ReadPackage } from './read-package.ts';

/** A package, and the checksum of the content that was read. */
export type ReadContent = ReadPackage & { checksumSha256: string };

/** Reads the packages of lessons in processes of their own. */
export interface PackageReader {
  /**
   * Reads the file of a package. Not inside a transaction.
   * @throws ApiError 422 for a file that is not a package, or a hostile one
   */
  read(input: { fileId: number; caller: Caller }): Promise<ReadContent>;
  close(): Promise<void>;
}

// 350 MB in 110 files take 4 s of CPU time and 160 MB of memory.
const limits = { cpuMs: 20_000, elapsedMs: 45_000, heapMb: 128, memoryMb: 400 };
// Each takes up to 100 MB on the disk.
const downloadsMax = 3;
const waitMs = 20_000;
const mb = 1024 * 1024;

export function createPackageReader({ files }: { files: ServiceClient<typeof internalFiles> }): PackageReader {
  const workers = createWorkers<PackageTasks>(new URL('./read-package.thread.ts', import.meta.url), limits);
  // A tenant reads one package at a time, so that others always find a free place.
  const tenantShares = createShares<number>(1, waitMs, 10);
  const shares = createShares<'download'>(downloadsMax, waitMs, 100);

  const readFrom = async (path: string, { fileId, caller }: { fileId: number; caller: Caller }) => {
    const { body } = await files.readFile({ params: { id: fileId }, as: asService(caller) });
    const hash = createHash('sha256');
    const checked = checkedChunks(scormLimits.packageBytes, (chunk) => hash.update(chunk));
    await pipeline(body as Readable, checked, createWriteStream(path, { mode: 0o600 }));
    const result = await workers.run('read', path, caller.tenantId).catch((error: unknown) => {
      if (error instanceof TaskTooLongError)
        throw failField('fileId', 'The package takes too much time or memory to read; make it smaller');
      throw error;
    });
    if ('refused' in result) throw failField('fileId', result.refused);
    return { ...result, checksumSha256: hash.digest('hex') };
  };

  return {
    async read(input) {
      const releaseTenant = await tenantShares.enter(input.caller.tenantId as number);
      try {
        const release = await shares.enter('download');
        const path = join(tmpdir(), `scorm-${randomUUID()}`);
        try {
          return await readFrom(path, input);
        } finally {
          release();
          await rm(path, { force: true });
        }
      } finally {
        releaseTenant();
      }
    },
    close: workers.close,
  };
}

function checkedChunks(bytesMax: number, see: (chunk: Buffer) => void) {
  return async function* (chunks: AsyncIterable<Buffer>) {
    let bytes = 0;
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > bytesMax) throw failField('fileId', `The package is larger than ${bytesMax / mb} MB`);
      see(chunk);
      yield chunk;
    }
  };
}
