import type { Caller, Environment } from '@tandem/caller';
import type { LinkTokens } from '@tandem/sealed';
import { fail } from '@tandem/service';
import { certificateTimes } from '@tandem/training-contract';
import type { Certificate as CertificateRow } from '../../generated/client.ts';

/** The payload of a link to a document. */
export interface CertificateLink {
  tenantId: number;
  environment: Environment;
  certificateId: number;
}

/** Issues the links, and the address of the gateway that serves them. */
interface CertificateLinks {
  links: LinkTokens<CertificateLink>;
  publicUrl: string;
}

/**
 * Makes a link to the document of a certificate.
 * @throws 409 if it is revoked
 */
export function linkTo(
  { links, publicUrl }: CertificateLinks,
  { environment, tenantId }: Caller,
  row: CertificateRow,
): { url: string; expiresAt: Date } {
  if (row.status === 'revoked')
    throw fail('certificate_revoked', [{ field: 'id', message: 'A revoked certificate has no document' }]);
  const expiresAt = new Date(Date.now() + certificateTimes.linkSeconds * 1_000);
  const token = links.issue({ tenantId: tenantId as number, environment, certificateId: row.id }, expiresAt);
  return { url: `${publicUrl}/v1/public/certificate-files/${token}`, expiresAt };
}
