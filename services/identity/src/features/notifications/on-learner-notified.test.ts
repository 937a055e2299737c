import { randomUUID } from 'node:crypto';
import { unionNumber } from '@tandem/contract';
import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { until } from '@tandem/testing';
import { aTenant, mailTo, type Service, startIdentity } from '../../identity.test-service.ts';

let service: Service;
let mailbox: Mailbox;
beforeAll(async () => {
  mailbox = await startMailbox();
  service = await startIdentity({ SMTP_URL: mailbox.smtpUrl });
});
afterAll(async () => {
  await service?.close();
  await mailbox?.close();
});

type Tenant = Awaited<ReturnType<typeof aTenant>>;
interface Learning {
  learnerId: string;
  notice?: string;
  at?: string | null;
  certificateId?: string | null;
  environment?: 'live' | 'sandbox';
}

const dueAt = '2026-12-01T10:00:00.000Z';
const learnerOf = (type: 'user' | 'partner' | 'lead', id: string) => String(unionNumber('learner', type, Number(id)));

function notified(tenant: Tenant, { environment = 'live', ...fields }: Learning, id: string = randomUUID()) {
  const name = 'training.learner.notified';
  const caller = { type: 'system', name: 'training', requestId: 'job_1' };
  const scope = { tenantId: tenant.tenantId, environment, occurredAt: '2026-11-21T10:00:00.000Z' };
  const about = { target: { type: 'enrollment', id: 7 }, record: { id: '7' } };
  const data = { notice: 'due', courseId: '5', courseTitle: 'Safety', certificateId: null, at: dueAt, ...fields };
  return service.publish(name, { id, name, ...scope, action: 'enrollment.notify', caller, ...about, data }, id);
}

async function aMember() {
  const tenant = await aTenant(service);
  const member = await tenant.addUser('member');
  const inbox = async () => (await tenant.as(member.id, ['notifications:read']).listNotifications()).data;
  const holds = (count: number) =>
    until(`${count} notifications arrive`, async () => {
      const list = await inbox();
      return list.length >= count && list;
    });
  return { tenant, member, holds, learnerId: learnerOf('user', member.id) };
}

it('notifies a user of a due course once, and of it being overdue instead while that is unread', async () => {
  const { tenant, holds, learnerId } = await aMember();
  const id = randomUUID();
  await notified(tenant, { learnerId }, id);
  await notified(tenant, { learnerId }, id);
  const [due] = await holds(1);
  expect(due).toMatchObject({ title: 'A course is due soon', category: 'training', groupCount: 1 });
  expect(due.body).toMatch(/^Complete the course “Safety” by .*10:00/);
  expect(due.actions).toMatchObject([{ type: 'url', url: expect.stringMatching(/^\/training\/courses\/\w{16}$/) }]);
  await notified(tenant, { learnerId, notice: 'overdue' });
  const shown = await until('it is replaced', async () => {
    const list = await holds(1);
    return list[0].title === 'A course is overdue' && list;
  });
  expect(shown).toHaveLength(1);
});

it.each([
  ['expiring', 'Your access to a course ends soon', /^Your access to the course “Safety” ends on .*10:00/],
  ['expired', 'Your access to a course has ended', /^Your access to the course “Safety” ended on .*10:00/],
])('notifies a user of the end of the access: %s', async (notice, title, body) => {
  const { tenant, holds, learnerId } = await aMember();
  await notified(tenant, { learnerId, notice });
  expect(await holds(1)).toMatchObject([{ title, body: expect.stringMatching(body) }]);
});

it('links the notice of a certificate to the certificate', async () => {
  const { tenant, holds, learnerId } = await aMember();
  await notified(tenant, { learnerId, notice: 'certificate_issued', certificateId: '9', at: null });
  const [shown] = await holds(1);
  expect(shown).toMatchObject({
    title: 'You have a new certificate',
    body: 'You completed the course “Safety” and have its certificate.',
    data: { type: 'certificate' },
  });
  expect(shown.actions[0].url).toBe(`/training/certificates/${shown.data.id}`);
});

it('is not for partners and leads, whose ids may be those of users', async () => {
  const { tenant, member, holds, learnerId } = await aMember();
  await notified(tenant, { learnerId: learnerOf('partner', member.id) });
  await notified(tenant, { learnerId: learnerOf('lead', member.id) });
  await notified(tenant, { learnerId, notice: 'enrolled', at: null });
  const shown = await holds(1);
  expect(shown.map(({ body }: { body: string }) => body)).toEqual(['You are enrolled in the course “Safety”.']);
});

it('mails users who prefer it, and nobody from the sandbox', async () => {
  const { tenant, member, holds, learnerId } = await aMember();
  const preferred = await tenant
    .as(member.id, ['notifications:read', 'notifications:write'])
    .setNotificationPreferences({ body: { categories: { training: { email: true } } } });
  expect(preferred.status).toBe(200);
  await notified(tenant, { learnerId, environment: 'sandbox' });
  const [sandboxed] = await holds(1);
  expect(sandboxed.emailStatus).toBe('suppressed');
  await notified(tenant, { learnerId, notice: 'enrolled', at: null });
  const mail = await mailTo(mailbox, member.email, /^You are enrolled in a course$/);
  expect(mail.text).toContain('You are enrolled in the course “Safety”.');
  expect(mailbox.to(member.email).map(({ subject }) => subject)).not.toContain('A course is due soon');
});

it('moves an event that cannot be read to the dead letters', async () => {
  const { tenant, learnerId } = await aMember();
  await notified(tenant, { learnerId, notice: 'unknown' });
  await until('it is a dead letter', async () => (await service.deadLetters('notify-of-training')).length > 0);
});
