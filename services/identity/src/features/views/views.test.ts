import { randomBytes } from 'node:crypto';
import { createIdCodec } from '@tandem/ids';
import { aTenant, fleet, type Service, startIdentity } from '../../identity.test-service.ts';

const ids = createIdCodec(process.env.IDS_ALPHABET as string);

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

const hot = { resource: 'leads', name: 'Hot leads', search: '?status=qualified&sort=-score' };
type Tenant = Awaited<ReturnType<typeof aTenant>>;

async function aTeamOf(tenant: Tenant, ...members: string[]): Promise<number> {
  const body = { name: `Team ${randomBytes(4).toString('hex')}`, memberIds: members };
  return Number((await tenant.owner.createTeam({ body })).data.id);
}

it('creates, lists, updates and deletes views of a resource, in the order of their positions', async () => {
  const { owner } = await aTenant(service);
  const { status, data } = await owner.createView({ body: { ...hot, position: 2, layout: 'board' } });
  expect([status, data]).toMatchObject([
    201,
    { ...hot, search: 'status=qualified&sort=-score', layout: 'board', visibility: 'private', version: 1 },
  ]);
  await owner.createView({ body: { ...hot, name: 'First', position: 1 } });
  await owner.createView({ body: { resource: 'tasks', name: 'Open' } });
  const listed = await owner.listViews({ query: { resource: 'leads' } });
  expect(listed.data.map(({ name }: { name: string }) => name)).toEqual(['First', 'Hot leads']);
  const params = { id: data.id };
  const updated = await owner.updateView({ params, body: { name: 'Hotter', search: 'status=new' } });
  expect(updated.data).toMatchObject({ name: 'Hotter', search: 'status=new', version: 2 });
  expect((await owner.updateView({ params, body: { name: 'x' }, headers: { 'if-match': '"1"' } })).status).toBe(412);
  expect((await owner.deleteView({ params })).data).toEqual({ id: data.id, deleted: true });
  expect((await owner.getView({ params })).status).toBe(404);
});

describe('the search of a view', () => {
  it('keeps public ids, and may only have parameters of its list, with valid values', async () => {
    const { owner, tenantId, user } = await aTenant(service);
    const own = ids.encode('user', tenantId, Number(user.id));
    const search = `assignedTo=${own}&customFields%5Bcolor%5D=red`;
    expect((await owner.createView({ body: { ...hot, search } })).data.search).toBe(search);
    const foreign = ids.encode('user', tenantId + 1, Number(user.id));
    const refused = async (text: string) => {
      const { status, body } = await owner.createView({ body: { ...hot, search: text } });
      return [status, body.errors?.map(({ field }) => field)];
    };
    expect(await refused('colour=red&status=won')).toEqual([422, ['search.colour', 'search.status']]);
    expect(await refused(`assignedTo=${foreign}`)).toEqual([422, ['search.assignedTo']]);
    expect(await refused('page=2&cursor=x&view=y')).toEqual([422, ['search.page', 'search.cursor', 'search.view']]);
    for (const name of ['constructor', 'toString'])
      expect(await refused(`${name}=1`)).toEqual([422, [`search.${name}`]]);
    expect(await refused('include=assignedTo,boss')).toEqual([422, ['search.include']]);
    expect((await owner.createView({ body: { ...hot, search: 'include=assignedTo,team' } })).status).toBe(201);
    expect(await refused('status=new&status=won')).toEqual([422, ['search.status']]);
    expect(await refused(`search=${'x'.repeat(4_096)}`)).toEqual([422, ['search']]);
  });

  it('may lack a required parameter of the list, which the request then names', async () => {
    const { owner } = await aTenant(service);
    expect(
      (await owner.createView({ body: { resource: 'search/leads', name: 'Found', search: 'limit=5' } })).status,
    ).toBe(201);
  });
});

