import { until } from '@tandem/testing';
import { aNode } from '../../campaign.test-service.ts';
import {
  type Api,
  type Engine,
  email,
  enrolled,
  executionOf,
  hurry,
  inARow,
  inStatus,
  migrated,
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

const mailsTo = (leadId: string) => mailbox.to(`lead${leadId}@example.com`);

describe('a published workflow', () => {
  it('sends its first e-mail, waits, and shows each step', async () => {
    const api = service.as();
    const leadId = crm.addLead(tenantOf(api), { firstName: 'Ada' });
    const id = await published(api, inARow(email('one'), wait('pause'), email('two')));
    const executionId = await enrolled(api, id, leadId);
    const execution = await inStatus(api, executionId, 'waiting');
    expect(execution).toMatchObject({ nodeId: 'pause', workflowVersion: 1, leadId, source: 'manual', endedAt: null });
    expect(new Date(execution.dueAt).getTime() - Date.now()).toBeGreaterThan(23 * 3_600_000);
    expect(execution.steps.map(({ nodeId, outcome }: Record<string, string>) => [nodeId, outcome])).toEqual([
      ['start', 'done'],
      ['one', 'done'],
      ['pause', 'waiting'],
    ]);
    const [mail, ...others] = mailsTo(leadId);
    expect(others).toEqual([]);
    expect(mail?.subject).toBe('Hello Ada (one)');
    const { data } = await api.listMessages({ query: { leadId } });
    expect(data).toMatchObject([{ status: 'sent', uncertain: false, nodeId: 'one', executionId, workflowId: id }]);
  });

  it('runs a generated sequence unchanged', async () => {
    const api = service.as();
    const leadId = crm.addLead(tenantOf(api));
    const { data: sequence } = await api.generateSequence({ body: { prompt: 'Welcome new leads', emailCount: '4' } });
    const { data: workflow } = await api.createWorkflow({ body: sequence });
    const reply = await api.publishWorkflow({ params: { id: workflow.id }, body: {} });
    expect([reply.status, reply.body.errors]).toEqual([200, undefined]);
    await enrolled(api, workflow.id, leadId);
    await until('the first e-mail arrives', () => mailsTo(leadId).length === 1);
  });

  it('is edited without effect on the leads inside, who continue with the version that they began with', async () => {
    const api = service.as();
    const leadId = crm.addLead(tenantOf(api));
    const id = await published(api, inARow(email('one'), wait('pause'), email('two')));
    const executionId = await enrolled(api, id, leadId);
    await inStatus(api, executionId, 'waiting');
    await api.updateWorkflow({ params: { id }, body: inARow(email('one'), wait('pause'), email('three')) });
    expect((await api.publishWorkflow({ params: { id }, body: {} })).data.publishedVersion).toBe(2);
    await hurry(service, api, executionId);
    expect(await inStatus(api, executionId, 'completed')).toMatchObject({ workflowVersion: 1, endReason: 'completed' });
    expect(mailsTo(leadId).map(({ subject }) => subject.slice(-5))).toEqual(['(one)', '(two)']);
  });

  it('moves leads to the new version with migrate, if their node is still there', async () => {
    const api = service.as();
    const [stays, moves] = [crm.addLead(tenantOf(api)), crm.addLead(tenantOf(api))];
    const id = await published(api, inARow(wait('pause'), email('two')));
    const one = await enrolled(api, id, moves);
    await inStatus(api, one, 'waiting');
    await api.updateWorkflow({ params: { id }, body: inARow(wait('pause'), email('three')) });
    await api.publishWorkflow({ params: { id }, body: { migrate: true } });
    await migrated(service, api);
    await hurry(service, api, one);
    expect(await inStatus(api, one, 'completed')).toMatchObject({ workflowVersion: 2 });
    expect(mailsTo(moves)[0]?.subject).toContain('(three)');
    const other = await enrolled(api, id, stays);
    await inStatus(api, other, 'waiting');
    await api.updateWorkflow({ params: { id }, body: inARow(wait('longer'), email('three')) });
    await api.publishWorkflow({ params: { id }, body: { migrate: true } });
    await migrated(service, api);
    expect((await executionOf(api, other)).workflowVersion).toBe(2);
  });
});

describe('a pause', () => {
  it('holds back what falls due; after it, each message is sent once and nobody is left out', async () => {
    const api = service.as();
    const leadId = crm.addLead(tenantOf(api));
    const id = await published(api, inARow(wait('pause'), email('one')));
    const executionId = await enrolled(api, id, leadId);
    await inStatus(api, executionId, 'waiting');
    expect((await api.pauseWorkflow({ params: { id } })).data.status).toBe('paused');
    expect((await api.enrollLeads({ params: { id }, body: { leadIds: [leadId] } })).status).toBe(409);
    await hurry(service, api, executionId);
    await until('it is parked', async () => (await rowOf(api, executionId)).parked === true);
    expect(mailsTo(leadId)).toEqual([]);
    expect((await api.resumeWorkflow({ params: { id } })).data.status).toBe('published');
    await inStatus(api, executionId, 'completed');
    expect(mailsTo(leadId)).toHaveLength(1);
  });
});

describe('an archived workflow', () => {
  const sql = (api: Api, text: string, id: string) => service.sqlWithin(api.caller, text, [id]);

  it('cancels what falls due, and does not continue what failed', async () => {
    const api = service.as();
    const leadId = crm.addLead(tenantOf(api));
    const id = await published(api, inARow(wait('pause'), email('one')));
    const executionId = await enrolled(api, id, leadId);
    await inStatus(api, executionId, 'waiting');
    // As if the execution had begun after the job that cancels all.
    await sql(api, "UPDATE workflow SET status = 'archived' WHERE id = $1", id);
    await hurry(service, api, executionId);
    expect(await inStatus(api, executionId, 'cancelled')).toMatchObject({
      endReason: 'workflow_archived',
      dueAt: null,
      endedAt: expect.any(String),
    });
    await sql(api, "UPDATE execution SET status = 'failed' WHERE id = $1", executionId);
    const retry = { params: { id: executionId } };
    expect(await api.retryExecution(retry)).toMatchObject({ status: 409, body: { code: 'not_published' } });
    await sql(api, "UPDATE workflow SET status = 'published' WHERE id = $1", id);
    expect((await api.retryExecution(retry)).data.status).toBe('running');
  });
});

describe('enrollment', () => {
  it('happens once per lead, also with concurrent requests, and follows the re-entry rule', async () => {
    const api = service.as();
    const leadId = crm.addLead(tenantOf(api));
    const id = await published(api, inARow(wait('pause')));
    const enroll = async () => (await api.enrollLeads({ params: { id }, body: { leadIds: [leadId] } })).data.results[0];
    const results = await Promise.all([enroll(), enroll(), enroll()]);
    expect(results.map(({ result }) => result).sort()).toEqual(['already_in', 'already_in', 'enrolled']);
    expect(new Set(results.map(({ executionId }) => executionId)).size).toBe(1);
    await api.cancelExecution({ params: { id: results[0].executionId } });
    expect((await enroll()).result).toBe('reentry_blocked');
    const unknown = await api.enrollLeads({ params: { id }, body: { leadIds: ['999999'] } });
    expect(unknown.data.results).toEqual([{ leadId: '999999', result: 'not_found', executionId: null }]);
  });

  it('sends the message once per entry of a lead that enters again', async () => {
    const api = service.as();
    const leadId = crm.addLead(tenantOf(api));
    const id = await published(api, inARow(email('one')), { reentry: 'always' });
    for (const entry of [1, 2]) {
      await inStatus(api, await enrolled(api, id, leadId), 'completed');
      expect(mailsTo(leadId)).toHaveLength(entry);
    }
  });

  it('is refused while the workflow is not published', async () => {
    const api = service.as();
    const leadId = crm.addLead(tenantOf(api));
    const { data } = await api.createWorkflow({ body: { name: 'Draft', ...inARow(wait('pause')) } });
    const reply = await api.enrollLeads({ params: { id: data.id }, body: { leadIds: [leadId] } });
    expect([reply.status, reply.body.code]).toEqual([409, 'not_published']);
  });
});

describe('crm', () => {
  it('can be away: executions wait for it, and continue', async () => {
    const api = service.as();
    const leadId = crm.addLead(tenantOf(api));
    const id = await published(api, inARow(wait('pause'), email('one')));
    const executionId = await enrolled(api, id, leadId);
    await inStatus(api, executionId, 'waiting');
    crm.isDown = true;
    await hurry(service, api, executionId);
    await until('it is postponed', () => isPostponed(api, executionId));
    crm.isDown = false;
    expect((await executionOf(api, executionId)).status).toBe('waiting');
    await hurry(service, api, executionId);
    await inStatus(api, executionId, 'completed');
    expect(mailsTo(leadId)).toHaveLength(1);
  });
});

it('shows the longest reason of an exit', async () => {
  const api = service.as();
  const reason = 'r'.repeat(200);
  const id = await published(api, inARow(aNode('end', { type: 'exit', data: { reason } })));
  await inStatus(api, await enrolled(api, id, crm.addLead(tenantOf(api))), 'exited');
  const { data } = await api.listWorkflowExecutions({ params: { id } });
  expect(data).toMatchObject([{ status: 'exited', endReason: reason }]);
});

const rowOf = async (api: Api, id: string) =>
  (await service.sqlWithin(api.caller, 'SELECT * FROM execution WHERE id = $1', [id]))[0] as Record<string, unknown>;

/** Whether the job of an execution was postponed. */
async function isPostponed(api: Api, executionId: string): Promise<boolean> {
  const [job] = await service.sqlWithin(
    api.caller,
    `SELECT attempts = 0 AND due_at > now() + interval '5 s' AS postponed FROM platform.job
      WHERE name = 'advance-executions' AND payload ->> 'executionId' = $1 AND state = 'waiting'`,
    [executionId],
  );
  return job?.postponed === true;
}
