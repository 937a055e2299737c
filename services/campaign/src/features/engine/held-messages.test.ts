import { until } from '@tandem/testing';
import { startCampaign } from '../../campaign.test-service.ts';
import {
  type Api,
  type Engine,
  email,
  enrolled,
  executionOf,
  hurry,
  inARow,
  inStatus,
  published,
  startEngine,
  tenantOf,
  wait,
} from '../../engine.test-service.ts';

let engine: Engine;
let { crm, mailbox, service } = {} as Engine;
beforeAll(async () => {
  engine = await startEngine();
  ({ crm, mailbox, service } = engine);
});
afterAll(() => engine?.close());

/** Lets the time of all executions of a tenant come, and their batches pass the checks before any of them claims a message. */
async function hurryAll(api: Api): Promise<void> {
  // Holds back the count of the pace, which comes between the checks and the claim.
  const held = service.sqlWithin(
    api.caller,
    `DO $$ BEGIN LOCK TABLE domain_pace IN EXCLUSIVE MODE;
      WHILE (SELECT count(*) FROM pg_locks WHERE relation = 'domain_pace'::regclass AND NOT granted) < 2
        LOOP PERFORM pg_sleep(0.02); END LOOP; END $$`,
  );
  await service.sqlWithin(api.caller, 'UPDATE execution SET due_at = now() WHERE due_at IS NOT NULL');
  await service.sqlWithin(
    api.caller,
    `UPDATE platform.job SET due_at = now() WHERE name = 'advance-executions' AND state = 'waiting'`,
  );
  await held;
}
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

  it('more often on a day when many workflows send at the same moment, in several batches', async () => {
    const api = service.as();
    const leadId = crm.addLead(tenantOf(api));
    const ids = await Promise.all(
      Array.from({ length: 45 }, (_, index) =>
        published(api, inARow(wait('pause'), email(`from${index}`)), { maxPerLeadPerDay: 1 }),
      ),
    );
    const executions = await Promise.all(ids.map((id) => enrolled(api, id, leadId)));
    for (const id of executions) await inStatus(api, id, 'waiting');
    await hurryAll(api);
    const steps = await until('all sent or wait', async () => {
      const all = await Promise.all(executions.map((id) => executionOf(api, id)));
      return all.every((one) => one.steps.length === 3) && all.map((one) => one.steps[2]);
    });
    const reasons = Map.groupBy(steps, ({ outcome, result }) => `${outcome} ${result.reason}`);
    expect([...reasons].map(([reason, some]) => [reason, some.length]).toSorted()).toEqual([
      ['done undefined', 1],
      ['waiting max_per_lead_per_day', 44],
    ]);
    expect(mailsTo(leadId)).toHaveLength(1);
  });

  it('twice to an address that many leads of a campaign share, in several batches', async () => {
    const api = service.as();
    const address = `shared${Date.now()}@example.com`;
    const leadIds = Array.from({ length: 45 }, () => crm.addLead(tenantOf(api), { email: address }));
    const { data } = await api.createCampaign({ body: { name: 'Spring' } });
    const body = { name: 'Offer', ...inARow(wait('pause'), email('one')) };
    const sequence = await api.createSequence({ params: { id: data.id }, body });
    await api.publishWorkflow({ params: { id: sequence.data.id }, body: {} });
    await api.setAudience({ params: { id: data.id }, body: { include: [{ leadIds: leadIds.slice(0, 1) }] } });
    expect((await api.activateCampaign({ params: { id: data.id } })).status).toBe(200);
    await api.enrollLeads({ params: { id: sequence.data.id }, body: { leadIds } });
    const inAll = (status: string) =>
      until(`all are ${status}`, async () => {
        const query = { status, limit: '100' };
        const found = await api.listWorkflowExecutions({ params: { id: sequence.data.id }, query });
        return found.data.length === 45;
      });
    await inAll('waiting');
    await hurryAll(api);
    await inAll('completed');
    const messages = (await api.listMessages({ query: { campaignId: data.id, limit: '100' } })).data;
    const reasons = messages.map(({ status, skipReason }: { status: string; skipReason: string }) => [
      status,
      skipReason,
    ]);
    expect(reasons.filter(([status]: string[]) => status !== 'skipped')).toEqual([['sent', null]]);
    expect(reasons.filter(([, reason]: string[]) => reason === 'duplicate')).toHaveLength(44);
    expect(mailbox.to(address)).toHaveLength(1);
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

  it('when the workflow is archived before the next attempt', async () => {
    const down = await startCampaign(undefined, undefined, { CRM_URL: crm.url, SMTP_URL: 'smtp://127.0.0.1:9' });
    try {
      const api = down.as();
      const leadId = crm.addLead(tenantOf(api));
      const id = await published(api, inARow(email('one')));
      const executionId = await enrolled(api, id, leadId);
      await inStatus(api, executionId, 'waiting');
      // As if the execution had begun after the job that cancels all.
      await down.sqlWithin(api.caller, `UPDATE workflow SET status = 'archived' WHERE id = $1`, [id]);
      await hurry(down, api, executionId);
      await inStatus(api, executionId, 'cancelled');
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

  it('again after its step failed repeatedly: it is flagged', async () => {
    const api = service.as();
    const leadId = crm.addLead(tenantOf(api));
    const id = await published(api, inARow(wait('pause'), email('one')));
    const executionId = await enrolled(api, id, leadId);
    await inStatus(api, executionId, 'waiting');
    // As after nine attempts whose result could not be stored; a version that does not exist makes the last one fail.
    await service.sqlWithin(
      api.caller,
      `INSERT INTO message (execution_id, workflow_id, node_id, lead_id, channel, status, claimed_at, attempts)
       VALUES ($1, $2, 'one', $3, 'email', 'sending', now(), 1)`,
      [executionId, id, leadId],
    );
    await service.sqlWithin(api.caller, 'UPDATE execution SET number = 99 WHERE id = $1', [executionId]);
    await service.sqlWithin(
      api.caller,
      `UPDATE platform.job SET attempts = 9 WHERE name = 'advance-executions' AND payload ->> 'executionId' = $1`,
      [executionId],
    );
    await hurry(service, api, executionId);
    await inStatus(api, executionId, 'failed');
    const { data } = await api.listMessages({ query: { leadId } });
    expect(data).toMatchObject([{ status: 'sent', uncertain: true, error: expect.any(String) }]);
  });
});
