import type { crm } from '@tandem/crm-contract';
import { identityPeer, members, type TestService, teams, users } from '@tandem/testing';
import { aLead, startCrm } from '../../crm.test-service.ts';

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

const { sales, support } = teams;

it.each([
  ['their only team', members.seller, {}, sales],
  ['none, if they are in several', members.both, {}, null],
  ['none, if they are in none', users.active, {}, null],
  ['the team that the request names', members.seller, { teamId: support }, support],
  ['no team, if the request says so', members.seller, { teamId: null }, null],
])('a new record gets of its assignee %s', async (_, assignee, fields, teamId) => {
  const api = service.as();
  const { data: lead } = await api.createLead({ body: aLead({ assignedTo: assignee, ...fields }) });
  const { data: task } = await api.createTask({ body: { title: 'Call', assignedTo: assignee, ...fields } });
  const { data: plain } = await api.createLead({ body: aLead({ teamId: null }) });
  const { data: deal } = await api.convertLead({ body: { leadId: plain.id, ownerId: assignee, ...fields } });
  expect([lead.teamId, task.teamId, deal.teamId]).toEqual([teamId, teamId, teamId]);
});

it('gets the caller’s team only if the assignee is in it', async () => {
  const api = service.as({ teamIds: [Number(support)] });
  const teamOf = async (assignedTo: string) => (await api.createLead({ body: aLead({ assignedTo }) })).data.teamId;
  expect([await teamOf(members.both), await teamOf(members.seller), await teamOf(users.active)]).toEqual([
    support,
    sales,
    null,
  ]);
});

it('follows a new assignee, unless the request names a team', async () => {
  const api = service.as();
  const { data: lead } = await api.createLead({ body: aLead({ teamId: support }) });
  const params = { id: lead.id };
  const assign = async (body: object) => (await api.updateLead({ params, body })).data.teamId;
  expect([
    await assign({ assignedTo: members.both }),
    await assign({ assignedTo: members.seller }),
    await assign({ assignedTo: members.seller, tags: ['vip'] }),
    await assign({ assignedTo: null }),
    await assign({ assignedTo: users.active }),
    await assign({ assignedTo: members.seller, teamId: support }),
  ]).toEqual([support, sales, sales, sales, null, support]);
});
