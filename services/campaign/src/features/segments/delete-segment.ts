import { segmentDeleted, type segments } from '@tandem/campaign-contract';
import { idInText } from '@tandem/contract';
import { fail } from '@tandem/service';
import { isReferenced } from '@tandem/tenant-db';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { eventOf, lockSegment } from './segment.ts';

const namedMax = 10;

export const deleteSegment =
  (tools: Pick<Tools, 'ids'>): Handler<typeof segments.deleteSegment> =>
  async ({ params, caller, tx, emit, ifMatch }) => {
    const segment = await lockSegment(tx, params.id);
    ifMatch(segment);
    await checkUnused(tx, segment.id);
    await checkNotAsked(tx, tools.ids.encode('segment', caller.tenantId as number, segment.id));
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
    ORDER BY status <> 'active', id LIMIT ${namedMax}`;
  if (!campaigns.length) return;
  const errors = campaigns.map(({ id, status }) => ({
    field: 'id',
    message: `Is in the audience of the ${status} campaign ${idInText('campaign', id)}`,
  }));
  throw fail('segment_in_use', errors);
}

/** Fails while a node of a workflow that runs, or that can be resumed, asks for the segment. Its data has the public id. */
async function checkNotAsked(tx: Tx, code: string): Promise<void> {
  const inCondition = JSON.stringify([{ data: { conditionValue: code } }]);
  const inTrigger = JSON.stringify([{ data: { segmentId: code } }]);
  const workflows = await tx.sql<{ id: number }>`SELECT DISTINCT workflow.id FROM workflow
    LEFT JOIN workflow_version AS version ON version.workflow_id = workflow.id
    WHERE workflow.tenant_id = platform.tenant_id() AND workflow.environment = platform.environment()
      AND workflow.status IN ('published', 'paused')
      AND (workflow.nodes @> ${inCondition}::jsonb OR version.nodes @> ${inCondition}::jsonb
        OR workflow.nodes @> ${inTrigger}::jsonb OR version.nodes @> ${inTrigger}::jsonb)
    ORDER BY workflow.id LIMIT ${namedMax}`;
  if (!workflows.length) return;
  const errors = workflows.map(({ id }) => ({
    field: 'id',
    message: `Is in the workflow ${idInText('workflow', id)}`,
  }));
  throw fail('segment_in_use', errors);
}
