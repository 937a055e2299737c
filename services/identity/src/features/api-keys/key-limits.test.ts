import { aTenant, type Service, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

/** A tenant with a key, and a client that uses it. */
async function aLimitedKey(limits: { expiresAt?: string; allowedIps?: string[] }, more: object = {}) {
  const tenant = await aTenant(service);
  const { data: key } = await tenant.owner.createApiKey({ body: { name: 'limited', ...limits } });
  const { data: free } = await tenant.owner.createApiKey({ body: { name: 'free' } });
  const limited = tenant.as(tenant.user.id, ['*'], { type: 'key', keyId: Number(key.id), ...more });
  return { ...tenant, key, free, limited };
}

interface Reply {
  status: number;
  body: { errors?: { field: string }[] };
}
const refusal = ({ status, body }: Reply) => [status, body.errors?.map(({ field }) => field)];

describe('a key that expires', () => {
  it('creates no key that works longer, and does not prolong itself', async () => {
    const expiresAt = inHours(2);
    const { limited, key, free, owner } = await aLimitedKey({ expiresAt });
    const refused = [403, ['expiresAt']];
    for (const wanted of [undefined, null, inHours(3)]) {
      const fields = wanted === undefined ? {} : { expiresAt: wanted };
      expect(refusal(await limited.createApiKey({ body: { name: 'new', ...fields } }))).toEqual(refused);
    }
    const params = { id: key.id };
    expect(refusal(await limited.updateApiKey({ params, body: { expiresAt: null } }))).toEqual(refused);
    expect(refusal(await limited.updateApiKey({ params, body: { expiresAt: inHours(3) } }))).toEqual(refused);
    const another = { id: free.id };
    expect(refusal(await limited.updateApiKey({ params: another, body: { permissions: ['*'] } }))).toEqual(refused);
    expect(refusal(await limited.rotateApiKey({ params: another, body: {} }))).toEqual(refused);
    expect((await limited.createApiKey({ body: { name: 'new', expiresAt } })).status).toBe(201);
    expect((await limited.updateApiKey({ params, body: { name: 'renamed', expiresAt: inHours(1) } })).status).toBe(200);
    expect((await limited.rotateApiKey({ params, body: {} })).data.expiresAt).toEqual(expect.any(String));
    expect((await owner.updateApiKey({ params: another, body: { expiresAt: inHours(9) } })).status).toBe(200);
  });

  it('stays limited when it acts on behalf of somebody else within own records', async () => {
    const tenant = await aLimitedKey({ expiresAt: inHours(1) });
    const { id } = await tenant.addUser('admin');
    const actsFor = tenant.as(tenant.user.id, ['api_keys:manage:own', 'users:act_as'], {
      type: 'key',
      keyId: Number(tenant.key.id),
      onBehalfOf: Number(id),
    });
    const body = { name: 'new', permissions: ['api_keys:manage:own'] };
    expect(refusal(await actsFor.createApiKey({ body }))).toEqual([403, ['expiresAt']]);
    expect((await actsFor.createApiKey({ body: { ...body, expiresAt: inHours(0.5) } })).status).toBe(201);
  });
});

describe('a key for some networks', () => {
  it.each([
    ['no networks', undefined, false],
    ['an empty list', [], false],
    ['another address', ['198.51.100.1'], false],
    ['a wider network', ['203.0.0.0/16'], false],
    ['one network within, one not', ['203.0.113.7', '2001:db9::/32'], false],
    ['the other family', ['::ffff:203.0.113.7'], false],
    ['the same networks', ['203.0.113.0/24', '2001:db8::/32'], true],
    ['parts of them', ['203.0.113.128/25', '203.0.113.7', '2001:db8:1::/48', '2001:db8::1'], true],
  ])('creates and changes keys with %s only if these are within its own', async (_, allowedIps, isAllowed) => {
    const { limited, key } = await aLimitedKey({ allowedIps: ['203.0.113.0/24', '2001:db8::/32'] });
    const created = await limited.createApiKey({ body: { name: 'new', ...(allowedIps && { allowedIps }) } });
    const body = { allowedIps: allowedIps ?? null, name: 'changed' };
    const changed = await limited.updateApiKey({ params: { id: key.id }, body });
    if (isAllowed) expect([created.status, changed.status]).toEqual([201, 200]);
    else expect([created, changed].map(refusal)).toEqual(Array(2).fill([403, ['allowedIps']]));
  });
});
