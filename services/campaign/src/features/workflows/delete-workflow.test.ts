import type { campaign } from '@tandem/campaign-contract';
import { type TestService, until } from '@tandem/testing';
import { aNode, startCampaign } from '../../campaign.test-service.ts';
import { type CrmPeer, crmPeer } from '../../crm-peer.test-service.ts';
import { type Api, codeOf, enrolled, inARow, inStatus, publishErrors, published } from '../../engine.test-service.ts';

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

const end = aNode('end', { type: 'exit', data: {} });

/** A workflow with more ended executions than a transaction deletes. */
async function aLargeWorkflow(api: Api, fields: object = {}) {
  const id = await published(api, { ...inARow(end), ...fields });
  const executionId = await enrolled(api, id, crm.addLead(api.caller.tenantId as number));
  await inStatus(api, executionId, 'exited');
  await service.sqlWithin(
    api.caller,
    `INSERT INTO execution (workflow_id, number, lead_id, status, node_id, source, ended_at)
     SELECT $1, 1, 1000000 + lead, 'exited', 'end', 'manual', now() FROM generate_series(1, 1200) AS lead`,
    [id],
  );
  return { id, executionId };
}

const rowsOf = async (api: Api, table: string) =>
  (await service.sqlWithin(api.caller, `SELECT count(*)::int AS rows FROM ${table}`))[0]?.rows as number;
const removed = (api: Api, ...tables: string[]) =>
  until('the rows are removed', async () => {
    const counts = await Promise.all(tables.map((table) => rowsOf(api, table)));
    return counts.every((count) => count === 0);
  });

/** Holds back the job that removes executions until the tenant has a topic. */
async function holdRemoval(api: Api) {
  const released = service.sqlWithin(
    api.caller,
    `DO $$ BEGIN PERFORM FROM execution WHERE lead_id > 1000000 FOR UPDATE;
      WHILE NOT EXISTS (SELECT FROM topic) LOOP PERFORM pg_sleep(0.02); END LOOP; END $$`,
  );
  await until('the executions are locked', async () => {
    const sql = `SELECT FROM pg_locks WHERE relation = 'execution'::regclass AND mode = 'RowShareLock' AND granted`;
    return (await service.sqlWithin(api.caller, sql)).length > 0;
  });
  return { released };
}

it('a deleted workflow is gone at once, and its executions are removed portion by portion', async () => {
  const api = service.as();
  const { id, executionId } = await aLargeWorkflow(api);
  const params = { id };
  const { released } = await holdRemoval(api);
  expect((await api.deleteWorkflow({ params })).data).toEqual({ id, deleted: true });
  const gone = await Promise.all([
    api.getWorkflow({ params }),
    api.deleteWorkflow({ params }),
    api.duplicateWorkflow({ params }),
    api.validateWorkflow({ params }),
    api.publishWorkflow({ params, body: {} }),
    api.updateWorkflow({ params, body: { name: 'Again' } }),
    api.listWorkflowVersions({ params }),
    api.getWorkflowStats({ params }),
    api.listWorkflowExecutions({ params }),
    api.enrollLeads({ params, body: { leadIds: [crm.addLead(api.caller.tenantId as number)] } }),
    api.getWorkflowExecution({ params: { id: executionId } }),
    api.cancelExecution({ params: { id: executionId } }),
    api.retryExecution({ params: { id: executionId } }),
  ]);
  expect(new Set(gone.map(({ status }) => status))).toEqual(new Set([404]));
  expect((await api.listWorkflows()).data).toEqual([]);
  const enroll = aNode('next', { type: 'enroll', data: { workflowId: codeOf(api, 'workflow', id) } });
  expect(await publishErrors(api, enroll)).toMatchObject([{ field: 'nodes.next.workflowId' }]);
  expect(await rowsOf(api, 'execution')).toBe(1_201);
  await api.createTopic({ body: { name: 'Release' } });
  await released;
  await removed(api, 'execution', 'execution_step', 'workflow_version');
});

