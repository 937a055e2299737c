import type { Schedule } from '@tandem/jobs';
import type { Log, Metrics } from '@tandem/process';
import type { Seal } from '@tandem/sealed';
import type { Sql } from '@tandem/tenant-db';
import type pg from 'pg';
import { countMessages, grantMessages } from './daily-limit.ts';
import { watchMail } from './mail-metrics.ts';
import { contextOf } from './mail-rows.ts';
import type { MailKind, Message } from './message.ts';
import { idPart, type MessageRef, refsIn } from './message-ref.ts';
import type { Attempt } from './retry.ts';
import { type MailCounters, type SendJob, sendJob } from './send-job.ts';
import type { MailSettings } from './settings.ts';
import { createTransport, type Outgoing, type Transport } from './transport.ts';

/** The transaction that queues a message. */
interface Inside {
  tx: { sql: Sql };
  schedule: Schedule;
}

/** Sends the messages of a service. */
export interface Mailer {
  /**
   * Queues messages in the current transaction. Without a mail server, and in the sandbox, they are stored and not
   * sent.
   * @returns false if the tenant has reached its limit; then none of them is queued
   */
  queue(inside: Inside, messages: readonly Message[]): Promise<boolean>;
  /**
   * Sends a bulk message at once, without a row in the queue: for a job that keeps its own record of messages. The
   * caller counts it with `count` before, and claims it, because a message that is passed twice is sent twice. In the
   * sandbox, and without a mail server, it must not be called.
   * @param message.from the sender, `Name <address>`; MAIL_FROM by default
   * @returns the outcome; never rejects. A postponed message with `isUncertain` may have been accepted by the server.
   */
  deliver(message: Delivery): Promise<Attempt>;
  /** Counts bulk messages of the current tenant; returns how many of them its daily limit allows. */
  count(tx: { sql: Sql }, messages: number): Promise<number>;
  /** The messages of this deployment whose Message-IDs occur in a text, in the order of the text. */
  refsIn(text: string): MessageRef[];
  /** Whether a mail server is configured. */
  isEnabled: boolean;
  /** The address part of MAIL_FROM. */
  address: string;
  /** Jobs, housekeeping and metrics that the service runs for the mailer. */
  parts: {
    jobs: readonly SendJob[];
    /** How many jobs of bulk mail may wait for the mail server at once; account mail has a lane of its own. */
    jobsOutsideMax: number;
    sealed: { table: string; column: string; context: string; ref: string };
    purge: readonly { table: string; column: string; days: number }[];
    watch(pool: pg.Pool, metrics: Metrics): void;
    close(): void;
  };
}

/** A message that is sent at once. Its Message-ID names `ref`, the tenant and the environment. */
export type Delivery = Pick<Outgoing, 'to' | 'createdAt' | 'content' | 'dkim'> & MessageRef & { from?: string };

export interface MailerOptions {
  settings: MailSettings;
  seal: Seal;
  log: Log;
  /** Senders besides `default`: `Name <address>` by name. */
  senders?: Readonly<Record<string, string>>;
}

const dayMs = 86_400_000;
const lifeMsMax = 3 * dayMs;
const keptDays = 30;
const countsKeptDays = 2;
// A message waits for several round trips and for the provider, about 0.1 s in all: so many connections send 100 messages a
// second (`npm run bench -- mail`). `?maxConnections=` in SMTP_URL overrides both.
const connectionsMax = { account: 12, bulk: 20 };
const bulkBatchesMax = 8;

