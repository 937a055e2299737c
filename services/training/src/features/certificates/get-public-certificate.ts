import { Environment } from '@tandem/contract';
import type { certificates } from '@tandem/training-contract';
import type { Handler } from '../../handler.ts';
import { statusOf } from './certificate.ts';
import { findPublic } from './find-public.ts';

export const getPublicCertificate: Handler<typeof certificates.getPublicCertificate> = async (context) => {
  const row = await findPublic(context, context.params.code);
  const { environment } = row;
  return { ...row, environment: Environment.parse(environment), status: statusOf(row) };
};
