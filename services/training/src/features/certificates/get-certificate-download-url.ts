import type { Environment } from '@tandem/caller';
import { fail } from '@tandem/service';
import { type certificates, certificateTimes } from '@tandem/training-contract';
import type { Handler, Tools } from '../../handler.ts';
import { readCertificate } from './certificate.ts';

/** The payload of a link to a document. */
export interface CertificateLink {
  tenantId: number;
  environment: Environment;
  certificateId: number;
}

export const getCertificateDownloadUrl =
  ({ links, publicUrl }: Tools): Handler<typeof certificates.getCertificateDownloadUrl> =>
  async ({ params, caller, tx }) => {
    const row = await readCertificate(tx, params.id);
    if (row.status === 'revoked')
      throw fail('certificate_revoked', [{ field: 'id', message: 'A revoked certificate has no document' }]);
    const expiresAt = new Date(Date.now() + certificateTimes.linkSeconds * 1_000);
    const { environment, tenantId } = caller;
    const token = links.issue({ tenantId: tenantId as number, environment, certificateId: row.id }, expiresAt);
    return { url: `${publicUrl}/v1/public/certificate-files/${token}`, expiresAt };
  };
