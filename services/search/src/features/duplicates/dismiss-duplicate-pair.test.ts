import { until } from '@tandem/testing';
import { type Api, aTenantWith, type Service, startSearch } from '../../search.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startSearch();
});
afterAll(() => service?.close());

const ada = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@engines.example' };
const list = async (api: Api, status = 'open') => (await api.listDuplicates({ query: { status } })).data;
const pairs = (api: Api, status: string, scores: number[]) =>
  until(`${status} pairs: ${scores}`, async () => {
    const found = await list(api, status);
    return JSON.stringify(found.map(({ score }: { score: number }) => score)) === JSON.stringify(scores) && found;
  });
const write = (api: Api, id: string, data: object) =>
  api.indexDocument({ body: { type: 'lead', id, data: data as Record<string, unknown> } });
/** Waits until every document that was written has been compared. */
const compared = (api: Api) =>
  until('all documents are compared', async () => {
    const [row] = await service.sqlWithin(
      api.caller,
      `SELECT (SELECT count(*) FROM duplicate_check) + (SELECT count(*) FROM platform.job WHERE name = 'pair-documents') AS left`,
    );
    return Number(row?.['left']) === 0;
  });

it('a dismissed pair is in no list of open ones, and is dismissed once', async () => {
  const api = await aTenantWith(service, { a: ada, b: ada });
  const [{ id }] = await pairs(api, 'open', [1]);
  const dismiss = () => api.dismissDuplicatePair({ params: { pairId: id } });
  const { status, data } = await dismiss();
  expect([status, data]).toEqual([
    200,
    expect.objectContaining({ id, status: 'dismissed', version: 2, dismissedAt: expect.stringMatching(/Z$/) }),
  ]);
  const again = await dismiss();
  expect([again.status, again.body.code]).toEqual([409, 'pair_decided']);
  expect([(await list(api)).length, (await list(api, 'dismissed')).length]).toEqual([0, 1]);
});

it('a dismissed pair opens again only when a change raises its score above the dismissed one', async () => {
  const api = await aTenantWith(service, { a: ada, b: { ...ada, email: 'ada+x@engines.example' } });
  const [{ id }] = await pairs(api, 'open', [0.9]);
  await api.dismissDuplicatePair({ params: { pairId: id } });
  await write(api, 'b', { ...ada, email: 'ada@other.example' });
  await compared(api);
  await write(api, 'b', { ...ada, email: 'ada+y@engines.example' });
  await compared(api);
  expect([(await list(api)).length, (await list(api, 'dismissed')).length]).toEqual([0, 1]);
  await write(api, 'b', { ...ada, note: 'the same address' });
  expect(await pairs(api, 'open', [1])).toMatchObject([{ id, version: 3, dismissedBy: null, dismissedAt: null }]);
});

it('only callers who may write both records dismiss a pair', async () => {
  const api = await aTenantWith(service, { a: ada, b: ada });
  const tenantId = api.caller.tenantId as number;
  const [{ id }] = await pairs(api, 'open', [1]);
  const statusFor = async (as: Api) => (await as.dismissDuplicatePair({ params: { pairId: id } })).status;
  const can = ['search:read', 'search:write', 'leads:read'];
  expect(await statusFor(service.as({ tenantId, can }))).toBe(403);
  expect(await statusFor(service.as({ tenantId, can: [...can, 'partners:write'] }))).toBe(404);
  expect(await statusFor(service.as({ tenantId, userId: 7, can: [...can, 'leads:write:own'] }))).toBe(404);
  expect(await statusFor(service.as())).toBe(404);
  expect(await statusFor(service.as({ ...api.caller, environment: 'sandbox' }))).toBe(404);
  const stale = await api.dismissDuplicatePair({ params: { pairId: id }, headers: { 'if-match': '"9"' } } as never);
  expect(stale.status).toBe(412);
  expect(await statusFor(service.as({ tenantId, can: [...can, 'leads:write'] }))).toBe(200);
});
