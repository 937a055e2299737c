import { randomUUID } from 'node:crypto';
import type { campaign } from '@tandem/campaign-contract';
import { createIdCodec, type IdCodec } from '@tandem/ids';
import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { type TestService, until } from '@tandem/testing';
import { aNode, startCampaign } from './campaign.test-service.ts';
import { type CrmPeer, crmPeer } from './crm-peer.test-service.ts';

type Service = TestService<typeof campaign>;
export type Api = ReturnType<Service['as']>;
type Node = ReturnType<typeof aNode>;

/** A campaign service with leads in crm, and the mailbox that gets its messages. */
export interface Engine {
  crm: CrmPeer;
  mailbox: Mailbox;
  service: Service;
  close(): Promise<void>;
}

export async function startEngine(): Promise<Engine> {
  const [crm, mailbox] = await Promise.all([crmPeer(), startMailbox()]);
  const service = await startCampaign(undefined, undefined, { CRM_URL: crm.url, SMTP_URL: mailbox.smtpUrl });
  return {
    crm,
    mailbox,
    service,
    async close() {
      await service.close();
      await Promise.all([crm.close(), mailbox.close()]);
    },
  };
}

/** An e-mail whose subject names the lead and the node. */
export const email = (nodeId: string, data: Record<string, unknown> = {}) =>
  aNode(nodeId, { type: 'email', data: { subjectLine: `Hello {{ lead.firstName }} (${nodeId})`, ...data } });

export const wait = (nodeId: string, data: Record<string, unknown> = { duration: 1, durationUnit: 'days' }) =>
  aNode(nodeId, { type: 'wait', data });

export const executionOf = async (api: Api, id: string) => (await api.getWorkflowExecution({ params: { id } })).data;

export const tenantOf = (api: Api) => api.caller.tenantId as number;

/** Nodes in a row after a trigger. */
export function inARow(...nodes: Node[]) {
  return inARowAfter({ triggerType: 'manual' }, ...nodes);
}

/** Nodes in a row after a trigger with this data. */
export function inARowAfter(trigger: Record<string, unknown>, ...nodes: Node[]) {
  const all = [aNode('start', { type: 'trigger', data: trigger }), ...nodes];
  const edges = all.slice(1).map(({ nodeId }, index) => ({
    edgeId: `e${index}`,
    source: all[index]?.nodeId as string,
    target: nodeId,
  }));
  return { nodes: all, edges };
}

/** Creates and publishes a workflow, and returns its id. */
export async function published(api: Api, graph: object, settings: object = {}): Promise<string> {
  const { data } = await api.createWorkflow({ body: { name: 'Test', settings, ...graph } });
  const reply = await api.publishWorkflow({ params: { id: data.id }, body: {} });
  expect([reply.status, reply.body.errors]).toEqual([200, undefined]);
  return data.id;
}

/** Enrolls a lead, and returns the id of the execution. */
export async function enrolled(api: Api, id: string, leadId: string): Promise<string> {
  const { data } = await api.enrollLeads({ params: { id }, body: { leadIds: [leadId] } });
  expect(data.results[0].result).toBe('enrolled');
  return data.results[0].executionId;
}

/** Waits until an execution has a status, and returns it. */
export const inStatus = (api: Api, id: string, status: string) =>
  until(`the execution is ${status}`, async () => {
    const { data } = await api.getWorkflowExecution({ params: { id } });
    return data.status === status && data;
  });

/** Runs nodes for a lead to the end, and returns the execution. */
export async function ran(api: Api, leadId: string, ...nodes: Node[]) {
  const id = await published(api, inARow(...nodes));
  return inStatus(api, await enrolled(api, id, leadId), 'completed');
}

/** Lets the time of an execution come. */
export async function hurry(service: Service, api: Api, executionId: string): Promise<void> {
  await service.sqlWithin(api.caller, 'UPDATE execution SET due_at = now() WHERE id = $1 AND due_at IS NOT NULL', [
    executionId,
  ]);
  await service.sqlWithin(
    api.caller,
    `UPDATE platform.job SET due_at = now() WHERE name IN ('advance-executions', 'call-webhooks') AND payload ->> 'executionId' = $1 AND state = 'waiting'`,
    [executionId],
  );
}

/** Waits until the executions of a tenant have been migrated. */
export const migrated = (service: Service, api: Api) =>
  until('the migration ends', async () => {
    const text = `SELECT FROM platform.job WHERE name = 'migrate-executions' AND state IN ('waiting', 'queued', 'running')`;
    return (await service.sqlWithin(api.caller, text)).length === 0;
  });

/** The errors of the publication of nodes in a row. */
export async function publishErrors(api: Api, ...nodes: Node[]): Promise<{ field: string; message: string }[]> {
  const { data } = await api.createWorkflow({ body: { name: 'Test', ...inARow(...nodes) } });
  const reply = await api.publishWorkflow({ params: { id: data.id }, body: {} });
  return reply.body.errors ?? [];
}

/** The public code of an id, as node data has it. */
export const codeOf = (api: Api, type: Parameters<IdCodec['encode']>[0], id: string): string =>
  createIdCodec(process.env.IDS_ALPHABET as string).encode(type, api.caller.tenantId as number, Number(id));

let engagements = 0;

/** Publishes what a lead did as analytics does for reports of other systems. */
export function publishEngagement(service: Service, api: Api, { type, leadId }: { type: string; leadId: string }) {
  const id = String(++engagements);
  const now = new Date().toISOString();
  const record = {
    id,
    tenantId: String(api.caller.tenantId),
    type,
    leadId,
    messageId: null,
    workflowExecutionId: null,
    timestamp: now,
    insertId: null,
    properties: {},
    automated: false,
    createdAt: now,
  };
  const message = {
    id: randomUUID(),
    name: 'engagement.recorded',
    occurredAt: now,
    tenantId: api.caller.tenantId as number,
    environment: 'live',
    action: 'engagement.record',
    target: { type: 'engagement_event', id: Number(id) },
    caller: { type: 'system', name: 'analytics', requestId: 'req_1' },
    data: { eventId: id, type, leadId },
    record,
  };
  return service.publish('engagement.recorded', message, message.id);
}
