import { until } from '@tandem/testing';
import { aNode } from '../../campaign.test-service.ts';
import {
  type Api,
  type Engine,
  enrolled,
  hurry,
  inARow,
  inStatus,
  publishEngagement,
  published,
  startEngine,
} from '../../engine.test-service.ts';

let engine: Engine;
let { crm, mailbox, service } = {} as Engine;
beforeAll(async () => {
  engine = await startEngine();
  ({ crm, mailbox, service } = engine);
});
afterAll(() => engine?.close());

const pause = aNode('pause', { type: 'wait', data: { duration: 1, durationUnit: 'days' } });
const email = aNode('one', { data: { subjectLine: 'Hello' } });
const leadOf = (api: Api, fields: Record<string, unknown> = {}) => crm.addLead(api.caller.tenantId as number, fields);
const mailsTo = (leadId: string) => mailbox.to(`lead${leadId}@example.com`).length;

/** The result of enrolling a lead once more. */
async function again(api: Api, id: string, leadId: string): Promise<string> {
  const { data } = await api.enrollLeads({ params: { id }, body: { leadIds: [leadId] } });
  return data.results[0].result;
}

const endedAgo = (api: Api, executionId: string, ago: string) =>
  service.sqlWithin(api.caller, 'UPDATE execution SET ended_at = now() - $2::interval WHERE id = $1', [
    executionId,
    ago,
  ]);

describe('a lead enters again', () => {
  it('with after_exit: not while it is inside, and at once after the end', async () => {
    const api = service.as();
    const leadId = leadOf(api);
    const id = await published(api, inARow(pause), { reentry: 'after_exit' });
    const executionId = await enrolled(api, id, leadId);
    await inStatus(api, executionId, 'waiting');
    expect(await again(api, id, leadId)).toBe('already_in');
    await api.cancelExecution({ params: { id: executionId } });
    expect(await again(api, id, leadId)).toBe('enrolled');
  });

  it.each([
    [{ duration: 3, durationUnit: 'days' }, '71 hours', '73 hours'],
    [{ duration: 2, durationUnit: 'weeks' }, '13 days', '15 days'],
    [{ duration: 90, durationUnit: 'minutes' }, '89 minutes', '91 minutes'],
  ])('with after_exit and the delay %j: not before it is over', async (reentryDelay, before, after) => {
    const api = service.as();
    const leadId = leadOf(api);
    const id = await published(api, inARow(), { reentry: 'after_exit', reentryDelay });
    const first = await enrolled(api, id, leadId);
    await inStatus(api, first, 'completed');
    expect(await again(api, id, leadId)).toBe('reentry_blocked');
    await endedAgo(api, first, before);
    expect(await again(api, id, leadId)).toBe('reentry_blocked');
    await endedAgo(api, first, after);
    await inStatus(api, await enrolled(api, id, leadId), 'completed');
    expect(await again(api, id, leadId)).toBe('reentry_blocked');
  });

  it('with always: without the delay', async () => {
    const api = service.as();
    const leadId = leadOf(api);
    const reentryDelay = { duration: 3, durationUnit: 'days' };
    const id = await published(api, inARow(), { reentry: 'always', reentryDelay });
    await inStatus(api, await enrolled(api, id, leadId), 'completed');
    expect(await again(api, id, leadId)).toBe('enrolled');
  });
});

describe('the goal of a workflow', () => {
  it('ends the execution of a lead that reaches it while it waits, before the next message', async () => {
    const api = service.as();
    const leadId = leadOf(api);
    const goal = { conditions: [{ field: 'status', operator: 'equals', value: 'qualified' }] };
    const id = await published(api, inARow(pause, email), { goal });
    const executionId = await enrolled(api, id, leadId);
    await inStatus(api, executionId, 'waiting');
    crm.changeLead(leadId, { status: 'qualified' });
    await hurry(service, api, executionId);
    expect(await inStatus(api, executionId, 'completed')).toMatchObject({ endReason: 'goal', nodeId: 'pause' });
    expect(mailsTo(leadId)).toBe(0);
  });

  it('can be an event together with conditions, and needs both', async () => {
    const api = service.as();
    const goal = { event: 'form_submission', conditions: [{ field: 'score', operator: 'at_least', value: 50 }] };
    const id = await published(api, inARow(pause, email), { goal });
    const [cold, hot] = [leadOf(api, { score: 10 }), leadOf(api, { score: 60 })];
    const idle = leadOf(api, { score: 60 });
    const ends: unknown[] = [];
    for (const leadId of [cold, hot, idle]) {
      const executionId = await enrolled(api, id, leadId);
      await inStatus(api, executionId, 'waiting');
      if (leadId !== idle) await submitted(api, leadId);
      await hurry(service, api, executionId);
      ends.push((await inStatus(api, executionId, 'completed')).endReason);
    }
    expect(ends).toEqual(['completed', 'goal', 'completed']);
    expect([cold, hot, idle].map(mailsTo)).toEqual([1, 0, 1]);
  });

  it('lets a lead that has reached it already pass without a message', async () => {
    const api = service.as();
    const leadId = leadOf(api, { tags: ['customer'] });
    const goal = { conditions: [{ field: 'tags', operator: 'contains', value: 'customer' }] };
    const id = await published(api, inARow(email), { goal });
    expect(await inStatus(api, await enrolled(api, id, leadId), 'completed')).toMatchObject({ endReason: 'goal' });
    expect(mailsTo(leadId)).toBe(0);
  });
});

/** Waits until the submission of a form by a lead is stored. */
async function submitted(api: Api, leadId: string): Promise<void> {
  await publishEngagement(service, api, { type: 'form_submission', leadId });
  await until('the submission is stored', async () => {
    const rows = await service.sqlWithin(api.caller, 'SELECT FROM engagement WHERE lead_id = $1', [leadId]);
    return rows.length === 1;
  });
}
