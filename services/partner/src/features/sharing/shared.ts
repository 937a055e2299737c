import type { Caller } from '@tandem/caller';
import { Environment } from '@tandem/contract';
import { fail, type InTenant } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { countUsage } from '../co-marketing/count-usage.ts';
import { type Download, downloadOf } from '../co-marketing/download.ts';
import { asResource, type ResourceRecord } from '../co-marketing/resource.ts';
import { hashToken } from '../co-marketing/share-token.ts';

/** Request context of an anonymous visitor. */
interface ShareRequest {
  token: string;
  requestId: string;
  /** Whether only the head of the response is wanted. */
  isHead?: boolean;
  tx: Tx;
  inTenant: InTenant<Tx, never>;
}

interface SharedResource {
  resource: ResourceRecord;
  scope: { tenantId: number; environment: 'live' | 'sandbox' };
  /** The name of the tenant on public pages. */
  brandName: string | undefined;
}

/**
 * Finds the resource of a share token; 404 if the token is unknown or revoked, the resource is archived, or the addon
 * Co-Marketing Library of the tenant forbids public sharing.
 * @throws ApiError 503 while it is not known whether the addon forbids it
 */
export async function findShared(
  { token, requestId, tx, inTenant }: ShareRequest,
  { addonSettings }: Tools,
): Promise<SharedResource> {
  const lookup = await tx.shareLookup.findFirst({ where: { tokenHash: hashToken(token) } });
  if (!lookup) throw fail('not_found');
  const { ownerTenantId: tenantId, ownerEnvironment, resourceId: id } = lookup;
  const scope = { tenantId, environment: Environment.parse(ownerEnvironment) };
  const row = await inTenant(scope, ({ tx: tenantTx }) =>
    tenantTx.coMarketingResource.findFirst({ where: { id, shareEnabled: true, shareToken: token, status: 'active' } }),
  );
  if (!row) throw fail('not_found');
  const settings = await addonSettings({ ...scope, requestId }, 'co_marketing_library', () => {
    // The tenant may have disabled public sharing.
    throw fail('unavailable', undefined, { retryAfter: 1 });
  });
  if (settings?.publicSharing === false) throw fail('not_found');
  return { resource: asResource(row), scope, brandName: settings?.brandName };
}

/** Download URL of a shared resource; counts a download only if there is a URL, and somebody opens it. */
export async function downloadShared(
  request: ShareRequest,
  { requestId, ip }: Caller,
  tools: Tools,
): Promise<Download> {
  const { peers } = tools;
  const { resource, scope } = await findShared(request, tools);
  const download = await downloadOf(peers, resource, { ...scope, requestId, ...(ip !== undefined && { ip }) });
  if (!request.isHead) await request.inTenant(scope, ({ tx }) => countUsage(tx, resource.id, 'download', 'active'));
  return download;
}
