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

const email = (nodeId: string) => aNode(nodeId, { data: { subjectLine: `Hello (${nodeId})` } });
const pause = aNode('pause', { type: 'wait', data: { duration: 1, durationUnit: 'days' } });
const answer = aNode('answer', { type: 'wait_for_event', data: { event: 'email_reply', duration: 3 } });
const mailsTo = (leadId: string) => mailbox.to(`lead${leadId}@example.com`).map(({ subject }) => subject);
const lead = (api: Api) => crm.addLead(api.caller.tenantId as number);

/** Holds back the records of steps until a lead has replied. Opens, clicks and replies are not held back. */
async function holdRecords(api: Api): Promise<{ released: Promise<unknown> }> {
  const released = service.sqlWithin(
    api.caller,
    `DO $$ BEGIN PERFORM FROM execution FOR KEY SHARE;
      WHILE NOT EXISTS (SELECT FROM engagement WHERE type = 'email_reply') LOOP PERFORM pg_sleep(0.02); END LOOP; END $$`,
  );
  await until('the executions are locked', async () => {
    const rows = await service.sqlWithin(
      api.caller,
      `SELECT FROM pg_locks WHERE relation = 'execution'::regclass AND mode = 'RowShareLock' AND granted`,
    );
    return rows.length > 0;
  });
  return { released };
}

describe('the wait for an event', () => {
  it('ends at once when the event happens after the message was sent and before the step is recorded', async () => {
    const api = service.as();
    const leadId = lead(api);
    const id = await published(api, inARow(pause, email('one'), answer, email('thanks')), { exitOn: [] });
    const executionId = await enrolled(api, id, leadId);
    await inStatus(api, executionId, 'waiting');
    const { released } = await holdRecords(api);
    await hurry(service, api, executionId);
    await until('the message arrives', () => mailsTo(leadId).length === 1);
    await publishEngagement(service, api, { type: 'email_reply', leadId });
    await released;
    const { steps } = await inStatus(api, executionId, 'completed');
    expect(steps[3]).toMatchObject({ nodeId: 'answer', outcome: 'done', result: { branch: 'yes' } });
    expect(mailsTo(leadId)).toEqual(['Hello (one)', 'Hello (thanks)']);
  });

  it('that has ended by its time is not continued anew by the event while the next message is being sent', async () => {
    const api = service.as();
    const leadId = lead(api);
    const { nodes, edges } = inARow(answer);
    const branches = ['yes', 'no'].map((branch) => ({ edgeId: branch, source: 'answer', target: branch, branch }));
    const graph = { nodes: [...nodes, email('yes'), email('no')], edges: [...edges, ...branches] };
    const id = await published(api, graph, { exitOn: [] });
    const executionId = await enrolled(api, id, leadId);
    await inStatus(api, executionId, 'waiting');
    const held = mailbox.hold(`lead${leadId}@example.com`);
    await service.sqlWithin(
      api.caller,
      `UPDATE execution SET entered_at = entered_at - interval '4 days' WHERE id = $1`,
      [executionId],
    );
    await hurry(service, api, executionId);
    await until('the message is being sent', () => held.waiting() === 1);
    await publishEngagement(service, api, { type: 'email_reply', leadId });
    await until('the reply is stored', async () => (await replies(api)).length === 1);
    held.release();
    const { steps } = await inStatus(api, executionId, 'completed');
    expect(steps.at(-1)).toMatchObject({ nodeId: 'no', outcome: 'done' });
    expect(mailsTo(leadId)).toEqual(['Hello (no)']);
  });

  it('counts what happened since the last message, and needs a new event in each round of a cycle', async () => {
    const api = service.as();
    const leadId = lead(api);
    const { nodes, edges } = inARow(email('one'), pause, answer);
    const back = { edgeId: 'back', source: 'answer', target: 'pause', branch: 'yes' };
    const id = await published(api, { nodes, edges: [...edges, back] }, { exitOn: [] });
    const executionId = await enrolled(api, id, leadId);
    await inStatus(api, executionId, 'waiting');
    await publishEngagement(service, api, { type: 'email_reply', leadId });
    await until('the reply is stored', async () => (await replies(api)).length === 1);
    await hurry(service, api, executionId);
    const stepsOf = async () => (await api.getWorkflowExecution({ params: { id: executionId } })).data.steps;
    const again = await until('the second round began', async () => {
      const steps = await stepsOf();
      return steps.length === 5 && steps;
    });
    expect(again[3]).toMatchObject({ nodeId: 'answer', outcome: 'done', result: { branch: 'yes' } });
    expect(again[4]).toMatchObject({ nodeId: 'pause', outcome: 'waiting' });
    await hurry(service, api, executionId);
    const waiting = await until('the second round waits for an event', async () => {
      const steps = await stepsOf();
      return steps.length === 6 && steps;
    });
    expect(waiting[5]).toMatchObject({ nodeId: 'answer', outcome: 'waiting' });
  });
});

const replies = (api: Api) => service.sqlWithin(api.caller, `SELECT FROM engagement WHERE type = 'email_reply'`);
