import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { until } from '@tandem/testing';
import { aTenant, mailTo, type Service, startIdentity } from '../../identity.test-service.ts';

let service: Service;
let withConsole: Service;
let mailbox: Mailbox;
beforeAll(async () => {
  mailbox = await startMailbox();
  service = await startIdentity({ SMTP_URL: mailbox.smtpUrl });
  withConsole = await startIdentity({ SMTP_URL: mailbox.smtpUrl, CONSOLE_URL: 'https://app.example.com' });
});
afterAll(async () => {
  await service?.close();
  await withConsole?.close();
  await mailbox?.close();
});

const text = { title: 'Import completed', body: '214 leads were imported.' };

async function aReader(at = service) {
  const tenant = await aTenant(at);
  const member = await tenant.addUser('member');
  const me = tenant.as(member.id, ['notifications:read']);
  const send = async (fields: object = {}) => {
    const body = { ...text, userIds: [member.id], channels: ['in_app', 'email'], category: 'imports', ...fields };
    return (await tenant.owner.createNotification({ body })).data.notifications[0];
  };
  const prefer = (body: object) => tenant.as(member.id).updateUserPreferences({ params: { id: member.id }, body });
  const statusOf = async (id: string) => (await me.getNotification({ params: { id } })).data;
  return { ...tenant, member, me, send, prefer, statusOf };
}

/** Makes the scheduled jobs of a tenant due now. */
async function makeJobsDue(tenantId: number, at = service): Promise<void> {
  await at.sql('ALTER TABLE platform.job NO FORCE ROW LEVEL SECURITY');
  await at.sql('UPDATE platform.job SET due_at = now() WHERE tenant_id = $1', [tenantId]);
  await at.sql('ALTER TABLE platform.job FORCE ROW LEVEL SECURITY');
}

const notificationsTo = (address: string) => mailbox.to(address).filter(({ subject }) => subject === text.title);

it('sends one message, with the first link as its button, and records that it was sent', async () => {
  const { member, send, statusOf, tenantId } = await aReader(withConsole);
  const actions = [{ id: 'open', label: 'Show leads', type: 'url', url: '/leads' }];
  const { id, emailStatus } = await send({ actions });
  expect(emailStatus).toBe('pending');
  const mail = await mailTo(mailbox, member.email, /^Import completed$/);
  expect(mail.text).toContain('214 leads were imported.');
  expect(mail.text).toContain('Show leads:\nhttps://app.example.com/leads');
  const sent = await until('the result is recorded', async () => {
    await makeJobsDue(tenantId, withConsole);
    const shown = await statusOf(id);
    return shown.emailStatus === 'sent' && shown;
  });
  expect(sent.status).toBe('delivered');
  expect(notificationsTo(member.email)).toHaveLength(1);
});

it('ends with the signature of the user who created it', async () => {
  const { member, send, owner, user } = await aReader();
  const signature = 'Ada Lovelace\n\nAnalytical <Engines>';
  await owner.updateUserPreferences({ params: { id: user.id }, body: { signature } });
  await send({ body: 'First.\n\nSecond.' });
  const mail = await mailTo(mailbox, member.email, /^Import completed$/);
  expect(mail.text).toContain('First.\n\nSecond.\n\nAda Lovelace\n\nAnalytical <Engines>');
  expect(mail.html).not.toContain('<Engines>');
});

it('has no button for a page of the console when there is no console, and keeps other links', async () => {
  const page = { id: 'open', label: 'Show leads', type: 'url', url: '/leads' };
  const one = await aReader();
  await one.send({ actions: [page] });
  const mail = await mailTo(mailbox, one.member.email, /^Import completed$/);
  expect(mail.text).not.toMatch(/Show leads|https?:/);
  expect(mail.html).not.toContain('<a ');
  const other = await aReader();
  await other.send({ actions: [{ ...page, url: 'https://example.com/leads' }] });
  const { html } = await mailTo(mailbox, other.member.email, /^Import completed$/);
  expect(html).toContain('<a href="https://example.com/leads"');
});

