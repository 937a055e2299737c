import { aTenant, fleet, type Service, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

const month = '2026-11';
const record = async (gateway: string, batch: number, calls: [number, number][]) => {
  const { data } = await fleet(service).recordUsage({
    body: {
      gateway,
      batch,
      calls: calls.map(([tenantId, count]) => ({ tenantId: `${tenantId}`, month, calls: count })),
    },
  });
  return data.recorded as boolean;
};
const read = async (tenantId: number) =>
  (await fleet(service).readUsage({ body: { tenantId: `${tenantId}`, month } })).data.calls as number;

describe('usage', () => {
  it('counts a repeated batch once', async () => {
    const [a, b] = [await aTenant(service), await aTenant(service)].map(({ tenantId }) => tenantId) as [number, number];
    expect(await read(a)).toBe(0);
    expect(
      await record('g1', 1, [
        [a, 3],
        [b, 4],
      ]),
    ).toBe(true);
    expect(
      await record('g1', 1, [
        [a, 3],
        [b, 4],
      ]),
    ).toBe(false);
    expect(
      await record('g1', 2, [
        [a, 1],
        [a, 1],
      ]),
    ).toBe(true);
    expect(await record('g1', 1, [[a, 100]])).toBe(false);
    expect(await record('g2', 1, [[a, 10]])).toBe(true);
    expect([await read(a), await read(b)]).toEqual([15, 4]);
  });

  it('counts a batch once under concurrent retries, and every batch of concurrent gateways', async () => {
    const [a, b] = [await aTenant(service), await aTenant(service)].map(({ tenantId }) => tenantId) as [number, number];
    const same = await Promise.all(
      Array.from({ length: 8 }, () =>
        record('g3', 1, [
          [a, 1],
          [b, 1],
        ]),
      ),
    );
    expect(same.filter(Boolean)).toHaveLength(1);
    await Promise.all(
      Array.from({ length: 8 }, (_, gateway) =>
        record(
          `many-${gateway}`,
          1,
          gateway % 2
            ? [
                [a, 1],
                [b, 1],
              ]
            : [
                [b, 1],
                [a, 1],
              ],
        ),
      ),
    );
    expect([await read(a), await read(b)]).toEqual([9, 9]);
  });

  it('ignores unknown tenants and rejects malformed months', async () => {
    const { tenantId } = await aTenant(service);
    expect(
      await record('g4', 1, [
        [999_999, 1],
        [tenantId, 1],
      ]),
    ).toBe(true);
    expect([await read(tenantId), await read(999_999)]).toEqual([1, 0]);
    expect((await fleet(service).readUsage({ body: { tenantId: `${tenantId}`, month: '11/2026' } })).status).toBe(422);
  });

  it('is accessible to internal services only', async () => {
    const { owner, tenantId } = await aTenant(service);
    expect((await owner.readUsage({ body: { tenantId: `${tenantId}`, month } })).status).toBe(403);
  });
});
