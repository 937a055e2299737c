import { aTenant, type Service, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

it('names everything that uses the role, with a count and a remedy', async () => {
  const { owner, addUser, tenantId } = await aTenant(service);
  const { data: role } = await owner.createRole({ body: { name: 'Guest', permissions: ['leads:read'] } });
  const remove = () => owner.deleteRole({ params: { id: role.id } });
  const email = `guest.${tenantId}@example.com`;
  const { data: invitation } = await owner.inviteUser({ body: { email, roleId: role.id } });
  const invited = { field: 'invitations', message: 'Used by 1 pending ones; revoke them' };
  expect((await remove()).body).toMatchObject({ code: 'role_in_use', errors: [invited] });
  await addUser('member', { roleId: role.id });
  const assigned = { field: 'users', message: 'Assigned to 1, including inactive ones; assign them another role' };
  const both = await remove();
  expect([both.status, both.body.errors]).toEqual([409, [assigned, invited]]);
  await owner.revokeInvitation({ params: { id: invitation.id } });
  expect((await remove()).body.errors).toEqual([assigned]);
});
