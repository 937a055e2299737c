import type { Caller } from '@tandem/caller';
import { partnerTiers } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { asResource, type ResourceRecord } from '../co-marketing/resource.ts';
import type { PartnerRecord } from '../partners/partner.ts';
import { readOwnPartner } from './own-partner.ts';

/** The material that a portal user sees: active, and not for higher tiers than that of the partner. */
export async function visibleTo(tx: Tx, caller: Caller) {
  return { status: 'active', OR: [{ minTier: null }, { minTier: { in: await reachedTiers(tx, caller) } }] };
}

async function reachedTiers(tx: Tx, caller: Caller): Promise<PartnerRecord['tier'][]> {
  const { tier } = await readOwnPartner(tx, caller);
  return partnerTiers.slice(0, partnerTiers.indexOf(tier) + 1);
}

/** Loads a resource that the portal user sees; 404 if there is none. */
export async function readVisible(tx: Tx, caller: Caller, id: number): Promise<ResourceRecord> {
  const row = await tx.coMarketingResource.findFirst({ where: { id, status: 'active' } });
  if (!row) throw fail('not_found');
  const resource = asResource(row);
  const reached = await reachedTiers(tx, caller);
  if (resource.minTier && !reached.includes(resource.minTier)) throw fail('not_found');
  return resource;
}
