import type { campaign } from '@tandem/campaign-contract';
import type { TestService } from '@tandem/testing';
import { aNode, startCampaign } from '../../campaign.test-service.ts';
import { inARow } from '../../engine.test-service.ts';

let service: TestService<typeof campaign>;
beforeAll(async () => {
  service = await startCampaign();
});
afterAll(() => service?.close());

it.each([
  ['leads:write', 'update_lead', { fields: { lastName: 'Changed' } }],
  ['tasks:write', 'create_task', { title: 'Call', dueInDays: 1 }],
  ['leads:read', 'notify', { message: '{{ lead.phone }}' }],
])('requires %s to publish a workflow with a node of the type %s', async (permission, type, data) => {
  const permissions = ['workflows:read', 'workflows:write'];
  const restricted = service.as({ permissions });
  const body = { name: 'For all leads', ...inARow(aNode('acts', { type, data })) };
  const { id } = (await restricted.createWorkflow({ body })).data;
  const ofOwnRecords = service.as({ ...restricted.caller, permissions: [...permissions, `${permission}:own`] });
  for (const caller of [restricted, ofOwnRecords]) {
    const refused = await caller.publishWorkflow({ params: { id }, body: {} });
    expect([refused.status, refused.body.errors]).toEqual([
      403,
      [{ field: 'nodes.acts', message: `Requires the permission ${permission} for all records` }],
    ]);
  }
  expect((await restricted.getWorkflow({ params: { id } })).data.status).toBe('draft');
  const permitted = service.as({ ...restricted.caller, permissions: [...permissions, permission] });
  expect((await permitted.publishWorkflow({ params: { id }, body: {} })).status).toBe(200);
});
