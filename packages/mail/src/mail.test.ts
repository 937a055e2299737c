import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type Mailbox, startMailbox } from '@tandem/mailbox';
import { until } from '@tandem/until';
import { aMessage, aScope, type MailDatabase, type MailInstance, mailDatabase, seal } from './mail.test-instance.ts';

// The states of a single message are tested with the messages of identity (services/identity/src/mail.test.ts).

let database: MailDatabase;
let mailbox: Mailbox;
const running: MailInstance[] = [];
beforeAll(async () => {
  database = await mailDatabase();
  mailbox = await startMailbox();
});
afterEach(async () => {
  for (const instance of running.splice(0)) await instance.close();
});
afterAll(async () => {
  await mailbox?.close();
  await database?.drop();
});

function start(
  settings: Parameters<MailDatabase['start']>[0] = {},
  options?: Parameters<MailDatabase['start']>[1],
): MailInstance {
  const instance = database.start({ SMTP_URL: mailbox.smtpUrl, ...settings }, options);
  running.push(instance);
  return instance;
}

const rowsOf = (tenantId: number) => database.sql('SELECT * FROM platform.mail WHERE tenant_id = $1', [tenantId]);

function inStates(tenantId: number, ...states: string[]) {
  return until(`the messages are ${states}`, async () => {
    const rows = await rowsOf(tenantId);
    return JSON.stringify(rows.map(({ state }) => state).sort()) === JSON.stringify(states.toSorted()) && rows;
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

it('has a row per message, whose content only this row can decrypt', async () => {
  const instance = start({ SMTP_URL: `smtp://127.0.0.1:${await freePort()}` });
  const scope = aScope();
  const messages = [aMessage(), aMessage()];
  await instance.queue(scope, messages);
  const rows = await rowsOf(scope.tenantId);
  expect(rows.map(({ recipient }) => recipient).sort()).toEqual(messages.map(({ to }) => to).sort());
  const [one, other] = rows as [Record<string, string>, Record<string, string>];
  expect(JSON.stringify(one)).not.toContain('secret-token');
  expect(JSON.parse(seal.open(one['content'] as string, `mail ${one['ref']}`))).toEqual(messages[0]?.content);
  expect(() => seal.open(one['content'] as string, `mail ${other['ref']}`)).toThrow();
});

it('sends nothing if the transaction fails', async () => {
  const instance = start();
  const scope = aScope();
  const message = aMessage();
  await expect(instance.queue(scope, [message], { fails: true })).rejects.toThrow('the transaction fails');
  expect(await rowsOf(scope.tenantId)).toEqual([]);
});

it('stops trying when the message would be too late', async () => {
  const instance = start();
  const scope = aScope();
  // The second attempt would be 2 s after the first one.
  const message = aMessage({ notAfter: new Date(Date.now() + 1_900) });
  mailbox.refuse(message.to, 451);
  await instance.queue(scope, [message]);
  const [row] = await inStates(scope.tenantId, 'failed');
  expect(row).toMatchObject({ content: null });
  expect(mailbox.to(message.to)).toEqual([]);
});

it('does not send a message that is too late already', async () => {
  const instance = start();
  const scope = aScope();
  const message = aMessage({ notAfter: new Date(Date.now() - 1) });
  await instance.queue(scope, [message]);
  expect((await inStates(scope.tenantId, 'failed'))[0]?.['error']).toBe('The message could not be sent in time');
  expect(mailbox.to(message.to)).toEqual([]);
});

it('fails only the refused message of a batch, at once', async () => {
  const instance = start();
  const scope = aScope();
  const [refused, ...others] = [aMessage(), aMessage(), aMessage()] as const;
  mailbox.refuse(refused.to, 550);
  await instance.queue(scope, [refused, ...others]);
  const rows = await inStates(scope.tenantId, 'failed', 'sent', 'sent');
  expect(rows.find(({ state }) => state === 'failed')).toMatchObject({ recipient: refused.to, attempts: 1 });
  for (const { to } of others) expect(mailbox.to(to)).toHaveLength(1);
});

it('limits each kind of a tenant by itself, and queues all messages of a call or none', async () => {
  const instance = start({ MAIL_PER_DAY_MAX: '2' });
  const scope = aScope();
  const bulk = () => aMessage({ kind: 'bulk' });
  expect(await instance.queue(scope, [bulk(), bulk(), bulk()])).toBe(false);
  expect(await instance.queue(scope, [aMessage(), bulk(), bulk(), bulk()])).toBe(false);
  expect(await rowsOf(scope.tenantId)).toEqual([]);
  expect(await instance.queue(scope, [bulk(), bulk()])).toBe(true);
  expect(await instance.queue(scope, [bulk()])).toBe(false);
  expect(await instance.queue(scope, [aMessage()])).toBe(true);
  expect(await instance.queue(aScope(), [bulk()])).toBe(true);
  expect(await instance.metrics()).toContain('tandem_mail_refused_total{kind="bulk",service="mail"} 7');
  await inStates(scope.tenantId, 'sent', 'sent', 'sent');
});

it('counts the messages of a day, of committed transactions only, and never exceeds the limit', async () => {
  const instance = start({ MAIL_PER_DAY_MAX: '5' });
  const scope = aScope();
  const bulk = () => aMessage({ kind: 'bulk' });
  await expect(instance.queue(scope, [bulk(), bulk()], { fails: true })).rejects.toThrow('the transaction fails');
  const answers = await Promise.all(Array.from({ length: 8 }, () => instance.queue(scope, [bulk()])));
  expect(answers.filter((isQueued) => isQueued)).toHaveLength(5);
  expect(await rowsOf(scope.tenantId)).toHaveLength(5);
  await database.sql('UPDATE platform.mail_count SET day = day - 1 WHERE tenant_id = $1', [scope.tenantId]);
  expect(await instance.queue(scope, [bulk()])).toBe(true);
});

it('sends messages about accounts while the server delays bulk mail', async () => {
  const instance = start();
  const held = mailbox.hold('slow@example.com');
  try {
    // More batches than the process runs at once: all of its slots are taken, and further batches are queued before any
    // later job.
    const crowd = Array.from({ length: 1_000 }, () => aMessage({ kind: 'bulk', to: 'slow@example.com' }));
    const bulk = aScope();
    await instance.queue(bulk, crowd);
    const slots = 20;
    await until('bulk mail takes all slots, and more of it is queued', async () => {
      const [batches] = await database.sql(
        `SELECT count(DISTINCT queued_at) FILTER (WHERE state = 'running')::int AS running,
           count(*) FILTER (WHERE state = 'queued')::int AS queued FROM platform.job WHERE tenant_id = $1`,
        [bulk.tenantId],
      );
      return held.waiting() === 20 && Number(batches?.['running']) > slots && Number(batches?.['queued']) > 0;
    });
    const scope = aScope();
    await instance.queue(scope, [aMessage()]);
    await inStates(scope.tenantId, 'sent');
    expect(mailbox.to('slow@example.com')).toEqual([]);
    held.release();
    await inStates(bulk.tenantId, ...crowd.map(() => 'sent'));
  } finally {
    held.release();
  }
});

it('opens no more connections of a kind than SMTP_URL allows', async () => {
  const instance = start({ SMTP_URL: `${mailbox.smtpUrl}?maxConnections=2` });
  const held = mailbox.hold('waiting@example.com');
  try {
    const scope = aScope();
    const messages = Array.from({ length: 5 }, () => aMessage({ to: 'waiting@example.com' }));
    await instance.queue(scope, messages);
    await until('two messages wait for the server', () => held.waiting() === 2);
    await instance.queue(scope, [aMessage({ kind: 'bulk' })]);
    await until('a message by another pool is sent', async () =>
      (await rowsOf(scope.tenantId)).some(({ kind, state }) => kind === 'bulk' && state === 'sent'),
    );
    expect(held.waiting()).toBe(2);
  } finally {
    held.release();
  }
});

it('sends from several senders, and refuses one that it does not know', async () => {
  const instance = start(
    { MAIL_FROM: 'Tandem <no-reply@example.com>' },
    { senders: { marketing: 'Acme <news@acme.example>' } },
  );
  const scope = aScope();
  const [account, bulk] = [aMessage(), aMessage({ kind: 'bulk', sender: 'marketing' })];
  await instance.queue(scope, [account, bulk]);
  await inStates(scope.tenantId, 'sent', 'sent');
  expect(mailbox.to(account.to)[0]?.from).toBe('"Tandem" <no-reply@example.com>');
  expect(mailbox.to(bulk.to)[0]).toMatchObject({
    from: '"Acme" <news@acme.example>',
    messageId: expect.stringMatching(/@acme\.example>$/),
  });
  await expect(instance.queue(scope, [aMessage({ sender: 'nobody' })])).rejects.toThrow('nobody');
});

it('sends nothing of the sandbox', async () => {
  const instance = start();
  const scope = aScope('sandbox');
  const [account, bulk] = [aMessage(), aMessage({ kind: 'bulk' })];
  await instance.queue(scope, [account, bulk]);
  await inStates(scope.tenantId, 'suppressed', 'suppressed');
  for (const { to } of [account, bulk]) expect(mailbox.to(to)).toEqual([]);
});

it('sends each of many messages once with two instances', async () => {
  const instances = [start(), start()] as const;
  const scopes = [aScope(), aScope(), aScope()];
  const messages = scopes.map(() => Array.from({ length: 50 }, () => aMessage({ kind: 'bulk' })));
  await Promise.all(scopes.map((scope, at) => (instances[at % 2] as MailInstance).queue(scope, messages[at] as never)));
  for (const { tenantId } of scopes) await inStates(tenantId, ...Array<string>(50).fill('sent'));
  for (const { to } of messages.flat()) expect(mailbox.to(to)).toHaveLength(1);
});

it('sends each message once when an instance stops in the middle of a batch', async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => void sockets.push(socket.on('error', () => {})));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const before = database.start({ SMTP_URL: `smtp://127.0.0.1:${(silent.address() as AddressInfo).port}` });
  const scope = aScope();
  const messages = Array.from({ length: 5 }, () => aMessage());
  await before.queue(scope, messages.slice(2));
  await until('the batch waits for the server', () => sockets.length > 0);
  await before.close();
  for (const socket of sockets) socket.destroy();
  silent.close();
  // Another instance takes over when the lease of the run ends, which would take 25 s.
  await database.sql('UPDATE platform.job SET lease_until = now() WHERE tenant_id = $1', [scope.tenantId]);
  await start().queue(scope, messages.slice(0, 2));
  await inStates(scope.tenantId, ...messages.map(() => 'sent'));
  for (const { to } of messages) expect(mailbox.to(to)).toHaveLength(1);
});

it('does not send a message again if its result could not be stored', async () => {
  const instance = start();
  const scope = aScope();
  const message = aMessage();
  const held = mailbox.hold(message.to);
  await instance.queue(scope, [message]);
  await until('the message waits for the server', () => held.waiting() === 1);
  await database.sql('ALTER TABLE platform.mail ADD CONSTRAINT nothing_ends CHECK (ended_at IS NULL) NOT VALID');
  try {
    held.release();
    await until('the result was refused', async () => {
      const [job] = await database.sql('SELECT attempts, state FROM platform.job WHERE tenant_id = $1', [
        scope.tenantId,
      ]);
      return job?.['attempts'] === 1 && job['state'] === 'waiting';
    });
  } finally {
    await database.sql('ALTER TABLE platform.mail DROP CONSTRAINT nothing_ends');
  }
  await inStates(scope.tenantId, 'sent');
  expect(mailbox.to(message.to)).toHaveLength(1);
});
