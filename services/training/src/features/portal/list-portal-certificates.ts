import type { portalTraining } from '@tandem/training-contract';
import type { Handler, Tools } from '../../handler.ts';
import { asCertificate } from '../certificates/certificate.ts';
import { ofPartner } from './partner.ts';

export const listPortalCertificates =
  (tools: Pick<Tools, 'publicUrl'>): Handler<typeof portalTraining.listPortalCertificates> =>
  async ({ caller, tx, list }) => {
    const page = await list({ model: tx.certificate, where: ofPartner(caller) });
    return { ...page, items: page.items.map((row) => asCertificate(row, tools)) };
  };
