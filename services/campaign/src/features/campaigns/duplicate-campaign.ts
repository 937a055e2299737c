import { campaignCreated, type campaigns, workflowCreated } from '@tandem/campaign-contract';
import type { Emit } from '@tandem/events';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { readParts, writeParts } from '../audiences/audience.ts';
import { ownerColumns } from '../work/owner.ts';
import { asFullWorkflow, graphData, type WorkflowRecord } from '../workflows/workflow.ts';
import { asCampaign, findCampaignRow, windowColumn } from './campaign.ts';

const nameMax = 200;
const suffix = ' (copy)';
type Owner = ReturnType<typeof ownerColumns>;

/** Copies a campaign with its audience and the drafts of its sequences; the copies belong to the acting user. */
export const duplicateCampaign =
  (tools: Pick<Tools, 'ids'>): Handler<typeof campaigns.duplicateCampaign> =>
  async ({ params, body, caller, tx, emit }) => {
    const source = asCampaign(await findCampaignRow(tx, params.id));
    const columns = ownerColumns(caller, undefined, undefined);
    const { description, type, timezone, sendWindow, topicId, senderId } = source;
    const name = body.name ?? source.name.slice(0, nameMax - suffix.length) + suffix;
    const data = { name, description, type, timezone, topicId, senderId, ...windowColumn(sendWindow), ...columns };
    const campaign = asCampaign(await tx.campaign.create({ data }));
    await writeParts(tx, campaign.id, await readParts(tx, source.id));
    const { id, status } = campaign;
    emit(campaignCreated, { data: { campaignId: id, name, type, status }, record: campaign });
    await copySequences(tools, { tx, emit }, { from: source.id, to: id, columns });
    return campaign;
  };

async function copySequences(
  { ids }: Pick<Tools, 'ids'>,
  { tx, emit }: { tx: Tx; emit: Emit<typeof workflowCreated> },
  { from, to, columns }: { from: number; to: number; columns: Owner },
): Promise<void> {
  const rows = await tx.workflow.findMany({
    where: { campaignId: from, status: { not: 'archived' } },
    orderBy: { id: 'asc' },
  });
  const copies = [];
  for (const row of rows) {
    const { name, description, nodes, edges, settings } = asFullWorkflow(row);
    const copy = await tx.workflow.create({
      data: { name, description, campaignId: to, ...graphData({ nodes, edges }, settings), ...columns },
    });
    copies.push({ source: row.id, copy: asFullWorkflow(copy) });
  }
  const codes = new Map(
    copies.map(({ source, copy }) => [
      ids.encode('workflow', copy.tenantId, source),
      ids.encode('workflow', copy.tenantId, copy.id),
    ]),
  );
  for (const { copy } of copies) {
    const nodes = withOwnSequences(copy.nodes, codes);
    await tx.workflow.updateMany({ where: { id: copy.id }, data: graphData({ nodes, edges: copy.edges }) });
    emit(workflowCreated, { data: { workflowId: copy.id, campaignId: to, name: copy.name }, record: copy });
  }
}

/** Nodes that enroll in another sequence of the campaign enroll in its copy. */
function withOwnSequences(nodes: WorkflowRecord['nodes'], codes: ReadonlyMap<string, string>): WorkflowRecord['nodes'] {
  return nodes.map((node) => {
    const code = node.type === 'enroll' ? codes.get(String(node.data?.['workflowId'])) : undefined;
    return code === undefined ? node : { ...node, data: { ...node.data, workflowId: code } };
  });
}
