import { serveTasks } from '@tandem/workers/serve';
import type { Certificate } from './certificate-pages.ts';
import { inspectDocument } from './document.ts';
import { certificateDocument, type FinishInput, finishDocument, isImage } from './finish.ts';
import { verifySignature } from './verify.ts';

const tasks = {
  inspect: ({ document }: { document: Uint8Array }) => inspectDocument(document),
  finish: (input: FinishInput) => finishDocument(input),
  certificate: ({ certificate }: { certificate: Certificate }) => certificateDocument(certificate),
  isImage: ({ png }: { png: Uint8Array }) => isImage(png),
  verify: ({ document, known }: { document: Uint8Array; known: Uint8Array[] }) => verifySignature(document, known),
};

export type PdfTasks = typeof tasks;

serveTasks(tasks);
