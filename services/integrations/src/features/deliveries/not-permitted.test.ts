import { leadCreated } from '@tandem/crm-contract';
import { until } from '@tandem/testing';
import {
  type Api,
  aWebhook,
  closingReceivers,
  deliveryAt,
  type Integrations,
  inStatus,
  leadData,
  publish,
  startIntegrations,
} from '../../testing.ts';

let service: Integrations;
const receiver = closingReceivers();
beforeAll(async () => {
  service = await startIntegrations();
});
afterAll(() => service?.close());

let users = 100;

/** A user with a key that has all permissions and a role with only these. */
function aUser(role: string[], tenantId?: number): Api {
  service.permissions.set(++users, role);
  return service.as({ userId: users, ...(tenantId !== undefined && { tenantId }) });
}

const jobsEnd = ({ caller }: Api) =>
  until('no job is left', async () => (await service.sqlWithin(caller, 'SELECT id FROM platform.job')).length === 0);

/** A delivery without permission, paused while its job requests the permissions from identity. */
async function aHeldDelivery() {
  const user = aUser([]);
  const held = service.holdPermissions(user.caller.userId as number);
  const hook = await receiver();
  const id = await aWebhook(user, hook.url, { events: ['lead.*'] });
  await publish(service, leadCreated, user.caller, leadData());
  await held.asked;
  return { user, id, release: held.release };
}

it('leaves a finished delivery unchanged when a manual retry is not permitted', async () => {
  const owner = aUser(['*']);
  const hook = await receiver();
  const id = await aWebhook(owner, hook.url, { events: ['lead.*'] });
  await publish(service, leadCreated, owner.caller, leadData());
  const before = await inStatus(owner, id, 'succeeded');
  const other = aUser([], owner.caller.tenantId);
  await other.updateWebhook({ params: { id }, body: { active: true } });
  const { body } = await owner.retryDelivery({ params: { id, deliveryId: before.id } });
  expect(body.success).toBe(true);
  await jobsEnd(owner);
  expect(await deliveryAt(owner, id)).toEqual(before);
  expect(hook.requests).toHaveLength(1);
});

it('keeps a delivery cancelled when it is cancelled during the permission check', async () => {
  const { user, id, release } = await aHeldDelivery();
  await user.deleteWebhook({ params: { id } });
  release();
  await jobsEnd(user);
  const rows = await service.sqlWithin(user.caller, 'SELECT status, last_error FROM delivery');
  expect(rows).toEqual([{ status: 'cancelled', last_error: null }]);
});

it('does not affect a new round of a delivery that starts during the permission check', async () => {
  const { user, id, release } = await aHeldDelivery();
  const admin = aUser(['*'], user.caller.tenantId);
  for (const active of [false, true]) await admin.updateWebhook({ params: { id }, body: { active } });
  await admin.recoverWebhook({ params: { id }, body: { since: new Date(Date.now() - 60_000).toISOString() } });
  await inStatus(admin, id, 'succeeded');
  release();
  await jobsEnd(user);
  expect(await deliveryAt(admin, id)).toMatchObject({ status: 'succeeded', lastError: null });
});
