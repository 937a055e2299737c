import { aTenant, startFleet, type TestFleet, type TestTenant, tokensOf } from '@tandem/test-fleet';
import { until } from '@tandem/testing';

let fleet: TestFleet;
let tenant: TestTenant;
beforeAll(async () => {
  fleet = await startFleet({ gateways: 1 });
  tenant = await aTenant(fleet);
}, 240_000);
afterAll(() => fleet?.stop(), 60_000);

const password = 'a long phrase is best';
let people = 0;

/** Creates and logs in a user with these permissions and teams. */
async function aUser(permissions: string[], teamIds: string[]) {
  const number = ++people;
  const { data: role } = await tenant.owner.createRole({ body: { name: `Role ${number}`, permissions } });
  const email = `user${number}-${Date.now()}@example.com`;
  const person = { email, password, firstName: 'Grace', lastName: 'Hopper', roleId: role.id, teamIds };
  const { data: user } = await tenant.owner.createUser({ body: person });
  const { data } = await fleet.api().login({ body: { email, password } });
  return { id: user.id, api: fleet.api({ accessToken: tokensOf(data).accessToken, tenantId: tenant.id }) };
}

const aLead = (lastName: string, teamId: string | null) => ({
  email: `${lastName.toLowerCase()}@example.com`,
  firstName: 'Ada',
  lastName,
  teamId,
});

it('a caller restricted to their team finds only its leads in lists, search, autocomplete and by id', async () => {
  const [sales, support] = await Promise.all(
    ['Sales', 'Support'].map(async (name) => (await tenant.owner.createTeam({ body: { name } })).data.id),
  );
  const { data: ours } = await tenant.api.createLead({ body: aLead('Byron', sales as string) });
  const { data: theirs } = await tenant.api.createLead({ body: aLead('Babbage', support as string) });
  const { api } = await aUser(['leads:read:team', 'search:read'], [sales as string]);
  const { data: check } = await api.checkPermission({ query: { permission: 'leads:read' } });
  expect(check).toMatchObject({ allowed: true, reach: 'team' });

  expect((await api.listLeads()).data.map(({ id }) => id)).toEqual([ours.id]);
  expect((await api.getLead({ params: { id: ours.id } })).data.teamId).toBe(sales);
  await expect(api.getLead({ params: { id: theirs.id } })).rejects.toMatchObject({ status: 404 });

  const found = async (by: typeof api, q: string) => (await by.searchLeads({ query: { q } })).data.map(({ id }) => id);
  await until('both leads are indexed', async () => {
    const all = [await found(tenant.owner, 'byron'), await found(tenant.owner, 'babbage')];
    return all.every((ids) => ids.length === 1);
  });
  expect([await found(api, 'byron'), await found(api, 'babbage')]).toEqual([[ours.id], []]);
  const suggested = async (q: string) => (await api.autocomplete({ query: { q } })).data.length;
  expect([(await suggested('byr')) > 0, (await suggested('babb')) > 0]).toEqual([true, false]);
});

it('a webhook stops when its creator loses access to the records', async () => {
  const { id, api } = await aUser(['leads:read', 'webhooks:read', 'webhooks:write'], []);
  const { data: webhook } = await api.createWebhook({ body: { url: 'http://127.0.0.1:9/', events: ['lead.created'] } });
  const { data: role } = await tenant.owner.createRole({
    body: { name: 'Narrow', permissions: ['leads:read:own', 'webhooks:read'] },
  });
  await tenant.owner.setUserRole({ params: { id }, body: { roleId: role.id } });
  await tenant.api.createLead({ body: aLead('Turing', null) });
  const delivery = await until('the delivery is skipped', async () => {
    const { data } = await api.listDeliveries({ params: { id: webhook.id }, query: { status: 'skipped' } });
    return data[0];
  });
  expect(delivery).toMatchObject({ event: 'lead.created', lastError: 'not_permitted' });
  const { data } = await api.getDelivery({ params: { id: webhook.id, deliveryId: delivery.id } });
  expect([data.payload, data.rawBody]).toEqual([null, null]);
  expect((await api.listEvents()).data).toEqual([]);
  await expect(api.updateWebhook({ params: { id: webhook.id }, body: { active: true } })).rejects.toMatchObject({
    status: 403,
  });
});