it('a deleted campaign is gone at once, and is removed with the executions of its sequences', async () => {
  const api = service.as();
  const { data: topic } = await api.createTopic({ body: { name: 'News' } });
  const { data: segment } = await api.createSegment({ body: { name: 'Fair', type: 'static' } });
  const { data: owner } = await api.createCampaign({ body: { name: 'Spring', topicId: topic.id, status: 'active' } });
  const params = { id: owner.id };
  await aLargeWorkflow(api, { campaignId: owner.id });
  await api.pauseCampaign({ params });
  await api.setAudience({ params, body: { include: [{ segmentId: segment.id }] } });
  expect((await api.deleteCampaign({ params })).data).toEqual({ id: owner.id, deleted: true });
  const gone = await Promise.all([
    api.getCampaign({ params }),
    api.deleteCampaign({ params }),
    api.updateCampaign({ params, body: { name: 'Again' } }),
    api.getAudience({ params }),
    api.previewAudience({ params }),
    api.resumeCampaign({ params }),
    api.duplicateCampaign({ params, body: {} }),
    api.listSequences({ params }),
    api.listAbTests({ params }),
    api.getCampaignStats({ params }),
    api.listRecipients({ params }),
  ]);
  expect(new Set(gone.map(({ status }) => status))).toEqual(new Set([404]));
  expect([(await api.listCampaigns()).data, (await api.listWorkflows()).data]).toEqual([[], []]);
  const page = await api.createLandingPage({ body: { name: 'Page', slug: 'page', campaignId: owner.id } });
  expect([page.status, page.body.errors?.[0]?.field]).toEqual([422, 'campaignId']);
  // The records that it named can be deleted.
  expect((await api.deleteTopic({ params: { id: topic.id } })).status).toBe(200);
  expect((await api.deleteSegment({ params: { id: segment.id } })).status).toBe(200);
  await removed(api, 'execution', 'workflow', 'campaign');
});

it.each(['workflow', 'campaign'])(
  'enrolls no lead in a workflow that is deleted at this moment with its %s',
  async (deleted) => {
    const api = service.as();
    for (let round = 0; round < 8; round++) {
      const { data: owner } = await api.createCampaign({ body: { name: 'Spring', status: 'active' } });
      const id = await published(api, { ...inARow(end), ...(deleted === 'campaign' && { campaignId: owner.id }) });
      await api.pauseCampaign({ params: { id: owner.id } });
      const leadIds = Array.from({ length: 10 }, () => crm.addLead(api.caller.tenantId as number));
      const enrolling = leadIds.map((leadId) => api.enrollLeads({ params: { id }, body: { leadIds: [leadId] } }));
      const deleting =
        deleted === 'campaign'
          ? api.deleteCampaign({ params: { id: owner.id } })
          : api.deleteWorkflow({ params: { id } });
      const [{ status }, ...replies] = await Promise.all([deleting, ...enrolling]);
      if (status === 200) expect(replies.map((reply) => reply.status)).toEqual(replies.map(() => 404));
      else expect(status).toBe(409);
    }
  },
);

describe('a workflow in which another one enrolls leads', () => {
  const nextTo = (api: Api, id: string) =>
    inARow(aNode('next', { type: 'enroll', data: { workflowId: codeOf(api, 'workflow', id) } }));
  const errorsOf = (sourceId: string) => [{ field: 'id', message: `Is used by the workflow ‹workflow ${sourceId}›` }];

  it('is not deleted until the published version of the other one no longer has the node', async () => {
    const api = service.as();
    const id = await published(api, inARow(end));
    const sourceId = await published(api, nextTo(api, id));
    const refused = await api.deleteWorkflow({ params: { id } });
    expect([refused.status, refused.body.code]).toEqual([409, 'workflow_in_use']);
    expect(refused.body.errors).toEqual(errorsOf(sourceId));
    await api.pauseWorkflow({ params: { id: sourceId } });
    expect((await api.deleteWorkflow({ params: { id } })).body.code).toBe('workflow_in_use');
    await api.updateWorkflow({ params: { id: sourceId }, body: inARow(end) });
    expect((await api.deleteWorkflow({ params: { id } })).body.code).toBe('workflow_in_use');
    expect((await api.publishWorkflow({ params: { id: sourceId }, body: {} })).status).toBe(200);
    expect((await api.deleteWorkflow({ params: { id } })).status).toBe(200);
  });

  it('is not deleted with its campaign, unless the other one is a sequence of the same campaign or archived', async () => {
    const api = service.as();
    const { data: owner } = await api.createCampaign({ body: { name: 'Spring' } });
    const params = { id: owner.id };
    const id = await published(api, { ...inARow(end), campaignId: owner.id });
    await published(api, { ...nextTo(api, id), campaignId: owner.id });
    const sourceId = await published(api, nextTo(api, id));
    const refused = await api.deleteCampaign({ params });
    expect([refused.status, refused.body.code]).toEqual([409, 'workflow_in_use']);
    expect(refused.body.errors).toEqual(errorsOf(sourceId));
    await api.archiveWorkflow({ params: { id: sourceId } });
    expect((await api.deleteCampaign({ params })).status).toBe(200);
  });

  it('is refused without the names of workflows that the caller cannot read', async () => {
    const api = service.as();
    const id = await published(api, inARow(end));
    await published(api, nextTo(api, id));
    const restricted = service.as({ ...api.caller, permissions: ['workflows:delete'] });
    const refused = await restricted.deleteWorkflow({ params: { id } });
    expect([refused.status, refused.body.code, refused.body.errors ?? []]).toEqual([409, 'workflow_in_use', []]);
  });
});
