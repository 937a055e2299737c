import type { Ai } from '@tandem/ai';
import type { ocr } from '@tandem/files-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { getFileOcr } from './get-file-ocr.ts';
import { getOcrJob } from './get-ocr-job.ts';
import { startOcr } from './start-ocr.ts';

export const ocrHandlers = (tools: { ai: Ai }) =>
  ({ startOcr: startOcr(tools), getFileOcr, getOcrJob }) satisfies Handlers<typeof ocr, Tx>;
