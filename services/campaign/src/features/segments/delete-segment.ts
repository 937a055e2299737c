import { segmentDeleted, type segments } from '@tandem/campaign-contract';
import { idInText } from '@tandem/contract';
import { fail } from '@tandem/service';
import { isReferenced } from '@tandem/tenant-db';
import type { Handler, Tx } from '../../handler.ts';
import { eventOf, lockSegment } from './segment.ts';

const namedCampaignsMax = 10;

export const deleteSegment: Handler<typeof segments.deleteSegment> = async ({ params, tx, emit, ifMatch }) => {
  const segment = await lockSegment(tx, params.id);
  ifMatch(segment);
  await checkUnused(tx, segment.id);
  // An audience may get the segment meanwhile.
  await tx.segment.deleteMany({ where: { id: segment.id } }).catch((error: unknown) => {
    throw isReferenced(error) ? fail('segment_in_use') : error;
  });
  emit(segmentDeleted, eventOf(segment));
  return { id: segment.id, deleted: true };
};

async function checkUnused(tx: Tx, segmentId: number): Promise<void> {
  const campaigns = await tx.sql<{ id: number; status: string }>`
    SELECT id, status FROM campaign WHERE id IN (SELECT campaign_id FROM audience_part WHERE segment_id = ${segmentId}::bigint)
    ORDER BY status <> 'active', id LIMIT ${namedCampaignsMax}`;
  if (!campaigns.length) return;
  const errors = campaigns.map(({ id, status }) => ({
    field: 'id',
    message: `Is in the audience of the ${status} campaign ${idInText('campaign', id)}`,
  }));
  throw fail('segment_in_use', errors);
}
