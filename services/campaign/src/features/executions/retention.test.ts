import type { campaign } from '@tandem/campaign-contract';
import type { TestService } from '@tandem/testing';
import { aWorkflow, startCampaign } from '../../campaign.test-service.ts';

let service: TestService<typeof campaign>;
beforeAll(async () => {
  service = await startCampaign();
});
afterAll(() => service?.close());

type Api = ReturnType<typeof service.as>;

const ago = (days: number) => `now() - interval '${days} days'`;

it('removes visits without a lead after 90 days, and nothing else that people did', async () => {
  const api = service.as();
  const visits = [
    ['old', "'page_visit', NULL", 91],
    ['new', "'page_visit', NULL", 89],
    ['of a lead', "'page_visit', 1", 91],
    ['another deed', "'conversion', NULL", 91],
  ] as const;
  for (const [url, values, days] of visits)
    await service.sqlWithin(
      api.caller,
      `INSERT INTO engagement (url, type, lead_id, at) VALUES ('${url}', ${values}, ${ago(days)})`,
    );
  expect(await service.housekeep()).toEqual([]);
  const left = await service.sqlWithin(api.caller, 'SELECT url FROM engagement ORDER BY id');
  expect(left.map(({ url }) => url)).toEqual(['new', 'of a lead', 'another deed']);
});

/** An execution with two steps, which is live or ended some days ago. */
async function anExecution(api: Api, workflowId: string, leadId: number, endedDays: number | null): Promise<string> {
  const [row] = await service.sqlWithin(
    api.caller,
    `INSERT INTO execution (workflow_id, number, lead_id, status, node_id, source, started_at, ended_at)
     VALUES ($1, 1, $2, $3, 'node-2', 'manual', ${ago(400)}, ${endedDays === null ? 'NULL' : ago(endedDays)}) RETURNING id`,
    [workflowId, leadId, endedDays === null ? 'waiting' : 'failed'],
  );
  await service.sqlWithin(
    api.caller,
    `INSERT INTO execution_step (execution_id, number, node_id, type, outcome, started_at)
     SELECT $1, number, 'node-2', 'email', 'done', ${ago(400)} FROM generate_series(1, 2) AS number`,
    [row?.['id']],
  );
  return String(row?.['id']);
}

it('removes the steps of an execution 180 days after its end, and keeps the execution, also when it is retried', async () => {
  const api = service.as();
  const { data: workflow } = await api.createWorkflow({ body: aWorkflow() });
  await api.publishWorkflow({ params: { id: workflow.id }, body: {} });
  const ids = [
    await anExecution(api, workflow.id, 1, 181),
    await anExecution(api, workflow.id, 2, 179),
    await anExecution(api, workflow.id, 3, null),
  ];
  const steps = () =>
    Promise.all(
      ids.map(async (id) => {
        const { status, data } = await api.getWorkflowExecution({ params: { id } });
        return [status, data.steps.length];
      }),
    );
  expect(await service.housekeep()).toEqual([]);
  expect(await steps()).toEqual([
    [200, 0],
    [200, 2],
    [200, 2],
  ]);
  const [first] = ids;
  expect((await api.retryExecution({ params: { id: first } })).status).toBe(200);
  const [row] = await service.sqlWithin(api.caller, 'SELECT steps_purged AS mark FROM execution WHERE id = $1', [
    first,
  ]);
  expect(row).toEqual({ mark: false });
});
