import { until } from '@tandem/testing';
import { aNode } from '../../campaign.test-service.ts';
import {
  type Api,
  type Engine,
  enrolled,
  hurry,
  inARow,
  inStatus,
  migrated,
  published,
  startEngine,
  tenantOf,
} from '../../engine.test-service.ts';

let engine: Engine;
let { crm, mailbox, service } = {} as Engine;
beforeAll(async () => {
  engine = await startEngine();
  ({ crm, mailbox, service } = engine);
});
afterAll(() => engine?.close());

const email = (nodeId: string) => aNode(nodeId, { type: 'email', data: { subjectLine: `Hello (${nodeId})` } });
const wait = (nodeId: string) => aNode(nodeId, { type: 'wait', data: { duration: 1, durationUnit: 'days' } });
const versionOf = async (api: Api, id: string) =>
  (await api.getWorkflowExecution({ params: { id } })).data.workflowVersion;
const publish = (api: Api, id: string, migrate = true) => api.publishWorkflow({ params: { id }, body: { migrate } });

it('moves many leads portion by portion, and leaves those whose node is gone', async () => {
  const api = service.as();
  const id = await published(api, inARow(wait('pause'), wait('gone')));
  await service.sqlWithin(
    api.caller,
    `INSERT INTO execution (workflow_id, number, lead_id, status, node_id, source)
     SELECT $1, 1, lead, 'waiting', CASE WHEN lead % 10 = 0 THEN 'gone' ELSE 'pause' END, 'manual'
     FROM generate_series(1, 2500) AS lead`,
    [id],
  );
  await api.updateWorkflow({ params: { id }, body: inARow(wait('pause'), wait('other')) });
  expect((await publish(api, id)).data.publishedVersion).toBe(2);
  await migrated(service, api);
  const rows = await service.sqlWithin(
    api.caller,
    `SELECT number, node_id, count(*)::int AS count FROM execution WHERE workflow_id = $1 GROUP BY 1, 2 ORDER BY 1`,
    [id],
  );
  expect(rows).toEqual([
    { number: 1, node_id: 'gone', count: 250 },
    { number: 2, node_id: 'pause', count: 2250 },
  ]);
});

it('moves leads that were left in earlier versions when the draft has no changes', async () => {
  const api = service.as();
  const id = await published(api, inARow(wait('pause'), email('one')));
  const executionId = await enrolled(api, id, crm.addLead(tenantOf(api)));
  await inStatus(api, executionId, 'waiting');
  await api.updateWorkflow({ params: { id }, body: inARow(wait('pause'), email('two')) });
  expect((await publish(api, id, false)).data.publishedVersion).toBe(2);
  expect((await publish(api, id, false)).body.code).toBe('nothing_to_publish');
  expect(await versionOf(api, executionId)).toBe(1);
  const reply = await publish(api, id);
  expect([reply.status, reply.data.publishedVersion, reply.data.draftVersion]).toEqual([200, 2, 3]);
  await until('the lead is moved', async () => (await versionOf(api, executionId)) === 2);
});

it('moves a lead that continues meanwhile, once it waits at a node of the new version', async () => {
  const api = service.as();
  const leadId = crm.addLead(tenantOf(api));
  const id = await published(api, inARow(wait('first'), email('one'), wait('second'), email('two')));
  const executionId = await enrolled(api, id, leadId);
  await inStatus(api, executionId, 'waiting');
  // Holds back the message, which the lead gets in its earlier version, until the job has moved the lead.
  const held = service.sqlWithin(
    api.caller,
    `DO $$ BEGIN LOCK TABLE domain_pace IN EXCLUSIVE MODE;
      WHILE NOT EXISTS (SELECT FROM execution WHERE id = ${Number(executionId)} AND number = 2)
        LOOP PERFORM pg_sleep(0.02); END LOOP; END $$`,
  );
  await hurry(service, api, executionId);
  await until('the message is held back', async () => {
    const text = `SELECT FROM pg_locks WHERE relation = 'domain_pace'::regclass AND NOT granted`;
    return (await service.sqlWithin(api.caller, text)).length > 0;
  });
  const changed = inARow(wait('first'), email('new'), wait('second'), email('last'));
  await api.updateWorkflow({ params: { id }, body: changed });
  await publish(api, id);
  await held;
  await until('it waits again', async () => (await inStatus(api, executionId, 'waiting')).nodeId === 'second');
  expect(await versionOf(api, executionId)).toBe(2);
  await hurry(service, api, executionId);
  await inStatus(api, executionId, 'completed');
  const subjects = mailbox.to(`lead${leadId}@example.com`).map(({ subject }) => subject);
  expect(subjects).toEqual(['Hello (one)', 'Hello (last)']);
});
