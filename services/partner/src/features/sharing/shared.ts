import type { Caller } from '@tandem/caller';
import { fail, type InTenant } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { countUsage } from '../co-marketing/count-usage.ts';
import { type Download, downloadOf } from '../co-marketing/download.ts';
import { asResource, type ResourceRecord } from '../co-marketing/resource.ts';
import { hashToken } from '../co-marketing/share-token.ts';

/** What somebody who follows a link works with. */
interface Visit {
  token: string;
  tx: Tx;
  inTenant: InTenant<Tx, never>;
}

interface Shared {
  resource: ResourceRecord;
  scope: { tenantId: number; environment: 'live' | 'sandbox' };
}

/** What a token opens; 404 for one that is unknown, was ended, or whose resource is archived. */
export async function findShared({ token, tx, inTenant }: Visit): Promise<Shared> {
  const place = await tx.shareLookup.findFirst({ where: { tokenHash: hashToken(token) } });
  if (!place) throw fail('not_found');
  const { ownerTenantId: tenantId, ownerEnvironment, resourceId: id } = place;
  const scope = { tenantId, environment: ownerEnvironment as 'live' | 'sandbox' };
  const row = await inTenant(scope, ({ tx: own }) =>
    own.coMarketingResource.findFirst({ where: { id, shareEnabled: true, shareToken: token, status: 'active' } }),
  );
  if (!row) throw fail('not_found');
  return { resource: asResource(row), scope };
}

/** Where shared material can be fetched; counts once there is an address to go to. */
export async function downloadShared(visit: Visit, { requestId, ip }: Caller, { peers }: Tools): Promise<Download> {
  const { resource, scope } = await findShared(visit);
  const download = await downloadOf(peers, resource, { ...scope, requestId, ...(ip !== undefined && { ip }) });
  await visit.inTenant(scope, ({ tx }) => countUsage(tx, resource.id, 'download', 'active'));
  return download;
}
