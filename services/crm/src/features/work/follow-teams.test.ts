import type { crm } from '@tandem/crm-contract';
import { identityPeer, members, publishTeamEvent, type TestService, teams, until, users } from '@tandem/testing';
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

type Api = ReturnType<typeof service.as>;
const { sales, support } = teams;
const mover = users.active;

/** Publishes an event about a team, as identity does. */
const told = (api: Api, name: 'team.members_changed' | 'team.deleted', teamId: string, data: object) =>
  publishTeamEvent({ service, tenantId: api.caller.tenantId as number }, name, { teamId, ...data });

/** A user moves between teams, and their records may follow unless `follows` is false. */
async function moves(api: Api, { from, to, follows = true }: { from?: string; to?: string; follows?: boolean }) {
  identity.teamsOf.set(mover, to ? [to] : []);
  const follow = to && follows ? [{ userId: mover, teamId: to }] : [];
  if (from) await told(api, 'team.members_changed', from, { added: [], removed: [mover], follow });
  if (to) await told(api, 'team.members_changed', to, { added: [mover], removed: [], follow });
}

async function recordsIn(api: Api, teamId: string | null) {
  const fields = { teamId, assignedTo: mover };
  const { data: lead } = await api.createLead({ body: aLead(fields) });
  const { data: plain } = await api.createLead({ body: aLead({ teamId: null }) });
  const { data: deal } = await api.convertLead({ body: { leadId: plain.id, ownerId: mover, teamId } });
  const { data: task } = await api.createTask({ body: { title: 'Call', ...fields } });
  return async () => [
    (await api.getLead({ params: { id: lead.id } })).data.teamId,
    (await api.getOpportunity({ params: { id: deal.id } })).data.teamId,
    (await api.getTask({ params: { id: task.id } })).data.teamId,
  ];
}

const allIn = (teamsOf: () => Promise<unknown[]>, team: string | null) =>
  until(`the records are in ${team}`, async () => (await teamsOf()).every((one) => one === team));

describe('a user who moves between teams', () => {
  it('moves their records to the new team, live and sandbox, with an event each', async () => {
    const api = service.as();
    const tenantId = api.caller.tenantId as number;
    const live = await recordsIn(api, sales);
    const test = await recordsIn(service.as({ tenantId, environment: 'sandbox' }), sales);
    await moves(api, { from: sales, to: support });
    await allIn(live, support);
    await allIn(test, support);
    await until('the task tells', () =>
      service.events.some(
        (one) =>
          one.name === 'task.updated' && one.tenantId === tenantId && one.changes?.['teamId']?.to === Number(support),
      ),
    );
  });

  it('leaves records of other teams and of other users where they are', async () => {
    const api = service.as();
    const moved = await recordsIn(api, sales);
    const { data: theirs } = await api.createLead({ body: aLead({ teamId: sales, assignedTo: members.seller }) });
    const { data: set } = await api.createLead({ body: aLead({ teamId: support, assignedTo: mover }) });
    await moves(api, { from: sales });
    await allIn(moved, null);
    const teamOf = async (id: string) => (await api.getLead({ params: { id } })).data.teamId;
    expect([await teamOf(theirs.id), await teamOf(set.id)]).toEqual([sales, support]);
  });

  it('gives records without a team to the first team that the user joins', async () => {
    const api = service.as();
    const records = await recordsIn(api, null);
    await moves(api, { to: sales });
    await allIn(records, sales);
  });

  it('moves no records into the new team if the caller could not see them before', async () => {
    const api = service.as();
    const [inSales, inNone] = [await recordsIn(api, sales), await recordsIn(api, null)];
    await moves(api, { from: sales, to: support, follows: false });
    await allIn(inSales, null);
    expect(await inNone()).toEqual([null, null, null]);
  });

  it('moves records only into the team of the change, and only while it is the only one of the user', async () => {
    const api = service.as();
    const records = await recordsIn(api, sales);
    identity.teamsOf.set(mover, [support]);
    await told(api, 'team.members_changed', sales, {
      added: [],
      removed: [mover],
      follow: [{ userId: mover, teamId: '23' }],
    });
    await allIn(records, null);
  });
});

it('releases all records of a deleted team', async () => {
  const api = service.as();
  identity.teamsOf.set(mover, [support]);
  const records = await recordsIn(api, sales);
  const { data: unassigned } = await api.createLead({ body: aLead({ teamId: sales }) });
  await told(api, 'team.deleted', sales, { name: 'Sales' });
  await allIn(records, null);
  await until('the lead without assignee', async () => {
    return (await api.getLead({ params: { id: unassigned.id } })).data.teamId === null;
  });
});
