import { randomUUID } from 'node:crypto';
import { until } from '@tandem/testing';
import { aTenant, type Service, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

type Tenant = Awaited<ReturnType<typeof aTenant>>;

function submitted(tenant: Tenant, record: object, id: string = randomUUID()) {
  const caller = { type: 'system', name: 'campaign', requestId: 'job_1' };
  const scope = { tenantId: tenant.tenantId, environment: 'live', occurredAt: '2026-11-21T10:00:00.000Z' };
  const data = { formId: '7', leadId: null, fields: { email: 'ada@example.com' }, submissionId: '9' };
  const name = 'form.submitted';
  return service.publish(
    name,
    { id, name, ...scope, action: 'form.submit', target: { type: 'form', id: 7 }, caller, data, record },
    id,
  );
}

async function aMember() {
  const tenant = await aTenant(service);
  const member = await tenant.addUser('member');
  const inbox = async () => (await tenant.as(member.id, ['notifications:read']).listNotifications()).data;
  return { tenant, member, inbox };
}

it('notifies the users whom the form names, and each submission counts once', async () => {
  const { tenant, member, inbox } = await aMember();
  const other = await tenant.addUser('member');
  const record = { id: '7', name: 'Contact', notifyUserIds: [member.id] };
  const id = randomUUID();
  await submitted(tenant, record, id);
  await submitted(tenant, record, id);
  const [shown] = await until('the notification arrives', async () => {
    const list = await inbox();
    return list.length > 0 && list;
  });
  const text = { title: 'A form was submitted', body: 'The form “Contact” was submitted.' };
  expect(shown).toMatchObject({ ...text, category: 'forms', groupCount: 1 });
  await submitted(tenant, { id: '7', name: 'Contact', notifyUserIds: [] });
  await submitted(tenant, record);
  const again = await until('the second one takes its place', async () => {
    const list = await inbox();
    return list[0]?.groupCount === 2 && list;
  });
  expect(again).toHaveLength(1);
  expect((await tenant.as(other.id, ['notifications:read']).listNotifications()).data).toEqual([]);
});

it('moves an event that cannot be read to the dead letters', async () => {
  const { tenant } = await aMember();
  await submitted(tenant, { id: 'none' });
  await until('it is a dead letter', async () => (await service.deadLetters('notify-of-forms')).length > 0);
});
