import { createWorkers, TaskTooLongError } from '@tandem/workers';
import type { Certificate } from './certificate-pages.ts';
import type { Inspected } from './document.ts';
import type { FinishInput } from './finish.ts';
import type { PdfTasks } from './pdf.thread.ts';
import type { VerifiedSignature } from './verify.ts';

/** Work on PDF documents, which come from outside: in processes with limits, of which a tenant uses one at a time. */
export interface PdfWork {
  /** The sizes of the pages, or why the document cannot be signed. */
  inspect(document: Uint8Array, tenantId: number): Promise<Inspected>;
  finish(input: FinishInput, tenantId: number): Promise<Uint8Array>;
  certificate(certificate: Certificate, tenantId: number): Promise<Uint8Array>;
  /** Whether a PNG can be printed. */
  isImage(png: Uint8Array, tenantId: number): Promise<boolean>;
  verify(document: Uint8Array, known: Uint8Array[], tenantId: number): Promise<VerifiedSignature>;
  close(): Promise<void>;
}

// A document of 25 MB with 100,000 objects takes 3 s. Its objects need up to ten times its size in the heap, and its
// decompressed streams are outside of it.
const limits = {
  cpuMs: 10_000,
  elapsedMs: 30_000,
  startMs: 30_000,
  heapMb: 384,
  memoryMb: 1_024,
  waitMs: 8_000,
  waitingOfTenant: 10,
  waiting: 100,
};

export function createPdfWork(overrides: Partial<typeof limits> = {}): PdfWork {
  const workers = createWorkers<PdfTasks>(new URL('./pdf.thread.ts', import.meta.url), { ...limits, ...overrides });
  return {
    async inspect(document, tenantId) {
      try {
        return await workers.run('inspect', { document }, tenantId);
      } catch (error) {
        if (error instanceof TaskTooLongError) return { error: 'too_complex' };
        throw error;
      }
    },
    finish: (input, tenantId) => workers.run('finish', input, tenantId),
    certificate: (certificate, tenantId) => workers.run('certificate', { certificate }, tenantId),
    async isImage(png, tenantId) {
      try {
        return await workers.run('isImage', { png }, tenantId);
      } catch (error) {
        if (error instanceof TaskTooLongError) return false;
        throw error;
      }
    },
    verify: (document, known, tenantId) => workers.run('verify', { document, known }, tenantId),
    close: workers.close,
  };
}
