import { aTenant, password, type Service, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

const people = 10;

it('puts users who are created at the same time into the same teams', async () => {
  const { owner, tenantId } = await aTenant(service);
  const teams = await Promise.all(
    ['A', 'B', 'C'].map(async (name) => (await owner.createTeam({ body: { name } })).data),
  );
  const teamIds = teams.map(({ id }) => id);
  const create = (_: unknown, index: number) =>
    owner.createUser({
      body: {
        email: `p${index}.${tenantId}@example.com`,
        password,
        firstName: 'Grace',
        lastName: 'Hopper',
        teamIds: index % 2 ? teamIds : teamIds.toReversed(),
      },
    });
  const replies = await Promise.all(Array.from({ length: people }, create));
  expect(replies.map(({ status }) => status)).toEqual(Array(people).fill(201));
  for (const id of teamIds) {
    const { data } = await owner.getTeam({ params: { id } });
    expect([data.memberCount, data.version]).toEqual([people, 1 + people]);
  }
});

it('changes members of the same teams at the same time, by users and by teams', async () => {
  const { owner, addUser } = await aTenant(service);
  const users = await Promise.all(Array.from({ length: 6 }, () => addUser('member')));
  const [one, two] = await Promise.all(
    ['A', 'B'].map(async (name) => (await owner.createTeam({ body: { name } })).data),
  );
  const replies = await Promise.all(
    users.flatMap(({ id }, index) => [
      owner.updateUser({ params: { id }, body: { teamIds: index % 2 ? [one.id, two.id] : [two.id, one.id] } }),
      owner.addTeamMembers({ params: { id: index % 2 ? one.id : two.id }, body: { userIds: [id] } }),
    ]),
  );
  expect(replies.map(({ status }) => status)).toEqual(Array(12).fill(200));
  expect((await owner.getTeam({ params: { id: one.id } })).data.memberCount).toBe(6);
});
