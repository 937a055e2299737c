import type { CampaignStats, campaignResults } from '@tandem/campaign-contract';
import type { z } from 'zod';
import type { Handler, Tx } from '../../handler.ts';
import { findCampaignRow } from '../campaigns/campaign.ts';

type Stats = z.output<typeof CampaignStats>;
type Figures = Stats['messages'];
type Group = Figures & { workflowId: number | null; nodeId: string | null; variant: string | null; isTotal: boolean };

const nodesMax = 1_000;
const linksMax = 100;
const reasonsMax = 100;

export const getCampaignStats: Handler<typeof campaignResults.getCampaignStats> = async ({ params, tx }) => {
  const { id: campaignId } = await findCampaignRow(tx, params.id);
  const groups = await readFigures(tx, campaignId);
  const total = groups.find(({ isTotal }) => isTotal);
  return {
    campaignId,
    ...(await readPeople(tx, campaignId)),
    messages: total ?? noFigures,
    nodes: groups.flatMap(({ workflowId, nodeId, ...figures }) =>
      figures.isTotal || workflowId === null || nodeId === null ? [] : [{ workflowId, nodeId, ...figures }],
    ),
    links: await readLinks(tx, campaignId),
    skipReasons: await readSkipReasons(tx, campaignId),
  };
};

const noFigures: Figures = {
  sent: 0,
  delivered: 0,
  opened: 0,
  openedByMachine: 0,
  clicked: 0,
  clickedByMachine: 0,
  replied: 0,
  bounced: 0,
  complained: 0,
  unsubscribed: 0,
  skipped: 0,
  failed: 0,
  uncertain: 0,
};

/** The figures of all messages of a campaign, and by node and variant. */
function readFigures(tx: Tx, campaignId: number): Promise<Group[]> {
  return tx.sql<Group>`
    SELECT message.workflow_id AS "workflowId", message.node_id AS "nodeId", message.variant,
      grouping(message.workflow_id, message.node_id, message.variant) > 0 AS "isTotal",
      count(sent_at)::int AS sent, count(delivered_at)::int AS delivered, count(opened_at)::int AS opened,
      count(*) FILTER (WHERE opened_at IS NULL AND machine.opened)::int AS "openedByMachine",
      count(clicked_at)::int AS clicked,
      count(*) FILTER (WHERE clicked_at IS NULL AND machine.clicked)::int AS "clickedByMachine",
      count(replied_at)::int AS replied, count(bounced_at)::int AS bounced, count(complained_at)::int AS complained,
      count(unsubscribed_at)::int AS unsubscribed, count(*) FILTER (WHERE status = 'skipped')::int AS skipped,
      count(*) FILTER (WHERE status = 'failed')::int AS failed, count(*) FILTER (WHERE uncertain)::int AS uncertain
    FROM message
    LEFT JOIN (SELECT message_id, bool_or(type = 'email_open') AS opened, bool_or(type = 'link_click') AS clicked
      FROM engagement WHERE campaign_id = ${campaignId} AND automated AND type IN ('email_open', 'link_click')
      GROUP BY message_id) AS machine ON machine.message_id = message.id
    WHERE message.campaign_id = ${campaignId}
    GROUP BY GROUPING SETS ((), (message.workflow_id, message.node_id, message.variant))
    ORDER BY "isTotal" DESC, 1, 2, 3 LIMIT ${nodesMax + 1}`;
}

async function readPeople(tx: Tx, campaignId: number): Promise<Pick<Stats, 'recipients' | 'conversions'>> {
  const [found] = await tx.sql<Pick<Stats, 'recipients' | 'conversions'>>`
    SELECT (SELECT count(DISTINCT lead_id)::int FROM execution WHERE campaign_id = ${campaignId}) AS recipients,
      (SELECT count(DISTINCT message.lead_id)::int FROM message
        JOIN engagement ON engagement.lead_id = message.lead_id AND engagement.type = 'conversion'
          AND engagement.at >= message.sent_at
        WHERE message.campaign_id = ${campaignId}) AS conversions`;
  return found ?? { recipients: 0, conversions: 0 };
}

function readLinks(tx: Tx, campaignId: number): Promise<Stats['links']> {
  return tx.sql<Stats['links'][number]>`
    SELECT url, count(*) FILTER (WHERE NOT automated)::int AS clicks,
      count(DISTINCT lead_id) FILTER (WHERE NOT automated)::int AS people,
      count(*) FILTER (WHERE automated)::int AS "clicksByMachine"
    FROM engagement WHERE campaign_id = ${campaignId} AND type = 'link_click' AND url IS NOT NULL
    GROUP BY url ORDER BY clicks DESC, url LIMIT ${linksMax}`;
}

async function readSkipReasons(tx: Tx, campaignId: number): Promise<Record<string, number>> {
  const rows = await tx.sql<{ reason: string; count: number }>`
    SELECT skip_reason AS reason, count(*)::int AS count FROM message
    WHERE campaign_id = ${campaignId} AND status = 'skipped' AND skip_reason IS NOT NULL
    GROUP BY 1 ORDER BY 2 DESC LIMIT ${reasonsMax}`;
  return Object.fromEntries(rows.map(({ reason, count }) => [reason, count]));
}
