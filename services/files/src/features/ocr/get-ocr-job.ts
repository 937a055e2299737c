import type { ocr } from '@tandem/files-contract';
import type { Handler } from '../../handler.ts';
import { findPresent } from '../files/file.ts';
import { asOcrJob, findOcrJob } from './ocr-job.ts';

export const getOcrJob: Handler<typeof ocr.getOcrJob> = async ({ params, tx }) => {
  const file = await findPresent(tx, params.id);
  return asOcrJob(await findOcrJob(tx, { fileId: file.id, id: params.jobId }));
};