it('custom fields in the audit log are returned unchanged', async () => {
  const { data: lead } = await tenant.api.createLead({ body: aLead('Lovelace', null) });
  const customFields = { x: { $type: 'constructor', $id: 5 }, y: { $type: 'tenant', $id: 5 } };
  await tenant.api.updateLead({ params: { id: lead.id }, body: { customFields, assignedTo: tenant.userId } });
  const entry = await until('the change is in the audit log', async () => {
    const { data } = await tenant.owner.listAuditLogs({ query: { action: 'lead.update', targetId: lead.id } });
    return data[0];
  });
  expect(entry.changes).toEqual({
    customFields: { from: {}, to: customFields },
    assignedTo: { from: null, to: tenant.userId },
  });
});

it('callers restricted to own or team leads find the same agent records in lists, by id, in the dashboard and in counts', async () => {
  const { data: team } = await tenant.owner.createTeam({ body: { name: 'Inside sales' } });
  const may = (reach: string) => ['agents:read', 'agents:write', `leads:read:${reach}`];
  const [own, ofTeam] = [await aUser(may('own'), [team.id]), await aUser(may('team'), [team.id])];
  const { data: theirs } = await tenant.api.createLead({ body: { ...aLead('Noether', team.id), assignedTo: own.id } });
  const { data: shared } = await tenant.api.createLead({ body: aLead('Germain', team.id) });
  const { data: other } = await tenant.api.createLead({ body: aLead('Agnesi', null) });

  const { data: agents } = await tenant.owner.listAgents({ query: { kind: 'recommender' } });
  const params = { id: agents[0]?.id as string };
  const run = async (by: typeof own.api, leadIds: string[]) =>
    (await by.runAgentInBulk({ params, body: { leadIds } })).data;
  const outcome = await run(ofTeam.api, [theirs.id, shared.id, other.id]);
  expect(outcome.results.map(({ status, error }) => error?.code ?? status)).toEqual([
    'success',
    'success',
    'lead_not_found',
  ]);
  const ofAdmin = await run(tenant.owner, [other.id]);
  await until('all three leads have a recommendation', async () => {
    return (await tenant.owner.listRecommendations()).pagination?.total === 3;
  });
  await tenant.owner.updateAgent({ params, body: { approvalPolicy: 'always' } });
  await run(tenant.owner, [theirs.id, shared.id, other.id]);
  await until('all three wait for approval', async () => {
    return (await tenant.owner.listApprovals({ query: { status: 'pending' } })).pagination?.total === 3;
  });

  const everything = (await tenant.owner.listExecutions()).data;
  const seenBy = async ({ api }: Pick<typeof own, 'api'>) => {
    const lists = await Promise.all([api.listRecommendations(), api.listExecutions(), api.listApprovals()]);
    const { data: dashboard } = await api.getAgentDashboard({});
    const { data: counts } = await api.getCounts();
    const readable = await Promise.all(
      everything.map(({ id, leadId }) =>
        api.getExecution({ params: { id } }).then(
          () => leadId,
          () => undefined,
        ),
      ),
    );
    return {
      leads: lists.map(({ data }) => [...new Set(data.map(({ leadId }) => leadId))].sort()),
      totals: lists.map(({ pagination }) => pagination?.total),
      byId: [...new Set(readable.filter((leadId) => leadId !== undefined))].sort(),
      dashboard: [
        dashboard.agents.recommender.totalRecommendations,
        dashboard.recentExecutions,
        dashboard.pendingApprovals,
      ],
      pending: counts.approvals?.pending,
    };
  };
  const expected = (ids: string[]) => {
    const [once, twice] = [ids.length, 2 * ids.length];
    const leads = ids.toSorted();
    const numbers = [twice, twice, once];
    return { leads: [leads, leads, leads], totals: numbers, byId: leads, dashboard: numbers, pending: ids.length };
  };
  expect(await seenBy(own)).toEqual(expected([theirs.id]));
  expect(await seenBy(ofTeam)).toEqual(expected([theirs.id, shared.id]));
  expect(await seenBy({ api: tenant.owner })).toEqual(expected([theirs.id, shared.id, other.id]));

  expect((await ofTeam.api.getBulkRun({ params: { id: outcome.bulkRunId } })).data.counts.succeeded).toBe(2);
  for (const { bulkRunId } of [ofAdmin, outcome])
    await expect(own.api.getBulkRun({ params: { id: bulkRunId } })).rejects.toMatchObject({ status: 404 });
});
