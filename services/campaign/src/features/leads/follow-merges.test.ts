import type { campaign } from '@tandem/campaign-contract';
import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { publishLeadMerge, type TestService, until } from '@tandem/testing';
import { aNode, startCampaign } from '../../campaign.test-service.ts';
import { type CrmPeer, crmPeer } from '../../crm-peer.test-service.ts';
import { email, enrolled, hurry, inARow, inStatus, published as publish, wait } from '../../engine.test-service.ts';

let crm: CrmPeer;
let mailbox: Mailbox;
let service: TestService<typeof campaign>;
beforeAll(async () => {
  [crm, mailbox] = await Promise.all([crmPeer(), startMailbox()]);
  service = await startCampaign(undefined, undefined, { CRM_URL: crm.url, SMTP_URL: mailbox.smtpUrl });
});
afterAll(async () => {
  await service?.close();
  await Promise.all([crm?.close(), mailbox?.close()]);
});

type Api = ReturnType<typeof service.as>;

async function published(api: Api) {
  const { data } = await api.createWorkflow({
    body: {
      name: 'Welcome',
      nodes: [
        aNode('start', { type: 'trigger', data: { triggerType: 'manual' } }),
        aNode('one', { data: { subjectLine: 'Hello' } }),
        aNode('pause', { type: 'wait', data: { duration: 1, durationUnit: 'days' } }),
      ],
      edges: [
        { edgeId: 'a', source: 'start', target: 'one' },
        { edgeId: 'b', source: 'one', target: 'pause' },
      ],
    },
  });
  await api.publishWorkflow({ params: { id: data.id }, body: {} });
  return data.id as string;
}

it('executions, messages and segments of a merged lead belong to the lead that remains, until the merge is undone', async () => {
  const api = service.as();
  const tenantId = api.caller.tenantId as number;
  const told = { service, tenantId };
  const [merged, remains] = [crm.addLead(tenantId), crm.addLead(tenantId)];
  const id = await published(api);
  await api.enrollLeads({ params: { id }, body: { leadIds: [merged] } });
  const messagesOf = async (leadId: string) => (await api.listMessages({ query: { leadId } })).data.length;
  const executionsOf = async (leadId: string) =>
    (await api.listWorkflowExecutions({ params: { id }, query: { leadId } })).data.length;
  await until('the message is sent', async () => (await messagesOf(merged)) === 1);
  await until('the execution waits', async () => {
    const { data } = await api.listWorkflowExecutions({ params: { id } });
    return data[0].status === 'waiting';
  });
  const { data: segment } = await api.createSegment({ body: { name: 'Fair', type: 'static', leadIds: [merged] } });
  const inSegment = async (leadId: string) =>
    (await api.listSegmentLeads({ params: { id: segment.id } })).data.leads.some(
      ({ id }: { id: string }) => id === leadId,
    );
  const { data: owner } = await api.createCampaign({ body: { name: 'Spring' } });
  await api.setAudience({ params: { id: owner.id }, body: { include: [{ leadIds: [merged] }] } });

  await publishLeadMerge(told, { leadId: merged, into: remains, version: 2 });
  await until(
    'all belong to the other lead',
    async () => (await messagesOf(remains)) === 1 && (await executionsOf(remains)) === 1,
  );
  expect(await messagesOf(merged)).toBe(0);
  expect((await api.enrollLeads({ params: { id }, body: { leadIds: [remains] } })).data.results[0].result).toBe(
    'already_in',
  );
  await until('the audience has the other lead', async () =>
    (await api.getAudience({ params: { id: owner.id } })).data.include[0].leadIds.includes(remains),
  );
  expect([await inSegment(remains), await inSegment(merged)]).toEqual([true, false]);

  await publishLeadMerge(told, { leadId: merged, from: remains, version: 3 });
  await until(
    'the message is back',
    async () => (await messagesOf(merged)) === 1 && (await executionsOf(merged)) === 1,
  );
});

it('of two executions of a workflow the one of the lead that remains continues', async () => {
  const api = service.as();
  const tenantId = api.caller.tenantId as number;
  const [merged, remains] = [crm.addLead(tenantId), crm.addLead(tenantId)];
  const id = await published(api);
  const { data } = await api.enrollLeads({ params: { id }, body: { leadIds: [merged, remains] } });
  await publishLeadMerge({ service, tenantId }, { leadId: merged, into: remains, version: 2 });
  await until('messages moved', async () => (await api.listMessages({ query: { leadId: remains } })).data.length === 2);
  const [one, other] = data.results;
  expect((await api.getWorkflowExecution({ params: { id: one.executionId } })).data.leadId).toBe(merged);
  expect((await api.getWorkflowExecution({ params: { id: other.executionId } })).data.leadId).toBe(remains);
});

describe('an execution whose lead crm does not have', () => {
  async function aDueExecution(api: Api) {
    const leadId = crm.addLead(api.caller.tenantId as number);
    const executionId = await enrolled(api, await publish(api, inARow(wait('pause'), email('one'))), leadId);
    await inStatus(api, executionId, 'waiting');
    crm.removeLead(leadId);
    return { leadId, executionId };
  }

  /** Lets the time of an execution come, and waits until it has been tried so often. */
  async function tried(api: Api, executionId: string, times: number) {
    await hurry(service, api, executionId);
    await until(`it was tried ${times} times`, async () => {
      const sql = 'SELECT attempts, due_at > now() AS waits FROM execution WHERE id = $1';
      const [row] = await service.sqlWithin(api.caller, sql, [executionId]);
      return row?.['attempts'] === times && row['waits'] === true;
    });
  }

  it('waits for the event of the merge, and continues with the lead that remains', async () => {
    const api = service.as();
    const tenantId = api.caller.tenantId as number;
    const { leadId, executionId } = await aDueExecution(api);
    const remains = crm.addLead(tenantId);
    await tried(api, executionId, 1);
    await publishLeadMerge({ service, tenantId }, { leadId, into: remains, version: 2 });
    await until('the execution follows', async () => {
      const { data } = await api.getWorkflowExecution({ params: { id: executionId } });
      return data.leadId === remains;
    });
    await hurry(service, api, executionId);
    await inStatus(api, executionId, 'completed');
    expect(mailbox.to(`lead${remains}@example.com`)).toHaveLength(1);
  });

  it('ends after some attempts', async () => {
    const api = service.as();
    const { executionId } = await aDueExecution(api);
    for (const times of [1, 2, 3]) await tried(api, executionId, times);
    await hurry(service, api, executionId);
    expect(await inStatus(api, executionId, 'exited')).toMatchObject({ endReason: 'lead_deleted' });
  });
});
