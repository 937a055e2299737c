import type { campaign } from '@tandem/campaign-contract';
import { type TestService, until } from '@tandem/testing';
import { aNode, startCampaign } from '../../campaign.test-service.ts';
import { type CrmPeer, crmPeer } from '../../crm-peer.test-service.ts';
import type { Api } from '../../engine.test-service.ts';

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;
export const pause = aNode('pause', { type: 'wait', data: { duration: 30, durationUnit: 'days' } });
export const day = (at: number) => new Date(at).toISOString().slice(0, 10);
export const time = (at: number) => new Date(at).toISOString().slice(11, 16);

/** Starts campaign with a crm for the tests of a file, and returns what they do with triggers. */
export function triggerTests() {
  let crm: CrmPeer;
  let service: TestService<typeof campaign>;
  beforeAll(async () => {
    crm = await crmPeer();
    service = await startCampaign(undefined, undefined, { CRM_URL: crm.url });
  });
  afterAll(async () => {
    await service?.close();
    await crm?.close();
  });

  const aLead = (api: Api, fields: Record<string, unknown> = {}) => crm.addLead(api.caller.tenantId as number, fields);

  /** The leads in a workflow, by id. */
  async function leadsIn(api: Api, id: string): Promise<string[]> {
    const { data } = await api.listWorkflowExecutions({ params: { id } });
    return data.map(({ leadId }: { leadId: string }) => leadId).toSorted();
  }

  async function ranUntil(api: Api, id: string): Promise<number> {
    const [row] = await service.sqlWithin(
      api.caller,
      'SELECT ran_until FROM workflow_trigger WHERE workflow_id = $1 AND state IS NULL',
      [id],
    );
    return row?.ran_until ? new Date(row.ran_until as string).getTime() : 0;
  }

  /** Lets a trigger search the time since `hours` ago, and waits for the end of the search. */
  async function search(api: Api, id: string, hours = 1): Promise<void> {
    await until('the first search has ended', async () => (await ranUntil(api, id)) > 0 && isWaiting(api, id));
    await service.sqlWithin(
      api.caller,
      `UPDATE workflow_trigger SET ran_until = now() - make_interval(hours => $2::int) WHERE workflow_id = $1`,
      [id, hours],
    );
    await hurryJob(api, id);
    await until('the search has ended', async () => (await ranUntil(api, id)) > Date.now() - 30_000);
  }

  /** Lets the time of the next search come. */
  const hurryJob = (api: Api, id: string) =>
    service.sqlWithin(
      api.caller,
      `UPDATE platform.job SET due_at = now() WHERE name = 'run-trigger' AND payload ->> 'workflowId' = $1 AND state = 'waiting'`,
      [id],
    );

  async function isWaiting(api: Api, id: string): Promise<boolean> {
    const [job] = await service.sqlWithin(
      api.caller,
      `SELECT state FROM platform.job WHERE name = 'run-trigger' AND payload ->> 'workflowId' = $1 AND due_at > now() + interval '10 s'`,
      [id],
    );
    return job?.state === 'waiting';
  }

  return { service: () => service, crm: () => crm, aLead, leadsIn, search, hurryJob, isWaiting };
}