/** Creates the mailer of a service; connections are opened with the first message. */
export function createMailer({ settings, seal, log, senders = {} }: MailerOptions): Mailer {
  const { SMTP_URL: url } = settings;
  const addresses: Readonly<Record<string, string>> = { ...senders, default: settings.MAIL_FROM };
  if (!url) log.warn('SMTP_URL is not set: messages are stored and not sent');
  const transports = new Map<MailKind, Transport>();
  let counters: MailCounters | undefined;
  const transportOf = (kind: MailKind): Transport => {
    const transport =
      transports.get(kind) ?? createTransport(url as string, connectionsMax[kind], settings.MAIL_RETURN_PATH);
    transports.set(kind, transport);
    return transport;
  };
  const shared = { seal, log, transportOf, addresses, isEnabled: url !== undefined, counted: () => counters };
  const jobs = { account: sendJob('account', shared), bulk: sendJob('bulk', shared) };

  return {
    async queue({ tx, schedule }, messages) {
      const kinds = Map.groupBy(messages, ({ kind }) => kind);
      const more = [...kinds].map(([kind, { length }]) => ({ kind, messages: length }));
      const full = await countMessages(tx.sql, more, settings.MAIL_PER_DAY_MAX);
      if (full) {
        log.warn('mail refused: the tenant has reached MAIL_PER_DAY_MAX', { ...full });
        counters?.refused.inc({ kind: full.kind }, full.messages);
        return false;
      }
      for (const [kind, ofKind] of kinds) {
        const queued = await insert(tx.sql, ofKind, { seal, addresses, isEnabled: url !== undefined });
        if (queued.length)
          await schedule(
            jobs[kind],
            queued.map((mailId) => ({ mailId })),
          );
      }
      return true;
    },
    deliver({ ref, tenantId, environment, from = settings.MAIL_FROM, ...message }) {
      const idLeft = idPart(seal, { ref, tenantId, environment });
      return transportOf('bulk').send({ ...message, idLeft, from });
    },
    refsIn: (text) => refsIn(seal, text),
    count: ({ sql }, messages) => grantMessages(sql, { kind: 'bulk', messages }, settings.MAIL_PER_DAY_MAX),
    isEnabled: url !== undefined,
    address: /<([^<>]+)>$/.exec(settings.MAIL_FROM)?.[1] ?? settings.MAIL_FROM,
    parts: {
      jobs: [jobs.account, jobs.bulk],
      jobsOutsideMax: bulkBatchesMax,
      sealed: { table: 'platform.mail', column: 'content', context: contextOf(), ref: 'ref' },
      purge: [
        { table: 'platform.mail', column: 'created_at', days: keptDays },
        { table: 'platform.mail_count', column: 'day', days: countsKeptDays },
      ],
      watch(pool, metrics) {
        counters = watchMail(pool, metrics);
      },
      close() {
        for (const transport of transports.values()) transport.close();
      },
    },
  };
}

/** Inserts messages; resolves to the ids of those to send. */
async function insert(
  sql: Sql,
  messages: readonly Message[],
  { seal, addresses, isEnabled }: { seal: Seal; addresses: Readonly<Record<string, string>>; isEnabled: boolean },
): Promise<number[]> {
  const rows = messages.map(({ sender = 'default', ref = crypto.randomUUID(), content, notAfter, ...message }) => {
    if (!addresses[sender]) throw new Error(`There is no sender of messages named ${sender}`);
    const until = Math.min(notAfter?.getTime() ?? Date.now() + dayMs, Date.now() + lifeMsMax);
    return {
      ...message,
      ref,
      sender,
      notAfter: new Date(until),
      content: seal.seal(JSON.stringify(content), contextOf(ref)),
    };
  });
  const inserted = await sql<{ id: number; state: string }>`
    INSERT INTO platform.mail (ref, kind, sender, template, recipient, content, not_after, state, ended_at)
    SELECT ref, kind, sender, template, recipient, content, not_after,
      CASE WHEN sent THEN 'queued' ELSE 'suppressed' END, CASE WHEN sent THEN NULL ELSE now() END
    FROM unnest(${rows.map(({ ref }) => ref)}::uuid[], ${rows.map(({ kind }) => kind)}::text[],
        ${rows.map(({ sender }) => sender)}::text[], ${rows.map(({ template }) => template)}::text[],
        ${rows.map(({ to }) => to)}::text[], ${rows.map(({ content }) => content)}::text[],
        ${rows.map(({ notAfter }) => notAfter)}::timestamptz[])
        AS given (ref, kind, sender, template, recipient, content, not_after),
      LATERAL (SELECT ${isEnabled}::boolean AND platform.environment() = 'live' AS sent) AS mode
    RETURNING id, state`;
  return inserted.filter(({ state }) => state === 'queued').map(({ id }) => id);
}
