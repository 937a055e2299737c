import type { certificates } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { statusOf } from './certificate.ts';
import { findPublic } from './find-public.ts';

export const getPublicCertificate: Handler<typeof certificates.getPublicCertificate> = async (context) => {
  const row = await findPublic(context, context.params.code);
  return { ...row, status: statusOf(row) };
};
