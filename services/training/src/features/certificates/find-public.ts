import { Environment } from '@tandem/contract';
import { fail, type InTenant } from '@tandem/service';
import type { Certificate as CertificateRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';
import { hashCode } from './certificate.ts';
import { readNamed } from './read-named.ts';

/** The certificate with a code and its names, for a visitor who has no tenant. */
export async function findPublic(
  { tx, inTenant }: { tx: Tx; inTenant: InTenant<Tx, never> },
  code: string,
): Promise<CertificateRow> {
  const lookup = await tx.certificateLookup.findFirst({ where: { codeHash: hashCode(code) } });
  if (!lookup) throw fail('not_found');
  const { ownerTenantId: tenantId, ownerEnvironment, certificateId: id } = lookup;
  const scope = { tenantId, environment: Environment.parse(ownerEnvironment) };
  return readNamed(() => inTenant(scope, ({ tx: inside }) => inside.certificate.findFirst({ where: { id, code } })));
}
