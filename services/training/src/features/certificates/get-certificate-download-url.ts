import type { certificates } from '@tandem/training-contract';
import type { Handler, Tools } from '../../handler.ts';
import { readCertificate } from './certificate.ts';
import { linkTo } from './certificate-link.ts';

export const getCertificateDownloadUrl =
  (tools: Tools): Handler<typeof certificates.getCertificateDownloadUrl> =>
  async ({ params, caller, tx }) =>
    linkTo(tools, caller, await readCertificate(tx, params.id));