it('follows the language of the user, and their choice of channels', async () => {
  const { member, send, prefer } = await aReader();
  await prefer({ locale: 'de', notifications: { muted: { email: false }, wanted: { email: true } } });
  const muted = await send({ category: 'muted' });
  expect(muted).toMatchObject({ channels: ['in_app'], emailStatus: null });
  const wanted = await send({ category: 'wanted', channels: ['in_app'] });
  expect(wanted).toMatchObject({ channels: ['in_app', 'email'], emailStatus: 'pending' });
  const mail = await mailTo(mailbox, member.email, /^Import completed$/);
  expect(mail.text).toContain('Hallo Grace,');
  expect(notificationsTo(member.email)).toHaveLength(1);
});

it('waits until the quiet hours end, and is skipped if the notification was read by then', async () => {
  const { member, me, send, prefer, statusOf, tenantId } = await aReader();
  const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString().slice(11, 16);
  await prefer({ quietHours: { start: at(-5), end: at(60), timezone: 'UTC' } });
  const { id } = await send();
  await me.readNotification({ params: { id } });
  const urgent = await send({ priority: 'high' });
  await until('the urgent one is sent', () => notificationsTo(member.email).length === 1);
  await until('the other one is skipped', async () => {
    await makeJobsDue(tenantId);
    return (await statusOf(id)).emailStatus === 'skipped';
  });
  expect(urgent.isSilent).toBe(false);
  expect(notificationsTo(member.email)).toHaveLength(1);
});

it('sends each recipient one message, also when one of them snoozes it before it is sent', async () => {
  const { as, owner, addUser, member, tenantId, prefer, statusOf } = await aReader();
  const other = await addUser('member');
  const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString().slice(11, 16);
  const quietHours = { start: at(-5), end: at(60), timezone: 'UTC' };
  await prefer({ quietHours });
  await as(other.id).updateUserPreferences({ params: { id: other.id }, body: { quietHours } });
  const body = { ...text, userIds: [member.id, other.id], channels: ['in_app', 'email'] };
  const { notifications } = (await owner.createNotification({ body })).data;
  const { id } = notifications.find(({ userId }: { userId: string }) => userId === member.id);
  const { caller } = service.as({ tenantId });
  const jobs = (name: string) => service.sqlWithin(caller, 'SELECT id FROM platform.job WHERE name = $1', [name]);
  await until('both wait for the morning', async () => (await jobs('mail-notification')).length === 2);

  const me = as(member.id, ['notifications:read']);
  const soon = new Date(Date.now() + 120_000).toISOString();
  expect((await me.snoozeNotification({ params: { id }, body: { until: soon } })).status).toBe(200);
  await service.sqlWithin(caller, `UPDATE platform.job SET due_at = now() WHERE name = 'wake-notification'`);
  await until('it is delivered again', async () => (await statusOf(id)).status === 'delivered');
  await until('it has another job', async () => (await jobs('mail-notification')).length > 2);
  await until('all jobs are done', async () => {
    await makeJobsDue(tenantId);
    return (await jobs('mail-notification')).length === 0;
  });
  expect([member, other].map(({ email }) => notificationsTo(email).length)).toEqual([1, 1]);
});

it('fails a notification that only a refused e-mail would have delivered', async () => {
  const { send, statusOf, tenantId } = await aReader();
  const { id, status } = await send({ channels: ['email'] });
  expect(status).toBe('archived');
  const { caller } = service.as({ tenantId });
  await until('the message was refused', async () => {
    const [row] = await service.sqlWithin(
      caller,
      `UPDATE platform.mail SET state = 'failed', ended_at = now() WHERE template = 'notification' RETURNING id`,
    );
    return row;
  });
  const failed = await until('the notification has failed', async () => {
    await makeJobsDue(tenantId);
    const shown = await statusOf(id);
    return shown.status === 'failed' && shown;
  });
  expect(failed).toMatchObject({ emailStatus: 'failed', allowedTransitions: ['archived'] });
});

it('sends nothing for the sandbox', async () => {
  const { as, user, member } = await aReader();
  const owner = as(user.id, ['*'], { environment: 'sandbox' });
  const body = { ...text, userIds: [member.id], channels: ['in_app', 'email'] };
  const { data } = await owner.createNotification({ body });
  expect(data.notifications[0]).toMatchObject({ environment: 'sandbox', emailStatus: 'suppressed' });
});
