import type { crm } from '@tandem/crm-contract';
import { createIdCodec } from '@tandem/ids';
import { identityPeer, members, type TestService, teams, until, users } from '@tandem/testing';
import { startCrm } from '../../crm.test-service.ts';

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
type Result = { error: { code: string } | null };
const codec = createIdCodec(process.env['IDS_ALPHABET'] as string);

/** Open deals with their ids as clients know them. */
async function someDeals(api: Api, count: number, fields: object = {}) {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) {
    const body = { name: `Deal ${index}`, currency: 'EUR', ...fields };
    ids.push((await api.createOpportunity({ body })).data.id);
  }
  return { ids, codes: ids.map((id) => codec.encode('opportunity', api.caller.tenantId as number, Number(id))) };
}

const read = async (api: Api, id: string | undefined) => (await api.getOpportunity({ params: { id } })).data;
const eventsOf = (api: Api, name: string) =>
  service.events.filter((event) => event.name === name && event.tenantId === api.caller.tenantId);
const errorsIn = ({ data }: { data: { results: Result[] } }) => data.results.map(({ error }) => error?.code);
const ended = (api: Api, jobId: string) =>
  until('the job ends', async () => {
    const { data } = await api.getJob({ params: { id: jobId } });
    return data.completedAt !== null && data;
  });

it('changes fields and stages by ids, each with its events and history; a closed deal stops no other', async () => {
  const api = service.as();
  const { ids, codes } = await someDeals(api, 3);
  await api.winOpportunity({ params: { id: ids[0] }, body: {} });
  const change = { forecastCategory: 'commit', stage: 'proposal', reason: 'Review' };
  const reply = await api.bulkUpdateOpportunities({ body: { ids: codes, change } });
  expect([reply.status, errorsIn(reply)]).toEqual([200, ['opportunity_closed', undefined, undefined]]);
  expect(await read(api, ids[1])).toMatchObject({ forecastCategory: 'commit', stage: 'proposal', version: 2 });
  const history = await api.listStageHistory({ params: { id: ids[2] } });
  expect(history.data[0]).toMatchObject({ stage: 'proposal', reason: 'Review', byUserId: '1' });
  await until('the events arrive', () => eventsOf(api, 'opportunity.updated').length === 2);
  const lost = { status: 'lost', reasonCode: 'price' };
  expect(errorsIn(await api.bulkUpdateOpportunities({ body: { ids: codes.slice(1), change: lost } }))).toEqual([
    undefined,
    undefined,
  ]);
  expect(await read(api, ids[2])).toMatchObject({ status: 'lost', outcome: { reasonCode: 'price' } });
  await until('the deals are lost', () => eventsOf(api, 'opportunity.lost').length === 2);
});

it('assigns by ids, into the team of the owner, and deletes by a filter', async () => {
  const api = service.as();
  const { ids, codes } = await someDeals(api, 2);
  expect((await api.bulkAssignOpportunities({ body: { ids: codes, ownerId: members.seller } })).status).toBe(200);
  expect(await read(api, ids[1])).toMatchObject({ ownerId: members.seller, teamId: teams.sales, version: 2 });
  const wrong = await api.bulkAssignOpportunities({ body: { ids: codes, ownerId: users.suspended } });
  expect([wrong.status, wrong.body.errors?.[0]?.field]).toEqual([422, 'ownerId']);
  const filter = { ownerId: members.seller };
  const other = await api.bulkDeleteOpportunities({ body: { filter, expectedCount: 3 } });
  expect([other.status, other.body.code]).toEqual([409, 'count_changed']);
  const started = await api.bulkDeleteOpportunities({ body: { filter, expectedCount: 2 } });
  expect(started.status).toBe(202);
  expect(await ended(api, started.data.jobId)).toMatchObject({ result: { succeeded: 2, failed: 0 } });
  expect((await api.listOpportunities()).body.pagination?.total).toBe(0);
});

it('moves the deals of a filter in the background as the user who asked', async () => {
  const api = service.as();
  const { ids } = await someDeals(api, 2);
  const body = { filter: { status: 'open' }, expectedCount: 2, change: { stage: 'negotiation' } };
  const started = await api.bulkUpdateOpportunities({ body });
  expect(await ended(api, started.data.jobId)).toMatchObject({ result: { succeeded: 2, failed: 0 } });
  const history = await api.listStageHistory({ params: { id: ids[0] } });
  expect(history.data[0]).toMatchObject({ stage: 'negotiation', byUserId: '1' });
});

it('checks references, permissions of named records and narrowing', async () => {
  const api = service.as();
  const tenantId = api.caller.tenantId as number;
  const { ids, codes } = await someDeals(api, 1);
  const { data: account } = await api.createAccount({ body: { name: 'Engines' } });
  const update = (as: Api, change: object) => as.bulkUpdateOpportunities({ body: { ids: codes, change } });
  const field = async (change: object) => (await update(api, change)).body.errors?.[0]?.field;
  expect(await field({ accountId: '999999' })).toBe('change.accountId');
  expect(await field({ stageId: '999999' })).toBe('change.stageId');
  expect(await field({ reason: 'No move' })).toBe('change.reason');
  expect(await field({ ownerId: users.nobody })).toBe('change.ownerId');
  const blind = service.as({ tenantId, can: ['opportunities:write'] }) as Api;
  expect((await update(blind, { accountId: account.id })).body.errors).toMatchObject([{ field: 'change.accountId' }]);
  expect((await update(api, { accountId: account.id })).status).toBe(200);
  expect((await read(api, ids[0])).accountId).toBe(account.id);
  const own = service.as({ tenantId, userId: 8, can: ['opportunities:write:own', 'opportunities:delete:own'] }) as Api;
  expect(errorsIn(await update(own, { probability: 5 }))).toEqual(['not_found']);
  expect(errorsIn(await own.bulkDeleteOpportunities({ body: { ids: codes } }))).toEqual(['not_found']);
});
