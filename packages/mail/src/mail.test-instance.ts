import { randomBytes } from 'node:crypto';
import { type Scheduler, startJobs } from '@tandem/jobs';
import { createLog, createMetrics } from '@tandem/process';
import { createSeal } from '@tandem/sealed';
import { createRelayPool, createTenantDb, inBackground, type Scope } from '@tandem/tenant-db';
import { cloneDatabase } from '@tandem/tooling';
import pg from 'pg';
import { z } from 'zod';
import { createMailer, type MailerOptions } from './mailer.ts';
import type { Message } from './message.ts';
import { mailSettings } from './settings.ts';

/** A database, which several instances of a service may share. */
export interface MailDatabase {
  /** SQL as the owner, on the rows of all tenants. */
  sql(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  /** Starts an instance that sends messages by `SMTP_URL`. */
  start(settings?: Record<string, unknown>, options?: Partial<MailerOptions>): MailInstance;
  drop(): Promise<void>;
}

export interface MailInstance {
  /** Queues messages in a transaction of their own, or in one that fails after that. */
  queue(scope: Scope, messages: readonly Message[], options?: { fails?: boolean }): Promise<boolean>;
  metrics(): Promise<string>;
  close(): Promise<void>;
}

export const seal = createSeal(process.env['ENCRYPTION_KEY'] as string);

// The tests use SQL only: a client without models.
const noModels = () => ({
  none: {},
  $disconnect: async () => {},
  _engineConfig: { inlineSchema: 'model None {\n  id Int @id\n}' },
});

export async function mailDatabase(): Promise<MailDatabase> {
  const database = await cloneDatabase('agents');
  const owner = new pg.Pool({ connectionString: database.ownerUrl, max: 2 });
  // Its database is dropped when the file ends.
  owner.on('error', () => {});
  // Policies also apply to the owner, and allow rows of one tenant at a time.
  for (const table of ['mail', 'mail_count', 'job'])
    await owner.query(`ALTER TABLE platform.${table} NO FORCE ROW LEVEL SECURITY`);
  const namespace = `test-${randomBytes(6).toString('hex')}`;
  return {
    sql: async (text, values) => (await owner.query(text, values)).rows,
    start(settings = {}, options = {}) {
      const log = createLog('mail', 'error');
      const metrics = createMetrics('mail');
      const db = createTenantDb({ url: database.appUrl, client: noModels, prisma: {} });
      const relayPool = createRelayPool(database.relayUrl, 3);
      const mailer = createMailer({ settings: z.object(mailSettings).parse(settings), seal, log, ...options });
      const scheduler: Scheduler = startJobs({
        service: 'mail',
        jobs: mailer.parts.jobs,
        db: inBackground(db),
        relayPool,
        redisUrl: process.env['TEST_REDIS_URL'] as string,
        namespace,
        log,
        metrics,
        outgoing: () => {
          const { schedule, committed } = scheduler.scheduling();
          return { emit: () => {}, schedule, written: () => undefined, committed };
        },
        outsideMax: mailer.parts.jobsOutsideMax,
      });
      mailer.parts.watch(relayPool, metrics);
      return {
        async queue(scope, messages, { fails = false } = {}) {
          const { schedule, committed } = scheduler.scheduling();
          const isQueued = await db.transaction(scope, async () => {
            const answer = await mailer.queue({ tx: db.tx, schedule }, messages);
            if (fails) throw new Error('the transaction fails');
            return answer;
          });
          committed();
          return isQueued;
        },
        metrics: () => metrics.text(),
        async close() {
          await scheduler.close();
          mailer.parts.close();
          await Promise.all([db.close(), relayPool.end()]);
        },
      };
    },
    async drop() {
      await owner.end();
      await database.drop();
    },
  };
}

let tenants = 0;

/** A tenant of its own. */
export function aScope(environment: Scope['environment'] = 'live'): Scope {
  tenants += 1;
  return { tenantId: tenants, environment } as Scope;
}

let people = 0;

/** A message to an address of its own. */
export function aMessage(fields: Partial<Message> = {}): Message {
  people += 1;
  return {
    kind: 'account',
    template: 'password_reset',
    to: `person${people}@example.com`,
    content: { subject: 'Reset your password', text: 'secret-token', html: '<p>secret-token</p>' },
    ...fields,
  };
}
