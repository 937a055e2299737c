import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { testSettings, until } from '@tandem/testing';
import { aTenant, mailTo, type Service, startIdentity, tokenIn } from './identity.test-service.ts';

// A sign-up sends one message, so it stands for every message here.

let settings: Awaited<ReturnType<typeof testSettings>>;
let mailbox: Mailbox;
const running: Service[] = [];
beforeAll(async () => {
  settings = await testSettings('identity');
  mailbox = await startMailbox();
});
afterEach(async () => {
  for (const service of running.splice(0)) await service.close();
});
afterAll(async () => {
  await mailbox?.close();
  await settings?.drop();
});

async function start(overrides: Parameters<typeof startIdentity>[0] = {}): Promise<Service> {
  const service = await startIdentity({ SMTP_URL: mailbox.smtpUrl, ...overrides }, settings);
  running.push(service);
  return service;
}

interface Row {
  state: string;
  content: string | null;
  attempts: number;
  error: string | null;
  ref: string;
}

async function rowOf(service: Service, tenantId: number): Promise<Row | undefined> {
  const caller = { tenantId, environment: 'live' } as never;
  const [row] = await service.sqlWithin(caller, 'SELECT * FROM platform.mail');
  return row as unknown as Row | undefined;
}

const inState = (service: Service, tenantId: number, state: string) =>
  until(`the message is ${state}`, async () => {
    const row = await rowOf(service, tenantId);
    return row?.state === state && row;
  });

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

it('sends a message as text and HTML, with a stable Message-ID, and forgets its content', async () => {
  const service = await start();
  const { email, tenantId } = await aTenant(service);
  const mail = await mailTo(mailbox, email, /^Confirm/);
  const row = await inState(service, tenantId, 'sent');
  expect(row).toMatchObject({ content: null, attempts: 1, error: null });
  expect(mail.messageId).toMatch(new RegExp(`^<${row.ref}\\.[0-9a-f]{14}@tandem\\.localhost>$`));
  expect(mail.from).toBe('"Tandem" <no-reply@tandem.localhost>');
  expect(mail.headers['auto-submitted']).toBe('auto-generated');
  expect(mail.html).toContain(tokenIn(mail));
  expect(mail.text).toContain('Hello Ada,');
  expect(mail.text).toContain(
    'Sent by Tandem for Analytical Engines.\nYou receive this message because this address was entered for an account at Analytical Engines.',
  );
});

it('delivers once after an outage of the mail server', async () => {
  const smtp = await freePort();
  const service = await start({ SMTP_URL: `smtp://127.0.0.1:${smtp}` });
  const { email, tenantId } = await aTenant(service);
  await until('an attempt failed', async () => ((await rowOf(service, tenantId))?.attempts ?? 0) > 0);
  const late = await startMailbox({ smtp });
  try {
    await mailTo(late, email, /^Confirm/);
    expect(await inState(service, tenantId, 'sent')).toMatchObject({ error: null });
    expect(late.to(email)).toHaveLength(1);
  } finally {
    await late.close();
  }
});

it('fails at once when the server refuses the recipient for good', async () => {
  const service = await start();
  const email = 'nobody@example.com';
  mailbox.refuse(email, 550);
  const { tenantId } = await aTenant(service, email);
  const row = await inState(service, tenantId, 'failed');
  expect(row).toMatchObject({ content: null, attempts: 1 });
  expect(row.error).toContain('550');
  expect(mailbox.to(email)).toEqual([]);
  expect(await service.metrics()).toContain('tandem_mail_total{kind="account",state="failed",service="identity"} 1');
});

it('tries again when the server refuses the recipient for now', async () => {
  const service = await start();
  const email = 'greylisted@example.com';
  mailbox.refuse(email, 451);
  const { tenantId } = await aTenant(service, email);
  const row = await until('an attempt failed', async () => {
    const one = await rowOf(service, tenantId);
    return one?.attempts === 1 && one;
  });
  expect(row).toMatchObject({ state: 'queued' });
  mailbox.refuse(email, undefined);
  await mailTo(mailbox, email, /^Confirm/);
  expect(await inState(service, tenantId, 'sent')).toMatchObject({ attempts: 2 });
});

it('sends each message once with two instances', async () => {
  const services = await Promise.all([start(), start()]);
  const tenants = await Promise.all(Array.from({ length: 6 }, (_, at) => aTenant(services[at % 2] as Service)));
  for (const { tenantId } of tenants) await inState(services[0] as Service, tenantId, 'sent');
  for (const { email } of tenants) expect(mailbox.to(email)).toHaveLength(1);
});

