import { randomUUID } from 'node:crypto';
import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { until } from '@tandem/testing';
import { aTenant, type Service, startIdentity } from '../../identity.test-service.ts';

let mailbox: Mailbox;
let service: Service;
beforeAll(async () => {
  mailbox = await startMailbox();
  service = await startIdentity({ SMTP_URL: mailbox.smtpUrl });
});
afterAll(async () => {
  await service?.close();
  await mailbox?.close();
});

type Tenant = Awaited<ReturnType<typeof aTenant>>;

function failed({ tenantId }: Tenant, ownerId: string, data: object, id: string = randomUUID()) {
  const run = { reportId: '7', reportRunId: '8', scheduleId: null, type: 'dashboard', code: 'report_failed' };
  const message = {
    ...{ id, name: 'report.failed', tenantId, environment: 'live', occurredAt: '2026-11-21T10:00:00.000Z' },
    ...{ action: 'report.fail', target: { type: 'report', id: 7 } },
    caller: { type: 'system', name: 'analytics', requestId: 'job_1' },
    data: { ...run, ...data },
    record: { id: '7', name: 'Month', ownerId },
  };
  return service.publish('report.failed', message, id);
}

const inboxOf = async (tenant: Tenant, id: string) =>
  (await tenant.as(id, ['notifications:read']).listNotifications()).data as Record<string, unknown>[];

it('notifies the user who started the run, and sends an e-mail, once', async () => {
  const tenant = await aTenant(service);
  const [owner, colleague] = [await tenant.addUser('member'), await tenant.addUser('member')];
  const id = randomUUID();
  const data = { message: 'Too many events match', createdBy: colleague.id };
  await failed(tenant, owner.id, data, id);
  await failed(tenant, owner.id, data, id);
  const shown = await until('the notification arrives', async () => {
    const list = await inboxOf(tenant, colleague.id);
    return list.length > 0 && list;
  });
  expect(shown).toMatchObject([
    {
      title: 'The report “Month” failed',
      body: 'Too many events match.',
      category: 'reports',
      data: { type: 'report', id: expect.any(String) },
    },
  ]);
  const mail = await until('the e-mail arrives', () =>
    mailbox.to(colleague.email).find(({ text }) => text.includes('Too many')),
  );
  expect(mail.subject).toContain('Month');
  expect(await inboxOf(tenant, owner.id)).toEqual([]);
});

it('notifies the owner of a schedule, also one who may not read numbers, and of an event of the release before', async () => {
  const tenant = await aTenant(service);
  const owner = await tenant.addUser('member');
  await failed(tenant, owner.id, { scheduleId: '9', code: 'forbidden' });
  const [shown] = await until('the notification arrives', async () => {
    const list = await inboxOf(tenant, owner.id);
    return list.length > 0 && list;
  });
  expect(shown?.['body']).toBe('forbidden. It was sent to nobody. The next run is at the next time of its schedule.');
});

it('moves an event that cannot be read to the dead letters', async () => {
  const tenant = await aTenant(service);
  await failed(tenant, 'nobody', {});
  await until('it is a dead letter', async () => (await service.deadLetters('notify-of-reports')).length > 0);
});

it('notifies the owner of a schedule that is stopped, and nobody for an event of the release before', async () => {
  const tenant = await aTenant(service);
  const owner = await tenant.addUser('member');
  const stopped = (data: object) => {
    const id = randomUUID();
    const message = {
      ...{ id, name: 'report_schedule.stopped', tenantId: tenant.tenantId, environment: 'live' },
      ...{ occurredAt: '2026-11-21T10:00:00.000Z', action: 'report_schedule.stop' },
      target: { type: 'report_schedule', id: 9 },
      caller: { type: 'system', name: 'analytics', requestId: 'job_1' },
      data: { reportId: '7', reportScheduleId: '9', reason: 'query_erased', ...data },
      record: { id: '9' },
    };
    return service.publish('report_schedule.stopped', message, id);
  };
  await stopped({});
  await stopped({ message: 'The query named a person who was erased', reportName: 'Month', ownerId: owner.id });
  const shown = await until('the notification arrives', async () => {
    const list = await inboxOf(tenant, owner.id);
    return list.length > 0 && list;
  });
  expect(shown).toMatchObject([{ title: 'A schedule of the report “Month” was stopped', category: 'reports' }]);
});
