import { aTenant, type Service, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

it('shows only people whom the caller may read, whatever teams they may read', async () => {
  const { owner, addUser, as } = await aTenant(service);
  const [one, two] = [await addUser('member'), await addUser('member')];
  const { data: team } = await owner.createTeam({ body: { name: 'Sales', memberIds: [one.id, two.id] } });
  const listAs = (...can: string[]) => as(one.id, can).listTeamMembers({ params: { id: team.id } });
  const idsOf = (data: { id: string }[]) => data.map(({ id }) => id).sort();
  expect(idsOf((await listAs('teams:read', 'users:read')).data)).toEqual([one.id, two.id].sort());
  expect(idsOf((await listAs('teams:read', 'users:read:own')).data)).toEqual([one.id]);
  expect((await listAs('teams:read')).status).toBe(403);
});
