import { type Api, anApprovedPartner } from '../../partner.test-service.ts';

/** Creates approved partners, each below the one before; returns their ids, the highest first. */
export async function aChain(api: Api, length: number): Promise<string[]> {
  const ids: string[] = [];
  for (let level = 0; level < length; level++)
    ids.push((await anApprovedPartner(api, { parentPartnerId: ids.at(-1) ?? null })).id);
  return ids;
}

/** Sends a request for another parent. */
export const move = (api: Api, id: string, parentPartnerId: string | null, effectiveAt?: Date) =>
  api.setPartnerParent({ params: { id }, body: { parentPartnerId, ...(effectiveAt && { effectiveAt }) } });

/** The parents that a partner had, the oldest first, with the status of each change. */
export const parentsOf = async (api: Api, id: string) =>
  (await api.listParentChanges({ params: { id }, query: { sort: 'createdAt' } })).data.map(
    ({ fromParentId, toParentId, status, reason }: Record<string, unknown>) => [
      fromParentId,
      toParentId,
      status,
      ...(reason ? [reason] : []),
    ],
  );
