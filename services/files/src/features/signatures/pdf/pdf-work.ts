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
  /** The signed document; undefined if it is too complex. */
  finish(input: FinishInput, tenantId: number): Promise<Uint8Array | undefined>;
  /** A PDF of its own; undefined if it is too long. */
  certificate(certificate: Certificate, tenantId: number): Promise<Uint8Array | undefined>;
  /** Whether a PNG can be printed. */
  isImage(png: Uint8Array, tenantId: number): Promise<boolean>;
  /** A document that is too complex is not readable. */
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
    async finish(input, tenantId) {
      try {
        return await workers.run('finish', input, tenantId);
      } catch (error) {
        if (error instanceof TaskTooLongError) return undefined;
        throw error;
      }
    },
    async certificate(certificate, tenantId) {
      try {
        return await workers.run('certificate', { certificate }, tenantId);
      } catch (error) {
        if (error instanceof TaskTooLongError) return undefined;
        throw error;
      }
    },
    async isImage(png, tenantId) {
      try {
        return await workers.run('isImage', { png }, tenantId);
      } catch (error) {
        if (error instanceof TaskTooLongError) return false;
        throw error;
      }
    },
    async verify(document, known, tenantId) {
      try {
        return await workers.run('verify', { document, known }, tenantId);
      } catch (error) {
        if (error instanceof TaskTooLongError) return { valid: false, problem: 'unreadable' };
        throw error;
      }
    },
    close: workers.close,
  };
}
