import { aTenant, type Service, startIdentity } from '../../identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

it('counts what identity stores, and names the parts whose services are down', async () => {
  const { owner, user } = await aTenant(service);
  await owner.createNotification({ body: { title: 'Done', body: 'Imported', userIds: [user.id] } });
  const { status, data, body } = await owner.getCounts();
  expect([status, data]).toEqual([
    200,
    { tasks: null, approvals: null, partnerApplications: null, notifications: { unread: 1 } },
  ]);
  const missing = body.meta.warnings?.map(({ code, field }: { code: string; field: string }) => [code, field]);
  expect(missing).toEqual([
    ['part_missing', 'tasks'],
    ['part_missing', 'approvals'],
    ['part_missing', 'partnerApplications'],
  ]);
});

it('leaves out what the caller may not read, without a warning', async () => {
  const tenant = await aTenant(service);
  const { data, body } = await tenant.as(tenant.user.id, []).getCounts();
  expect(data).toEqual({ tasks: null, approvals: null, partnerApplications: null, notifications: null });
  expect(body.meta).not.toHaveProperty('warnings');
});