it('refuses an unknown resource, and one whose list the caller may not read', async () => {
  const tenant = await aTenant(service);
  const unknown = await tenant.owner.createView({ body: { ...hot, resource: 'unicorns' } });
  expect([unknown.status, unknown.body.errors?.[0]?.field]).toEqual([422, 'resource']);
  expect(unknown.body.errors?.[0]?.message).toMatch(/leads.*training\/courses/);
  const { id } = await tenant.addUser('member');
  const reader = tenant.as(id, ['tasks:read']);
  expect((await reader.createView({ body: hot })).status).toBe(403);
  const { data } = await tenant.owner.createView({ body: { ...hot, visibility: 'tenant' } });
  expect((await reader.listViews()).data).toEqual([]);
  expect((await reader.getView({ params: { id: data.id } })).status).toBe(404);
});

describe('the visibility of a view', () => {
  it('is its owner, the members of their teams, or everyone in the tenant', async () => {
    const tenant = await aTenant(service);
    const [mate, stranger] = [await tenant.addUser('member'), await tenant.addUser('member')];
    const teamId = await aTeamOf(tenant, tenant.user.id, mate.id);
    const created = async (visibility: string) =>
      (await tenant.owner.createView({ body: { ...hot, name: visibility, visibility } })).data;
    const [own, team, all] = [await created('private'), await created('team'), await created('tenant')];
    const seenBy = async (api: ReturnType<Tenant['as']>) =>
      (await api.listViews()).data.map(({ name }: { name: string }) => name);
    const asMate = tenant.as(mate.id, ['leads:read'], { teamIds: [teamId] });
    const asStranger = tenant.as(stranger.id, ['leads:read']);
    expect(await seenBy(tenant.owner)).toEqual(['private', 'team', 'tenant']);
    expect(await seenBy(asMate)).toEqual(['team', 'tenant']);
    expect(await seenBy(asStranger)).toEqual(['tenant']);
    expect((await asMate.getView({ params: { id: own.id } })).status).toBe(404);
    expect((await asMate.updateView({ params: { id: team.id }, body: { name: 'x' } })).status).toBe(403);
    expect((await asMate.deleteView({ params: { id: all.id } })).status).toBe(403);
    const manager = tenant.as(mate.id, ['leads:read', 'config:manage'], { teamIds: [teamId] });
    expect((await manager.updateView({ params: { id: all.id }, body: { name: 'x' } })).status).toBe(200);
    expect((await manager.updateView({ params: { id: team.id }, body: { name: 'x' } })).status).toBe(403);
    expect((await asMate.createView({ body: { ...hot, visibility: 'tenant' } })).status).toBe(403);
    const found = (userId: string) =>
      service
        .as({
          type: 'system',
          name: 'gateway',
          tenantId: tenant.tenantId,
          userId: Number(userId),
          keyId: undefined,
        } as never)
        .findView({ params: { id: own.id } });
    expect([(await found(tenant.user.id)).status, (await found(mate.id)).status]).toEqual([200, 404]);
  });

  it('is limited to the tenant and the environment', async () => {
    const [one, other] = [await aTenant(service), await aTenant(service)];
    const { data } = await one.owner.createView({ body: { ...hot, visibility: 'tenant' } });
    expect((await other.owner.getView({ params: { id: data.id } })).status).toBe(404);
    const sandbox = one.as(one.user.id, ['*'], { environment: 'sandbox' });
    expect((await sandbox.getView({ params: { id: data.id } })).status).toBe(404);
    await sandbox.createView({ body: { ...hot, name: 'Trial' } });
    expect((await sandbox.listViews()).data).toHaveLength(1);
    expect((await fleet(service).findView({ params: { id: data.id } })).status).toBe(404);
  });
});

it('limits the views of a user to 200, also for simultaneous requests', async () => {
  const { owner } = await aTenant(service);
  for (let batch = 0; batch < 19; batch++) {
    const created = await Promise.all(Array.from({ length: 10 }, () => owner.createView({ body: hot })));
    expect(created.map(({ status }) => status)).toEqual(Array(10).fill(201));
  }
  const replies = await Promise.all(Array.from({ length: 15 }, () => owner.createView({ body: hot })));
  expect(replies.map(({ status }) => status).sort()).toEqual([...Array(10).fill(201), ...Array(5).fill(409)]);
});
