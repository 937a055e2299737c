import { createPepper } from '@tandem/api-keys';
import { aTenant, fleet, type Service, secrets, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

const resolve = async (fullKey: string) =>
  (await fleet(service).resolveKey({ body: { hash: createPepper(secrets.KEY_PEPPER).hash(fullKey) } })).data
    .permissions as string[];

const rights = ['api_keys:manage', 'users:act_as', 'leads:read'];

/** A clerk whose key manager has the same rights, and who is promoted later. */
async function aClerk() {
  const tenant = await aTenant(service);
  const { owner, addUser, as, roleId } = tenant;
  const { data: role } = await owner.createRole({ body: { name: 'Clerk', permissions: rights } });
  const [clerk, keeper] = [await addUser('member', { roleId: role.id }), await addUser('member', { roleId: role.id })];
  const promote = async () => {
    const { status } = await owner.setUserRole({ params: { id: clerk.id }, body: { roleId: roleId('admin') } });
    expect(status).toBe(200);
  };
  return { ...tenant, clerk, promote, mine: as(clerk.id, rights), theirs: as(keeper.id, rights), keeper };
}

it('a rotated key of somebody else does not grow with its owner; their own does', async () => {
  const { mine, theirs, promote } = await aClerk();
  const { data: old } = await mine.createApiKey({ body: { name: 'inherits' } });
  const { data: seen } = await theirs.rotateApiKey({ params: { id: old.id }, body: {} });
  const { data: own } = await mine.rotateApiKey({ params: { id: old.id }, body: {} });
  expect([old.permissions, seen.permissions, own.permissions]).toEqual([[], rights, []]);
  await promote();
  expect(new Set(await resolve(seen.fullKey))).toEqual(new Set(rights));
  expect(await resolve(own.fullKey)).toContain('leads:*');
});

it('neither does a key that is created on behalf of somebody else', async () => {
  const { as, keeper, clerk, promote, theirs } = await aClerk();
  const { data: used } = await theirs.createApiKey({ body: { name: 'used' } });
  const actsFor = as(keeper.id, rights, { type: 'key', keyId: Number(used.id), onBehalfOf: Number(clerk.id) });
  const { data: key } = await actsFor.createApiKey({ body: { name: 'for the clerk' } });
  expect([key.ownerId, key.permissions]).toEqual([clerk.id, rights]);
  await promote();
  expect(new Set(await resolve(key.fullKey))).toEqual(new Set(rights));
});

it('nor a key whose permissions somebody else removes', async () => {
  const { mine, theirs, promote } = await aClerk();
  const { data: key } = await mine.createApiKey({ body: { name: 'fixed', permissions: ['leads:read'] } });
  const { data } = await theirs.updateApiKey({ params: { id: key.id }, body: { permissions: [] } });
  expect(data.permissions).toEqual(rights);
  await promote();
  expect(new Set(await resolve(key.fullKey))).toEqual(new Set(rights));
});

it('a key with permissions of its own creates none without', async () => {
  const { as, clerk, mine, promote } = await aClerk();
  const keyOf = async (permissions: string[]) =>
    (await mine.createApiKey({ body: { name: 'k', permissions } })).data as { id: string };
  const through = ({ id }: { id: string }) => as(clerk.id, rights, { type: 'key', keyId: Number(id) });
  const { data: fixed } = await through(await keyOf(rights)).createApiKey({ body: { name: 'a' } });
  const { data: follows } = await through(await keyOf([])).createApiKey({ body: { name: 'b' } });
  expect([fixed.permissions, follows.permissions]).toEqual([rights, []]);
  await promote();
  expect(new Set(await resolve(fixed.fullKey))).toEqual(new Set(rights));
});

it('a key for a user without rights needs permissions: an empty list would mean all rights of a later role', async () => {
  const { owner, addUser, as, keeper } = await aClerk();
  const { data: empty } = await owner.createRole({ body: { name: 'Nothing yet', permissions: [] } });
  const newcomer = await addUser('member', { roleId: empty.id });
  const actsFor = as(keeper.id, rights, { type: 'key', keyId: 1, onBehalfOf: Number(newcomer.id) });
  const { status, body } = await actsFor.createApiKey({ body: { name: 'early' } });
  expect([status, body.errors?.[0]?.field]).toEqual([403, 'permissions']);
});
