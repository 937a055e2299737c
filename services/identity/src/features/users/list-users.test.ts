import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { aTenant, type Service, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

describe('listUsers', () => {
  it('filters by team', async () => {
    const { owner, user } = await aTenant(service);
    const { data: team } = await owner.createTeam({ body: { name: 'Sales' } });
    const ofTeam = async () => {
      const { body, data } = await owner.listUsers({ query: { teamId: team.id } });
      return [data.map(({ id }: { id: string }) => id), body.pagination?.total];
    };
    expect(await ofTeam()).toEqual([[], 0]);
    await owner.addTeamMembers({ params: { id: team.id }, body: { userIds: [user.id] } });
    expect(await ofTeam()).toEqual([[user.id], 1]);
  });

  it('sends its queries directly; those through the Prisma engine are counted on /metrics', async () => {
    const server = service.app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const counted = async (operation: string) => {
      const text = await (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`)).text();
      const line = new RegExp(`^tandem_prisma_queries_total\\{model="User",operation="${operation}".*\\} (\\d+)$`, 'm');
      return Number(line.exec(text)?.[1] ?? 0);
    };
    const { owner } = await aTenant(service);
    const before = [await counted('findPage'), await counted('findFirst')] as const;
    const { data: team } = await owner.createTeam({ body: { name: 'Sales' } });
    expect((await owner.listUsers({ query: { status: 'active' } })).status).toBe(200);
    expect((await owner.listUsers({ query: { teamId: team.id } })).status).toBe(200);
    expect(await counted('findPage')).toBe(before[0]);
    // getMe reads the user with role and tenant, which direct SQL queries do not support.
    expect((await owner.getMe()).status).toBe(200);
    expect(await counted('findFirst')).toBe(before[1] + 1);
    server.close();
  });
});
