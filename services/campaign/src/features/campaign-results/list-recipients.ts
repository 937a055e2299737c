import { CampaignRecipient, type campaignResults } from '@tandem/campaign-contract';
import type { z } from 'zod';
import type { Handler, Tx } from '../../handler.ts';
import { findCampaignRow } from '../campaigns/campaign.ts';

type Counts = Pick<
  z.output<typeof CampaignRecipient>,
  'sent' | 'opened' | 'clicked' | 'replied' | 'skipped' | 'uncertain'
>;

const columns = CampaignRecipient.pick({ status: true });
const none: Counts = { sent: 0, opened: 0, clicked: 0, replied: 0, skipped: 0, uncertain: 0 };

export const listRecipients: Handler<typeof campaignResults.listRecipients> = async ({ params, query, tx, list }) => {
  const campaign = await findCampaignRow(tx, params.id);
  const { status, leadId } = query;
  const where = { campaignId: campaign.id, ...(status && { status }), ...(leadId !== undefined && { leadId }) };
  const page = await list({ model: tx.execution, where });
  const counts = await countMessages(
    tx,
    page.items.map(({ id }) => id),
  );
  return {
    ...page,
    items: page.items.map((row) => ({
      ...row,
      ...columns.parse(row),
      executionId: row.id,
      ...(counts.get(row.id) ?? none),
    })),
  };
};

async function countMessages(tx: Tx, executionIds: readonly number[]): Promise<Map<number, Counts>> {
  if (!executionIds.length) return new Map();
  const rows = await tx.sql<Counts & { executionId: number }>`
    SELECT execution_id AS "executionId", count(sent_at)::int AS sent, count(opened_at)::int AS opened,
      count(clicked_at)::int AS clicked, count(replied_at)::int AS replied,
      count(*) FILTER (WHERE status = 'skipped')::int AS skipped, count(*) FILTER (WHERE uncertain)::int AS uncertain
    FROM message WHERE execution_id = ANY(${executionIds}::bigint[]) GROUP BY 1`;
  return new Map(rows.map(({ executionId, ...figures }) => [executionId, figures]));
}
