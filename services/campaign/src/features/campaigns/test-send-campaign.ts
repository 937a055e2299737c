import type { campaigns } from '@tandem/campaign-contract';
import { unknownId } from '@tandem/contract';
import { ShareTimeoutError } from '@tandem/process';
import { fail, failField } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { createGraph, dataOf, type GraphNode } from '../engine/graph.ts';
import { sourceOf } from '../engine/outside/contents.ts';
import { type Composed, composeMessage } from '../rendering/compose.ts';
import { checkRecipients } from '../suppressions/check-recipients.ts';
import { previewData } from '../templates/preview.ts';
import type { TemplateContent } from '../templates/render.ts';
import { findTemplate } from '../templates/template.ts';
import { asFullWorkflow, type WorkflowRecord } from '../workflows/workflow.ts';
import { findCampaignRow } from './campaign.ts';

type TestTools = Pick<Tools, 'crm' | 'settingsOf' | 'publicUrl' | 'mail' | 'seal' | 'ids' | 'renderer'>;

interface Found {
  workflowId: number;
  nodeId: string;
  composed: Composed;
}

/** Sends an e-mail of the draft of a sequence. Its links are not tracked, so that tests make no statistics. */
export const testSendCampaign = (tools: TestTools): Handler<typeof campaigns.testSendCampaign, Found> => ({
  async check({ params, body, caller, tx }) {
    await findCampaignRow(tx, params.id);
    const { workflow, node } = await emailToSend(tx, params.id, body);
    const source = await contentOf(tools, tx, workflow, node);
    const { environment, requestId } = caller;
    const tenantId = caller.tenantId as number;
    const settings = await tools.settingsOf({ tenantId, environment, requestId });
    const data = await previewData(tools, body, caller);
    const { unsubscribeUrl, preferencesUrl } = data as { unsubscribeUrl: string; preferencesUrl: string };
    const links = { unsubscribeUrl, preferencesUrl, tracked: (url: string) => url, pixelUrl: null };
    const names = { locale: settings?.locale ?? 'en', tenantName: settings?.name ?? '' };
    const composed = await composeMessage(tools.renderer, tenantId, source, { data, ...names, ...links }).catch(
      refused,
    );
    return { workflowId: workflow.id, nodeId: node.nodeId, composed };
  },
  async run({ body, tx, schedule, found: { composed, ...place } }) {
    const { missing, ...content } = composed;
    const to = await checkRecipients(tools, tx, body.to);
    const messages = to.map((address) => ({ kind: 'bulk' as const, template: 'campaign_test', to: address, content }));
    if (!(await tools.mail({ tx, schedule }, messages))) throw fail('mail_limit');
    return { queued: messages.length, ...place, missing };
  },
});

interface Wanted {
  workflowId?: number;
  nodeId?: string;
}

/** The e-mail node that a request names, or the first one of the oldest sequence that has one. */
async function emailToSend(
  tx: Tx,
  campaignId: number,
  { workflowId, nodeId }: Wanted,
): Promise<{ workflow: WorkflowRecord; node: GraphNode }> {
  const rows = await tx.workflow.findMany({
    where: { campaignId, status: { not: 'archived' }, ...(workflowId !== undefined && { id: workflowId }) },
    orderBy: { id: 'asc' },
  });
  if (workflowId !== undefined && !rows.length) throw failField('workflowId', unknownId('workflow'));
  for (const workflow of rows.map(asFullWorkflow)) {
    const node = emails(workflow).find((one) => nodeId === undefined || one.nodeId === nodeId);
    if (node) return { workflow, node };
  }
  if (nodeId !== undefined) throw failField('nodeId', 'No e-mail node of the sequences has this nodeId');
  throw fail('no_email');
}

/** The e-mail nodes of a draft, from the trigger on. */
function emails({ nodes, edges }: WorkflowRecord): GraphNode[] {
  const graph = createGraph({ nodes, edges });
  const order = new Set(graph.trigger ? [graph.trigger.nodeId] : []);
  for (const nodeId of order) for (const target of graph.targets(nodeId)) order.add(target);
  for (const { nodeId } of graph.nodes) order.add(nodeId);
  return [...order].flatMap((nodeId) => graph.node(nodeId) ?? []).filter(({ type }) => type === 'email');
}

async function contentOf(
  { ids }: Pick<Tools, 'ids'>,
  tx: Tx,
  { tenantId }: WorkflowRecord,
  node: GraphNode,
): Promise<TemplateContent> {
  const data = emailOf(node);
  if (data.templateId === undefined) {
    if (!data.subjectLine) throw failField('nodeId', 'The e-mail of this node has no subject; add one, or a template');
    return sourceOf(data);
  }
  const id = ids.decode('template', tenantId, data.templateId);
  const template = id === undefined ? undefined : await findTemplate(tx, id);
  if (!template) throw failField('nodeId', 'The template of this node does not exist');
  return { ...template, subject: data.subjectLine || template.subject };
}

function emailOf(node: GraphNode) {
  try {
    return dataOf(node, 'email');
  } catch (error) {
    return refused(error);
  }
}

function refused(error: unknown): never {
  if (error instanceof ShareTimeoutError) throw error;
  const [line = ''] = (error as Error).message.split('\n');
  throw failField('nodeId', `The e-mail of this node cannot be rendered: ${line}`.slice(0, 300));
}
