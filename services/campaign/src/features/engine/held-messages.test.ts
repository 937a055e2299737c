import type { campaign } from '@tandem/campaign-contract';
import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { type TestService, until } from '@tandem/testing';
import { aNode, startCampaign } from '../../campaign.test-service.ts';
import { type CrmPeer, crmPeer } from '../../crm-peer.test-service.ts';
import { type Api, enrolled, hurry, inARow, inStatus, published } from '../../engine.test-service.ts';

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

const tenantOf = (api: Api) => api.caller.tenantId as number;
const email = (nodeId: string, data: Record<string, unknown> = {}) =>
  aNode(nodeId, { type: 'email', data: { subjectLine: `Hello {{ lead.firstName }} (${nodeId})`, ...data } });
const wait = (nodeId: string, data: Record<string, unknown> = { duration: 1, durationUnit: 'days' }) =>
  aNode(nodeId, { type: 'wait', data });
const executionOf = async (api: Api, id: string) => (await api.getWorkflowExecution({ params: { id } })).data;
const mailsTo = (leadId: string) => mailbox.to(`lead${leadId}@example.com`);

describe('a message is not sent', () => {
  it.each<[string, Record<string, unknown>, string]>([
    [
      'without consent',
      { consent: { email: { state: 'denied', at: new Date().toISOString(), source: null } } },
      'no_consent',
    ],
  ])('%s, and the execution goes on', async (_, fields, reason) => {
    const api = service.as();
    const leadId = crm.addLead(tenantOf(api), fields);
    const id = await published(api, inARow(email('one')));
    const execution = await inStatus(api, await enrolled(api, id, leadId), 'completed');
    expect(execution.steps[1]).toMatchObject({ outcome: 'skipped', skipReason: reason });
    const { data } = await api.listMessages({ query: { leadId } });
    expect(data).toMatchObject([{ status: 'skipped', skipReason: reason, sentAt: null }]);
  });

  it('at night, in the zone of the lead: it waits for the morning', async () => {
    const api = service.as();
    const leadId = crm.addLead(tenantOf(api), { timezone: 'Asia/Tokyo' });
    const hour = (hours: number) => new Date(Date.now() + (9 + hours) * 3_600_000).toISOString().slice(11, 16);
    const quietHours = { from: hour(-1), to: hour(2) };
    const id = await published(api, inARow(email('one')), { quietHours });
    const execution = await inStatus(api, await enrolled(api, id, leadId), 'waiting');
    expect(execution.steps[1]).toMatchObject({ outcome: 'waiting', result: { reason: 'quiet_hours' } });
    const opensIn = new Date(execution.dueAt).getTime() - Date.now();
    expect(opensIn).toBeGreaterThan(1.9 * 3_600_000);
    expect(opensIn).toBeLessThan(2.1 * 3_600_000);
    expect(mailsTo(leadId)).toEqual([]);
  });

  it('more often on a day than the workflow permits', async () => {
    const api = service.as();
    const leadId = crm.addLead(tenantOf(api));
    const id = await published(api, inARow(email('one'), email('two')), { maxPerLeadPerDay: 1 });
    const execution = await inStatus(api, await enrolled(api, id, leadId), 'waiting');
    expect(execution.steps[2]).toMatchObject({ result: { reason: 'max_per_lead_per_day' } });
    expect(mailsTo(leadId)).toHaveLength(1);
  });

  it('more often on a day when several workflows send at the same moment', async () => {
    const api = service.as();
    const leadId = crm.addLead(tenantOf(api));
    await inStatus(api, await enrolled(api, await published(api, inARow(email('first'))), leadId), 'completed');
    const executions: string[] = [];
    for (const name of ['one', 'two'])
      executions.push(
        await enrolled(api, await published(api, inARow(wait('pause'), email(name)), { maxPerLeadPerDay: 2 }), leadId),
      );
    for (const id of executions) await inStatus(api, id, 'waiting');
    await service.sqlWithin(api.caller, 'UPDATE execution SET due_at = now() WHERE due_at IS NOT NULL');
    await service.sqlWithin(
      api.caller,
      `UPDATE platform.job SET due_at = now() WHERE name = 'advance-executions' AND state = 'waiting'`,
    );
    const reasons = await until('both sent or wait', async () => {
      const all = await Promise.all(executions.map((id) => executionOf(api, id)));
      return all.every(({ steps }) => steps.length === 3) && all.map(({ steps }) => steps[2].result.reason);
    });
    expect(reasons.toSorted()).toEqual(['max_per_lead_per_day', undefined]);
    expect(mailsTo(leadId)).toHaveLength(2);
  });

  it('from the sandbox', async () => {
    const api = service.as({ environment: 'sandbox' });
    const leadId = crm.addLead(tenantOf(api), {}, 'sandbox');
    const id = await published(api, inARow(email('one')));
    await inStatus(api, await enrolled(api, id, leadId), 'completed');
    expect((await api.listMessages()).data).toMatchObject([{ status: 'sent', simulated: true }]);
    expect(mailsTo(leadId)).toEqual([]);
  });

  it('when the lead reaches the goal of the workflow before the next attempt', async () => {
    const down = await startCampaign(undefined, undefined, { CRM_URL: crm.url, SMTP_URL: 'smtp://127.0.0.1:9' });
    try {
      const api = down.as();
      const leadId = crm.addLead(tenantOf(api));
      const goal = { conditions: [{ field: 'tags', operator: 'contains', value: 'customer' }] };
      const executionId = await enrolled(api, await published(api, inARow(email('one')), { goal }), leadId);
      const { steps } = await inStatus(api, executionId, 'waiting');
      expect(steps[1]).toMatchObject({ result: { reason: 'mail_server' } });
      crm.changeLead(leadId, { tags: ['customer'] });
      await hurry(down, api, executionId);
      expect(await inStatus(api, executionId, 'completed')).toMatchObject({ endReason: 'goal' });
      const { data } = await api.listMessages({ query: { leadId } });
      expect(data).toMatchObject([{ status: 'skipped', skipReason: 'execution_ended' }]);
    } finally {
      await down.close();
    }
  });

  it('again when its process ended while it was sent: it is flagged', async () => {
    const api = service.as();
    const leadId = crm.addLead(tenantOf(api));
    const id = await published(api, inARow(wait('pause'), email('one')));
    const executionId = await enrolled(api, id, leadId);
    await inStatus(api, executionId, 'waiting');
    // A process that is killed between the claim and the answer of the mail server leaves this row.
    await service.sqlWithin(
      api.caller,
      `INSERT INTO message (execution_id, workflow_id, node_id, lead_id, channel, status, claimed_at, attempts)
       VALUES ($1, $2, 'one', $3, 'email', 'sending', now(), 1)`,
      [executionId, id, leadId],
    );
    await hurry(service, api, executionId);
    const execution = await inStatus(api, executionId, 'completed');
    expect(execution.steps.at(-1)).toMatchObject({ nodeId: 'one', outcome: 'uncertain' });
    expect((await api.listMessages({ query: { leadId } })).data).toMatchObject([{ status: 'sent', uncertain: true }]);
    expect(mailsTo(leadId)).toEqual([]);
  });
});
