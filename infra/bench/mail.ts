import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Scheduler, startJobs } from '@tandem/jobs';
import { createMailer, type Message, mailSettings, renderLetter } from '@tandem/mail';
import { createLog, createMetrics } from '@tandem/process';
import { createSeal } from '@tandem/sealed';
import { createRelayPool, createTenantDb, inBackground, type Scope } from '@tandem/tenant-db';
import { until } from '@tandem/testing';
import pg from 'pg';
import { z } from 'zod';
import { formatNumber, median } from './numbers.ts';
import type { Place } from './place.ts';
import type { Row } from './results.ts';

const messages = 2_000;
const perTransaction = 250;
const rounds = 3;
const goal = 100;
// The time in which a provider accepts a message, with the round trips before it.
const slowMs = 100;

const content = renderLetter({
  subject: 'Reset your password',
  language: 'en',
  preview: 'The link works once, for 30 minutes.',
  title: 'Reset your password',
  paragraphs: ['Hello Ada,', 'Choose a new password for your account at Analytical Engines.'],
  button: { label: 'Choose a new password', url: `https://app.example.com/reset-password?token=${'k'.repeat(120)}` },
  notes: ['The link works once, until 22 November 2026 at 10:30 UTC.'],
  footer: ['Sent by Tandem for Analytical Engines.'],
});

// SQL only: a client without models.
const noModels = () => ({
  none: {},
  $disconnect: async () => {},
  _engineConfig: { inlineSchema: 'model None {\n  id Int @id\n}' },
});

/** Measures one process that sends mail: from the queue in PostgreSQL to a mail server in a process of its own. */
export async function measureMail(place: Place): Promise<Row[]> {
  return [
    asRow('mail', 'a server that accepts at once', await rates(place, 'bulk', 0)),
    asRow('mail-slow', `a server that accepts after ${slowMs} ms`, await rates(place, 'bulk', slowMs)),
    asRow('mail-slow', `messages about accounts, ${slowMs} ms`, await rates(place, 'account', slowMs)),
  ];
}

/** Messages per second of each round, from the first transaction that queues some to the last one that is sent. */
async function rates(place: Place, kind: Message['kind'], acceptMs: number): Promise<number[]> {
  place.log(`${formatNumber(messages)} messages (${kind}), ${acceptMs} ms`);
  const server = fork(join(import.meta.dirname, 'peers', 'smtp.ts'), [String(acceptMs)]);
  const [port] = (await once(server, 'message')) as [number];
  const sender = startSender(place, `smtp://127.0.0.1:${port}`);
  const owner = new pg.Client({ connectionString: place.databaseUrl('identity') });
  await owner.connect();
  try {
    const measured: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const scope = { tenantId: 1_000 + Math.floor(Math.random() * 1_000_000), environment: 'live' } as Scope;
      const startedAt = performance.now();
      for (let count = 0; count < messages; count += perTransaction) await sender.queue(scope, kind, perTransaction);
      await until(
        'all messages are sent',
        async () => {
          const sql = `SELECT count(*)::int AS sent FROM platform.mail WHERE tenant_id = $1 AND state = 'sent'`;
          return (await owner.query<{ sent: number }>(sql, [scope.tenantId])).rows[0]?.sent === messages;
        },
        300_000,
      );
      measured.push(messages / ((performance.now() - startedAt) / 1_000));
    }
    return measured;
  } finally {
    await sender.close();
    await owner.end();
    server.kill();
  }
}

/** The mailer and the jobs of a service, as the service starts them. */
function startSender(place: Place, smtpUrl: string) {
  const { DATABASE_URL, RELAY_DATABASE_URL, REDIS_URL, ENCRYPTION_KEY, NAMESPACE } = place.environment[
    'identity'
  ] as Record<string, string>;
  const log = createLog('bench', 'error');
  const metrics = createMetrics('bench');
  const db = createTenantDb({ url: DATABASE_URL as string, client: noModels, prisma: {} });
  const relayPool = createRelayPool(RELAY_DATABASE_URL as string, 3);
  const settings = z.object(mailSettings).parse({ SMTP_URL: smtpUrl });
  const mailer = createMailer({ settings, seal: createSeal(ENCRYPTION_KEY as string), log });
  const scheduler: Scheduler = startJobs({
    service: 'bench',
    jobs: mailer.parts.jobs,
    db: inBackground(db),
    relayPool,
    redisUrl: REDIS_URL as string,
    namespace: `${NAMESPACE}-mail-${smtpUrl.split(':').at(-1)}`,
    log,
    metrics,
    outgoing: () => {
      const { schedule, committed } = scheduler.scheduling();
      return { emit: () => {}, schedule, written: () => undefined, committed };
    },
    outsideMax: mailer.parts.jobsOutsideMax,
  });
  let people = 0;
  return {
    async queue(scope: Scope, kind: Message['kind'], count: number): Promise<void> {
      const some = Array.from({ length: count }, () => ({
        kind,
        template: 'password_reset',
        to: `person${people++}@example.com`,
        content,
      }));
      const { schedule, committed } = scheduler.scheduling();
      const isQueued = await db.transaction(scope, () => mailer.queue({ tx: db.tx, schedule }, some));
      if (!isQueued) throw new Error('The tenant reached its limit of messages');
      committed();
    },
    async close() {
      await scheduler.close();
      mailer.parts.close();
      await Promise.all([db.close(), relayPool.end()]);
    },
  };
}

function asRow(id: string, what: string, measured: readonly number[]): Row {
  const rate = median(measured);
  return {
    id,
    what: `Mail: ${what}`,
    goal: `≥ ${goal}/s`,
    reached: `${formatNumber(rate)}/s`,
    detail: `${formatNumber(messages)} messages, one process, median of ${rounds} rounds (${measured.map((one) => formatNumber(one)).join(', ')})`,
    isReached: rate >= goal,
  };
}
