import type { Caller, Environment } from '@tandem/caller';
import { fail } from '@tandem/service';
import { certificateTimes } from '@tandem/training-contract';
import type { Certificate as CertificateRow } from '../../generated/client.ts';
import type { Tools } from '../../handler.ts';

/** The payload of a link to a document. */
export interface CertificateLink {
  tenantId: number;
  environment: Environment;
  certificateId: number;
}

/**
 * Makes a link to the document of a certificate.
 * @throws 409 if it is revoked
 */
export function linkTo(
  { links, publicUrl }: Pick<Tools, 'links' | 'publicUrl'>,
  { environment, tenantId }: Caller,
  row: CertificateRow,
): { url: string; expiresAt: Date } {
  if (row.status === 'revoked')
    throw fail('certificate_revoked', [{ field: 'id', message: 'A revoked certificate has no document' }]);
  const expiresAt = new Date(Date.now() + certificateTimes.linkSeconds * 1_000);
  const token = links.issue({ tenantId: tenantId as number, environment, certificateId: row.id }, expiresAt);
  return { url: `${publicUrl}/v1/public/certificate-files/${token}`, expiresAt };
}
