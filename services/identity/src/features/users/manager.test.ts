import { until } from '@tandem/testing';
import { aTenant, password, type Service, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

/** A tenant with people, each of whom reports to the one before. */
async function aLine(length: number) {
  const tenant = await aTenant(service);
  const ids: string[] = [];
  for (let index = 0; index < length; index++)
    ids.push((await tenant.addUser('member', { managerId: ids.at(-1) ?? null })).id);
  const managerOf = async (id: string | undefined) => (await tenant.owner.getUser({ params: { id } })).data.managerId;
  const setManager = (id: string | undefined, managerId: string | null | undefined) =>
    tenant.owner.updateUser({ params: { id }, body: { managerId } });
  return { ...tenant, ids, managerOf, setManager };
}

it('is set at creation and by an update, listed, and recorded in the audit log', async () => {
  const { owner, ids, managerOf, setManager } = await aLine(3);
  const [first, second, third] = ids;
  expect([await managerOf(first), await managerOf(second)]).toEqual([null, first]);
  const { status, data } = await setManager(third, first);
  expect([status, data.managerId]).toEqual([200, first]);
  const reports = (await owner.listUsers({ query: { managerId: first as string } })).data as { id: string }[];
  expect(reports.map(({ id }) => id).sort()).toEqual([second, third].sort());
  const event = await until('the event arrives', () =>
    service.events.find((one) => one.name === 'user.updated' && one.target.id === Number(third)),
  );
  expect(event.changes).toEqual({ managerId: { from: Number(second), to: Number(first) } });
  expect((await setManager(third, null)).data.managerId).toBeNull();
});

it('must be an active user of the tenant who does not report to the user', async () => {
  const [{ owner, ids, setManager, addUser, tenantId }, other] = [await aLine(3), await aTenant(service)];
  const [first, , third] = ids;
  const gone = await addUser('member');
  await owner.deactivateUser({ params: { id: gone.id }, body: {} });
  for (const managerId of [other.user.id, '999999999', gone.id]) {
    const person = { email: `x.${tenantId}@example.com`, password, firstName: 'A', lastName: 'B' };
    const replies = [await setManager(first, managerId), await owner.createUser({ body: { ...person, managerId } })];
    expect(replies.map(({ status, body }) => [status, body.errors?.[0]?.field])).toEqual(
      Array(2).fill([422, 'managerId']),
    );
  }
  for (const managerId of [first, third])
    expect((await setManager(first, managerId)).body).toMatchObject({
      code: 'manager_cycle',
      errors: [{ field: 'managerId' }],
    });
});

it('cannot form a cycle by two changes at the same time', async () => {
  const { addUser, setManager } = await aLine(0);
  const [one, two] = [await addUser('member'), await addUser('member')];
  const replies = await Promise.all([setManager(one.id, two.id), setManager(two.id, one.id)]);
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
});

it('is not for people to choose who may change only themselves', async () => {
  const { ids, as } = await aLine(2);
  const [first, second] = ids as [string, string];
  const self = as(second, ['users:write:own']);
  const { status, body } = await self.updateUser({ params: { id: second }, body: { managerId: null } });
  expect([status, body.errors?.[0]?.field]).toEqual([403, 'managerId']);
  const same = { managerId: first, firstName: 'Joan' };
  expect((await self.updateUser({ params: { id: second }, body: same })).status).toBe(200);
});

describe('of somebody who leaves', () => {
  it('becomes the successor, and the manager above for the successor and those above the successor', async () => {
    const { owner, ids, addUser, managerOf } = await aLine(4);
    const [head, leaver, middle, successor] = ids;
    const another = await addUser('member', { managerId: leaver });
    const body = { reassignTo: successor };
    expect((await owner.deactivateUser({ params: { id: leaver }, body })).status).toBe(200);
    expect([await managerOf(middle), await managerOf(another.id), await managerOf(successor)]).toEqual([
      head,
      successor,
      middle,
    ]);
  });

  it.each(['suspended', 'deactivated'])('becomes nobody without a successor: %s', async (status) => {
    const { owner, ids, managerOf } = await aLine(3);
    const [, leaver, report] = ids;
    expect((await owner.updateUser({ params: { id: leaver }, body: { status } })).status).toBe(200);
    expect(await managerOf(report)).toBeNull();
  });
});
