import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { aTenant, type Service, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

describe('listUsers', () => {
  it('counts on /metrics the queries that go through the engine of Prisma', async () => {
    const server = service.app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const counted = async () => {
      const text = await (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`)).text();
      return Number(/^tandem_prisma_queries_total\{model="User",operation="findPage".*\} (\d+)$/m.exec(text)?.[1] ?? 0);
    };
    const before = await counted();
    const { owner } = await aTenant(service);
    expect((await owner.listUsers({ query: { status: 'active' } })).status).toBe(200);
    expect(await counted()).toBe(before);
    const { data: team } = await owner.createTeam({ body: { name: 'Sales' } });
    // Members are records of another table, which the direct queries do not reach.
    const { body, data } = await owner.listUsers({ query: { teamId: team.id } });
    expect([data, body.pagination?.total]).toEqual([[], 0]);
    expect(await counted()).toBe(before + 1);
    server.close();
  });
});
