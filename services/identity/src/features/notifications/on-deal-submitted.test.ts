import { randomUUID } from 'node:crypto';
import { until } from '@tandem/testing';
import { aTenant, type Service, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

type Tenant = Awaited<ReturnType<typeof aTenant>>;

const at = '2026-11-21T10:00:00.000Z';
const contact = { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace', phone: null };
const none = ['companyDomain', 'value', 'currency', 'expectedCloseAt', 'notes', 'reason', 'protectedUntil', 'leadId'];
const later = ['opportunityId', 'createdBy', 'decidedAt'];

function submitted({ tenantId }: Tenant, id: string, company: string) {
  const record = {
    ...Object.fromEntries([...none, ...later].map((field) => [field, null])),
    id,
    tenantId: `${tenantId}`,
    partnerId: '5',
    company,
    contact,
    status: 'submitted',
    allowedTransitions: [],
    submittedAt: at,
    version: 2,
    createdAt: at,
    updatedAt: at,
  };
  const name = 'deal_registration.submitted';
  const caller = { type: 'portal', partnerId: 5, portalUserId: 6, requestId: 'request_1' };
  const target = { type: 'deal_registration', id: Number(id) };
  const data = { dealRegistrationId: id, partnerId: '5' };
  const scope = { tenantId, environment: 'live', occurredAt: at, action: 'deal_registration.submit' };
  const message = { id: randomUUID(), name, ...scope, target, caller, data, record };
  return service.publish(name, message, message.id);
}

it('notifies the users who decide on deal registrations, and nobody else', async () => {
  const tenant = await aTenant(service);
  const [manager, member] = [await tenant.addUser('admin'), await tenant.addUser('member')];
  const inbox = async (id: string) => (await tenant.as(id, ['notifications:read']).listNotifications()).data;
  await submitted(tenant, '7', 'Company 1');
  const [shown] = await until('the notification arrives', async () => {
    const list = await inbox(manager.id);
    return list.length > 0 && list;
  });
  expect(shown).toMatchObject({
    title: 'A deal was registered',
    body: 'A partner registered a deal with Company 1, and waits for your decision.',
    category: 'partners',
    data: { type: 'deal_registration' },
  });
  expect(await inbox(member.id)).toEqual([]);
});
