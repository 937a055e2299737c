import { fail } from '@tandem/service';
import type { portalTraining } from '@tandem/training-contract';
import type { Handler, Tools } from '../../handler.ts';
import { linkTo } from '../certificates/certificate-link.ts';
import { ofPartner } from './partner.ts';

export const getPortalCertificateDownloadUrl =
  (tools: Tools): Handler<typeof portalTraining.getPortalCertificateDownloadUrl> =>
  async ({ params, caller, tx }) => {
    const row = await tx.certificate.findFirst({ where: { ...ofPartner(caller), id: params.id } });
    if (!row) throw fail('not_found');
    return linkTo(tools, caller, row);
  };
