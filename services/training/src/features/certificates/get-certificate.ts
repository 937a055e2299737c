import type { certificates } from '@tandem/training-contract';
import type { Handler, Tools } from '../../handler.ts';
import { asCertificate, readCertificate } from './certificate.ts';

export const getCertificate =
  (tools: Pick<Tools, 'publicUrl'>): Handler<typeof certificates.getCertificate> =>
  async ({ params, tx }) =>
    asCertificate(await readCertificate(tx, params.id), tools);
