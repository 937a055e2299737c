import { createWorkers } from '@tandem/workers';
import type { CertificateContent } from './certificate-document.ts';
import type { CertificateTasks } from './render-certificate.thread.ts';

/** Renders the documents of certificates without blocking the requests of others. */
export interface CertificateRenderer {
  /** @throws ShareTimeoutError when the threads are busy; a retry may succeed */
  render(content: CertificateContent, tenantId: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

// A document takes about 100 ms; the first one of a thread also reads the fonts.
const cpuMs = 5_000;
const heapMb = 128;

export function createCertificateRenderer(): CertificateRenderer {
  const file = new URL('./render-certificate.thread.ts', import.meta.url);
  const workers = createWorkers<CertificateTasks>(file, { cpuMs, heapMb });
  return {
    render: (content, tenantId) => workers.run('render', content, tenantId),
    close: workers.close,
  };
}
