import type { crm } from '@tandem/crm-contract';
import { identityPeer, type TestService, users } from '@tandem/testing';
import { aLead, startCrm } from './crm.test-service.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let service: TestService<typeof crm>;
beforeAll(async () => {
  identity = await identityPeer();
  service = await startCrm({ IDENTITY_URL: identity.url });
});
afterAll(async () => {
  await service?.close();
  await identity?.close();
});

type Kind = 'Lead' | 'Task' | 'Account' | 'Opportunity';

it.each([
  ['Lead', 'listLeads', aLead(), 'assignedTo'],
  ['Task', 'listTasks', { title: 'Call back' }, 'assignedTo'],
  ['Account', 'listAccounts', { name: 'Analytical Engines' }, 'ownerId'],
  ['Opportunity', 'listOpportunities', { name: 'Rollout' }, 'ownerId'],
] as const)('lists each %s that nobody works on', async (kind: Kind, list, body, field) => {
  const api = service.as();
  const created = async (userId: string | null) =>
    (await api[`create${kind}`]({ body: { ...body, [field]: userId } as never })).data.id;
  const [free, taken] = [await created(null), await created(users.active)];
  const found = async (unassigned: string) =>
    (await api[list]({ query: { unassigned } as never })).data.map(({ id }: { id: string }) => id);
  expect(await found('true')).toEqual([free]);
  expect((await found('false')).sort()).toEqual([free, taken].sort());
});
