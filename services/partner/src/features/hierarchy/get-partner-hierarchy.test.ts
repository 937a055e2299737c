import { type Api, anApprovedPartner, type Service, startPartner } from '../../partner.test-service.ts';
import { aChain } from './hierarchy.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startPartner();
});
afterAll(() => service?.close());

interface Node {
  id: string;
  depth: number;
  directCount: number;
  children: Node[];
}

const hierarchy = async (api: Api, id: string, query: Record<string, string> = {}) =>
  (await api.getPartnerHierarchy({ params: { id }, query })).data as Node & { truncated: boolean };
/** The ids and depths of the tree, as nested arrays. */
const shape = ({ id, depth, children }: Node): unknown[] => [id, depth, ...children.map(shape)];

/** Adds recruits of a partner by SQL, as many as a large tenant has. */
const addRecruits = ({ caller }: Api, parentId: string, count: number) =>
  service.sqlWithin(
    caller,
    `INSERT INTO partner (email, email_key, first_name, last_name, status, parent_partner_id, tenant_id, environment)
     SELECT 'r' || n || '@example.com', 'r' || n || '@example.com', 'R', 'N' || n, 'approved', ${parentId},
       ${caller.tenantId}, '${caller.environment}' FROM generate_series(1, ${count}) AS n`,
  );

describe('getPartnerHierarchy', () => {
  it('nests the partners above and below, as deep as requested', async () => {
    const api = service.as();
    const [a, b, c, d] = (await aChain(api, 4)) as [string, string, string, string];
    const { id: sibling } = await anApprovedPartner(api, { parentPartnerId: b, company: 'Hut 6' });
    const all = await hierarchy(api, b);
    expect(shape(all)).toEqual([a, -1, [b, 0, [c, 1, [d, 2]], [sibling, 1]]]);
    expect(all).toMatchObject({ truncated: false, directCount: 1 });
    expect(all.children[0]).toMatchObject({ directCount: 2, tier: 'bronze', status: 'approved' });
    expect(all.children[0]?.children[1]).toMatchObject({ name: 'Hut 6', directCount: 0, children: [] });
    expect(shape(await hierarchy(api, c, { direction: 'up' }))).toEqual([a, -2, [b, -1, [c, 0]]]);
    expect(shape(await hierarchy(api, c, { direction: 'up', depth: '1' }))).toEqual([b, -1, [c, 0]]);
    expect(shape(await hierarchy(api, a, { direction: 'down', depth: '1' }))).toEqual([a, 0, [b, 1]]);
    for (const depth of ['0', '11', 'x'])
      expect((await api.getPartnerHierarchy({ params: { id: a }, query: { depth } })).status).toBe(422);
  });

  it('returns a chain of the greatest depth', async () => {
    const api = service.as();
    const chain = await aChain(api, 11);
    const expected = (from: number): unknown[] => [chain[from], from, ...(from < 10 ? [expected(from + 1)] : [])];
    expect(shape(await hierarchy(api, chain[0] as string, { depth: '10' }))).toEqual(expected(0));
  });

  it('returns the nearest thousand of a large hierarchy, and says so', async () => {
    const api = service.as();
    const [top, middle] = (await aChain(api, 2)) as [string, string];
    await addRecruits(api, middle, 10_000);
    const answer = await hierarchy(api, top, { depth: '10' });
    expect([answer.truncated, answer.children[0]?.children.length]).toEqual([true, 998]);
    expect(answer.children[0]?.directCount).toBe(10_000);
    const { body } = await api.listDownline({ params: { id: top }, query: { limit: '100' } });
    expect(body.pagination?.total).toBe(10_000);
  });

  it('has no partners of other tenants and environments', async () => {
    const api = service.as();
    const [top, below] = (await aChain(api, 2)) as [string, string];
    const sandbox = service.as({ tenantId: api.caller.tenantId as number, environment: 'sandbox' });
    for (const other of [service.as(), sandbox]) {
      const params = { id: top };
      for (const operation of ['getPartnerHierarchy', 'getPartnerUpline', 'listDownline', 'listParentChanges'] as const)
        expect((await other[operation]({ params })).status).toBe(404);
    }
    expect(shape(await hierarchy(api, top))).toEqual([top, 0, [below, 1]]);
  });
});

describe('getPartnerUpline', () => {
  it('returns the parent first and the highest partner last', async () => {
    const api = service.as();
    const [a, b, c] = (await aChain(api, 3)) as [string, string, string];
    const { data } = await api.getPartnerUpline({ params: { id: c } });
    expect(data.map(({ id, depth, directCount }: Node) => [id, depth, directCount])).toEqual([
      [b, -1, 1],
      [a, -2, 1],
    ]);
    expect((await api.getPartnerUpline({ params: { id: a } })).data).toEqual([]);
  });
});

describe('listDownline', () => {
  it('lists all levels in pages with the depth of each, and filters by depth and text', async () => {
    const api = service.as();
    const [a, b, c] = (await aChain(api, 3)) as [string, string, string];
    await anApprovedPartner(api);
    const { id: d } = await anApprovedPartner(api, { parentPartnerId: a, company: 'Bletchley' });
    const ids = async (query: Record<string, string>) =>
      (await api.listDownline({ params: { id: a }, query: { sort: 'createdAt', ...query } })).data.map(
        ({ id, depth }: Node) => [id, depth],
      );
    expect(await ids({})).toEqual([
      [b, 1],
      [c, 2],
      [d, 1],
    ]);
    expect(await ids({ depth: '1' })).toEqual([
      [b, 1],
      [d, 1],
    ]);
    expect(await ids({ search: 'bletchley' })).toEqual([[d, 1]]);
    const { body } = await api.listDownline({ params: { id: a }, query: { sort: 'createdAt', limit: '2' } });
    expect(await ids({ limit: '2', cursor: body.pagination?.nextCursor as string })).toEqual([[d, 1]]);
    expect((await api.listDownline({ params: { id: c } })).data).toEqual([]);
  });
});
