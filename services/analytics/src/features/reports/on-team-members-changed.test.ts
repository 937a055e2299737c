import { identityPeer, publishTeamEvent, teams, until, users } from '@tandem/testing';
import { type Analytics, startAnalytics } from '../../analytics.test-service.ts';
import { aReport } from './reports.test-service.ts';

let identity: Awaited<ReturnType<typeof identityPeer>>;
let service: Analytics;
beforeAll(async () => {
  identity = await identityPeer();
  service = await startAnalytics({ IDENTITY_URL: identity.url });
});
afterAll(async () => {
  await service?.close();
  await identity?.close();
});

const { sales, support } = teams;
const owner = users.active;

/** An owner in two teams, with a report for each. */
async function aTenant() {
  const api = service.as({ userId: Number(owner), teamIds: [Number(sales), Number(support)] });
  const tenantId = api.caller.tenantId as number;
  const shared = (teamId: string, as = api) => aReport(as, { visibility: 'team', teamId });
  return {
    ...{ api, tenantId, shared },
    mate: service.as({ tenantId, userId: 8, teamIds: [Number(sales)], can: ['analytics:read'] }),
    leaves: (teamId: string, removed = [owner]) =>
      publishTeamEvent({ service, tenantId }, 'team.members_changed', { teamId, added: [], removed, follow: [] }),
    reportOf: async (id: string, as = api) => (await as.getReport({ params: { id } })).data,
    isPrivate: (id: string, as = api) =>
      until('the report is private', async () => {
        const { data } = await as.getReport({ params: { id } });
        return data.visibility === 'private' && data;
      }),
  };
}

describe('reports of a user who leaves a team', () => {
  it('are private, live and sandbox, with an event each, and those of other teams and members stay', async () => {
    const { api, tenantId, mate, shared, leaves, reportOf, isPrivate } = await aTenant();
    const sandbox = service.as({ ...api.caller, environment: 'sandbox' });
    const [ofSales, ofSupport, inSandbox] = [await shared(sales), await shared(support), await shared(sales, sandbox)];
    const other = service.as({ tenantId, userId: 9, teamIds: [Number(sales)] });
    const ofOther = await shared(sales, other);
    expect((await mate.getReport({ params: { id: ofSales } })).status).toBe(200);
    await leaves(sales);
    expect(await isPrivate(ofSales)).toMatchObject({ teamId: null, version: 2 });
    expect(await isPrivate(inSandbox, sandbox)).toMatchObject({ teamId: null });
    expect((await mate.getReport({ params: { id: ofSales } })).status).toBe(404);
    expect(await reportOf(ofSupport)).toMatchObject({ visibility: 'team', teamId: support, version: 1 });
    expect(await reportOf(ofOther, other)).toMatchObject({ visibility: 'team', teamId: sales });
    const event = await until('the change is announced', () =>
      service.events.find(
        ({ name, data }) => name === 'report.updated' && (data as { reportId?: string }).reportId === ofSales,
      ),
    );
    expect(event.changes).toEqual({
      visibility: { from: 'team', to: 'private' },
      teamId: { from: Number(sales), to: null },
    });
  });

  it('change once, also if the event comes twice', async () => {
    const { shared, leaves, isPrivate, reportOf } = await aTenant();
    const [first, last] = [await shared(sales), await shared(support)];
    await leaves(sales);
    await leaves(sales);
    await leaves(support);
    await isPrivate(last);
    expect(await reportOf(first)).toMatchObject({ visibility: 'private', version: 2 });
  });

  it('follow the next event after one that cannot be read', async () => {
    const { shared, leaves, isPrivate } = await aTenant();
    const id = await shared(sales);
    await leaves('not an id' as typeof sales);
    await leaves(sales);
    await isPrivate(id);
    await until('the other is a dead letter', async () => (await service.deadLetters('follow-members')).length === 1);
  });
});
