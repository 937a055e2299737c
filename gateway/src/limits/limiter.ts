import type { Log } from '@tandem/process';
import { type Account, type Batch, distrustBatch, monthOf, nextBatch, reportBatch } from './account.ts';
import { createAccounts } from './accounts.ts';
import type { Limiter } from './allowance.ts';
import { type Counted, createCounters } from './counters.ts';
import { decideLocally } from './local.ts';
import { announcePresence } from './presence.ts';
import { createReconciler } from './reconcile.ts';
import { createRecordedUsage, type Recorded } from './recorded-usage.ts';
import { createRecovery } from './recovery.ts';
import type { GuardedRedis } from './redis.ts';
import { listenForReportRequests } from './report-requests.ts';
import { createReports } from './reports.ts';
import { verdictsOf } from './verdicts.ts';

export interface LimiterOptions {
  redis: GuardedRedis;
  namespace: string;
  /** Id of this process, also used in the recorded usage. */
  gateway: string;
  /** The recorded calls of a tenant's month, by gateway. */
  readRecorded: (tenantId: number, month: string) => Promise<Recorded>;
  log: Log;
  windowMs?: number;
  /** Time for the other gateways to report when Redis may lack their counts. */
  reportWithinMs?: number;
  /** Heartbeat interval, and the time without a heartbeat after which a gateway counts as stopped. */
  beatMs?: number;
  goneAfterMs?: number;
  /** Number of gateways that share the limits until Redis answers for the first time. */
  expected?: number;
}

const sweepMs = 1_000;
const reconcileEveryMs = 600_000;

/**
 * Limits calls by counters in Redis (D3). Calls of a subject that wait together are counted by one script call. It
 * reports this process' own counts as absolute numbers, which repairs anything that Redis lost or missed.
 */
export function createLimiter(options: LimiterOptions): Limiter {
  const { redis, namespace, gateway, log, windowMs = 60_000 } = options;
  const accounts = createAccounts(windowMs);
  const counters = createCounters({ redis, namespace, gateway, windowMs });
  const usage = createRecordedUsage(gateway, options.readRecorded);
  const reports = createReports({ redis, accounts, counters });
  const stats = { calls: 0, scriptCalls: 0, corrected: 0 };
  let reconciledAt = performance.now();

  const ask = async (account: Account): Promise<void> => {
    account.isAsking = true;
    while (account.waiting.length) {
      let batch: Batch | undefined;
      const build = () => {
        batch ??= nextBatch(account);
        return batch;
      };
      try {
        await count(account, build);
      } catch {
        await countLocally(account, build());
      }
    }
    account.isAsking = false;
  };

  const count = async (account: Account, build: () => Batch): Promise<void> => {
    if (!redis.available()) throw new Error('Redis is unavailable');
    // Until all gateways have reported the calls they admitted without Redis, each one is limited to its share.
    if (!account.isCertain) await needReports(account.subject);
    let reply = await counters.count(account, build);
    const { month, waiters } = build();
    if (typeof reply === 'object' && month?.isKnown === false) reconciler.add(account, month);
    // The epoch is complete, so every call of this month is either recorded or reported with its gateway's next
    // call.
    if (reply === 'unseeded' && month)
      reply = await counters.count(account, build, { recorded: await usage.read(month) });
    if (reply === 'lost') {
      recovery.begin();
      const [recorded] = await Promise.all([month && usage.read(month), needReports(account.subject)]);
      reply = await counters.count(account, build, { recorded, isForced: true });
    }
    account.isCertain = true;
    if (month) Object.assign(month, { isKnown: true, isRefreshed: false });
    stats.calls += waiters.length;
    stats.scriptCalls++;
    const verdicts = verdictsOf(build(), reply as Counted, windowMs);
    for (const [index, { resolve }] of waiters.entries()) resolve(verdicts[index] as (typeof verdicts)[number]);
  };

  /** Decides without Redis and marks the counts as unreported, so that the next report sends them. */
  const countLocally = async (account: Account, batch: Batch): Promise<void> => {
    const { waiters, month } = batch;
    account.isCertain = false;
    distrustBatch(account, batch);
    accounts.unreported.add(account);
    if (month && !month.isRefreshed) await usage.learn(month);
    const share = { gateways: presence.count(), now: counters.now(), windowMs };
    for (const { allowance, resolve } of waiters) resolve(decideLocally(account, allowance, share));
  };

  const needReports = async (subject: string): Promise<void> => {
    if (!presence.areAll(await requests.request(subject))) throw new Error('Not every gateway has reported its counts');
  };

  const reconcileAll = (): void => {
    reconciledAt = performance.now();
    for (const [account, month] of accounts.months()) if (month.isKnown) reconciler.add(account, month);
  };

  const presence = announcePresence(redis, { ...options, onGone: reconcileAll });
  const requests = listenForReportRequests({
    redis,
    namespace,
    gateway,
    report: reports.repeat,
    withinMs: options.reportWithinMs ?? 100,
    onGoodbye: (id) => presence.drop(id),
  });
  const recovery = createRecovery({
    redis,
    namespace,
    log,
    epoch: counters.epoch,
    async collect(withinMs) {
      const [reporters] = await Promise.all([requests.request(undefined, withinMs), reports.repeat()]);
      return presence.areAll(reporters);
    },
  });
  const reconciler = createReconciler({
    presence,
    log,
    readRecorded: usage.read,
    gatewaysOf: counters.gatewaysOf,
    async correct(account, month, found) {
      const counted = await counters.count(account, () => reportBatch(account, month), { ...found, isForced: true });
      stats.corrected += (counted as Counted).corrected;
    },
  });

  redis.onBack(() => {
    accounts.distrust();
    void reports.send();
  });
  // A restarted Redis may have an older state, including an older epoch.
  redis.redis.on('close', accounts.distrust);
  const sweep = setInterval(() => {
    if (performance.now() - reconciledAt > reconcileEveryMs) reconcileAll();
    void reports.send();
    void reconciler.run();
    accounts.forgetIdle();
  }, sweepMs);
  sweep.unref();

  return {
    take: (allowance) =>
      new Promise((resolve) => {
        const account = accounts.of(allowance.subject);
        account.waiting.push({ allowance, resolve });
        if (!account.isAsking) void ask(account);
      }),
    giveBack({ subject, quota }) {
      if (!quota?.counts) return;
      const account = accounts.of(subject);
      const month = monthOf(account, quota);
      month.own--;
      account.unreported.months.add(month);
      accounts.unreported.add(account);
    },
    stats: () => ({ ...stats, counted: accounts.counted(), gateways: presence.count() }),
    async close() {
      clearInterval(sweep);
      redis.redis.off('close', accounts.distrust);
      // A report in flight may have started before the last calls, so send a second one.
      await reports.send();
      await reports.send();
      await presence.close();
      await requests.sayGoodbye().catch(() => {});
      requests.close();
    },
  };
}