it('sends after a restart what was queued before it', async () => {
  const smtp = await freePort();
  const before = await start({ SMTP_URL: `smtp://127.0.0.1:${smtp}` });
  const { email, tenantId } = await aTenant(before);
  await before.close();
  running.splice(running.indexOf(before), 1);
  const after = await start();
  await mailTo(mailbox, email, /^Confirm/);
  await inState(after, tenantId, 'sent');
  expect(mailbox.to(email)).toHaveLength(1);
});

it('sends nothing without a mail server', async () => {
  const service = await start({ SMTP_URL: undefined });
  const { email, tenantId } = await aTenant(service);
  expect(await inState(service, tenantId, 'suppressed')).toMatchObject({ attempts: 0 });
  expect(mailbox.to(email)).toEqual([]);
});

it('sends and counts messages about an account in live, also for a person in the sandbox', async () => {
  const service = await start();
  const tenant = await aTenant(service);
  await inState(service, tenant.tenantId, 'sent');
  const sandbox = tenant.as(tenant.user.id, ['*'], { environment: 'sandbox' });
  expect((await sandbox.requestEmailVerification()).status).toBe(202);
  const caller = { tenantId: tenant.tenantId, environment: 'live' } as never;
  await until('the message is sent', async () => {
    const rows = await service.sqlWithin(caller, 'SELECT state FROM platform.mail');
    return rows.length === 2 && rows.every(({ state }) => state === 'sent');
  });
  expect(await service.sqlWithin(caller, 'SELECT messages FROM platform.mail_count')).toEqual([{ messages: 2 }]);
  expect(mailbox.to(tenant.email)).toHaveLength(2);
});

it('sends no invitation from the sandbox, and notices of the accounts of others as in live', async () => {
  const service = await start();
  const tenant = await aTenant(service);
  const sandbox = tenant.as(tenant.user.id, ['*'], { environment: 'sandbox' });
  const stranger = `${randomUUID()}@example.com`;
  const refused = await sandbox.inviteUser({ body: { email: stranger } });
  expect([refused.status, refused.body.code]).toEqual([403, 'live_needed']);
  const { data: invitation } = await tenant.owner.inviteUser({ body: { email: stranger } });
  const again = await sandbox.resendInvitation({ params: { id: invitation.id } });
  expect([again.status, again.body.code]).toEqual([403, 'live_needed']);
  await mailTo(mailbox, stranger, /invites you/);
  expect(mailbox.to(stranger)).toHaveLength(1);

  const member = await tenant.addUser('member');
  const changed = await sandbox.setUserPassword({ params: { id: member.id }, body: { new: 'another long phrase' } });
  expect(changed.status).toBe(200);
  await mailTo(mailbox, member.email, /^Your password was changed/);
});

it('limits how many messages a tenant sends in a day', async () => {
  const service = await start({ MAIL_PER_DAY_MAX: 2 });
  const { owner, tenantId } = await aTenant(service);
  expect((await owner.requestEmailVerification()).status).toBe(202);
  const refused = await owner.requestEmailVerification();
  expect([refused.status, refused.body.code]).toEqual([429, 'mail_limit']);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(86_400);
  const caller = { tenantId, environment: 'live' } as never;
  expect(await service.sqlWithin(caller, 'SELECT id FROM platform.mail')).toHaveLength(2);
  // Another tenant has its own limit.
  expect((await (await aTenant(service)).owner.requestEmailVerification()).status).toBe(202);
});

it('writes dates in the form that the reader chose', async () => {
  const service = await start();
  const { email, owner, user } = await aTenant(service);
  await owner.updateUserPreferences({
    params: { id: user.id },
    body: { dateFormat: 'DD/MM/YYYY', timezone: 'Europe/London' },
  });
  await mailTo(mailbox, email, /^Confirm/);
  await owner.requestEmailVerification();
  const dated = await until('the second message arrives', () =>
    mailbox.to(email).find(({ text }) => /until \d\d\/\d\d\/\d{4}, \d\d:\d\d/.test(text)),
  );
  expect(dated.subject).toMatch(/^Confirm/);
});

it('writes in the language of the tenant', async () => {
  const service = await start();
  const { email, owner } = await aTenant(service);
  await owner.updateCurrentTenant({ body: { settings: { locale: 'de-AT', timezone: 'Europe/Vienna' } } });
  await owner.requestEmailVerification();
  const mail = await mailTo(mailbox, email, /^Bestätigen Sie Ihre E-Mail-Adresse/);
  expect(mail.text).toMatch(/Der Link gilt einmal, bis \d+\. \S+ \d{4} um \d\d:\d\d M?E?(?:MEZ|MESZ)/);
});
