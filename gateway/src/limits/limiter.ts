import type { Log } from '@tandem/process';
import { type Account, type Batch, distrustBatch, type Month, monthOf, nextBatch, reportBatch } from './account.ts';
import { type Accounts, createAccounts } from './accounts.ts';
import type { Allowance, Limiter, LimiterStats, Verdict } from './allowance.ts';
import { type Counted, type Counters, createCounters } from './counters.ts';
import { decideLocally } from './local.ts';
import { announcePresence, type Presence } from './presence.ts';
import { createReconciler, type Reconciler } from './reconcile.ts';
import { createRecordedUsage, type Recorded } from './recorded-usage.ts';
import { createRecovery, type Recovery } from './recovery.ts';
import type { GuardedRedis } from './redis.ts';
import { listenForReportRequests, type ReportRequests } from './report-requests.ts';
import { createReports, type Reports } from './reports.ts';
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
const logEveryMs = 1_000;

/**
 * Limits calls by counters in Redis (D3). Calls of a subject that wait together are counted by one script call. It
 * reports this process' own counts as absolute numbers, which repairs anything that Redis lost or missed.
 */
export function createLimiter(options: LimiterOptions): Limiter {
  return new RedisLimiter(options);
}

class RedisLimiter implements Limiter {
  readonly #redis: GuardedRedis;
  readonly #log: Log;
  readonly #windowMs: number;
  readonly #accounts: Accounts;
  readonly #counters: Counters;
  readonly #usage: ReturnType<typeof createRecordedUsage>;
  readonly #reports: Reports;
  readonly #presence: Presence;
  readonly #requests: ReportRequests;
  readonly #recovery: Recovery;
  readonly #reconciler: Reconciler;
  readonly #sweepTimer: NodeJS.Timeout;
  readonly #stats = { calls: 0, scriptCalls: 0, corrected: 0 };
  #reconciledAt = performance.now();
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(options: LimiterOptions) {
    const { redis, namespace, gateway, log, windowMs = 60_000 } = options;
    this.#redis = redis;
    this.#log = log;
    this.#windowMs = windowMs;
    const accounts = createAccounts(windowMs);
    const counters = createCounters({ redis, namespace, gateway, windowMs });
    const reports = createReports({ redis, accounts, counters });
    this.#accounts = accounts;
    this.#counters = counters;
    this.#reports = reports;
    this.#usage = createRecordedUsage(gateway, options.readRecorded);
    this.#presence = announcePresence(redis, { ...options, onGone: () => this.#reconcileAll() });
    this.#requests = listenForReportRequests({
      redis,
      namespace,
      gateway,
      report: reports.repeat,
      withinMs: options.reportWithinMs ?? 100,
      onGoodbye: (id) => this.#presence.drop(id),
    });
    this.#recovery = createRecovery({
      redis,
      namespace,
      log,
      epoch: counters.epoch,
      collect: (withinMs) => this.#collectReports(withinMs),
    });
    this.#reconciler = createReconciler({
      presence: this.#presence,
      log,
      readRecorded: this.#usage.read,
      gatewaysOf: counters.gatewaysOf,
      correct: (account, month, found) => this.#correct(account, month, found),
    });
    redis.onBack(() => {
      accounts.distrust();
      void reports.send();
    });
    // A restarted Redis may have an older state, including an older epoch.
    redis.redis.on('close', accounts.distrust);
    this.#sweepTimer = setInterval(() => this.#sweep(), sweepMs).unref();
  }

  take(allowance: Allowance): Promise<Verdict> {
    return new Promise((resolve) => {
      const account = this.#accounts.of(allowance.subject);
      account.waiting.push({ allowance, resolve });
      if (!account.isAsking) void this.#countWaiting(account);
    });
  }

  giveBack({ subject, quota }: Allowance): void {
    if (!quota?.counts) return;
    const account = this.#accounts.of(subject);
    const month = monthOf(account, quota);
    month.own--;
    account.unreported.months.add(month);
    this.#accounts.unreported.add(account);
  }

  stats(): LimiterStats {
    return { ...this.#stats, counted: this.#accounts.counted(), gateways: this.#presence.count() };
  }

  async close(): Promise<void> {
    clearInterval(this.#sweepTimer);
    this.#redis.redis.off('close', this.#accounts.distrust);
    // A report in flight may have started before the last calls, so send a second one.
    await this.#reports.send();
    await this.#reports.send();
    await this.#presence.close();
    await this.#requests.sayGoodbye().catch(() => {});
    this.#requests.close();
  }

  /** Counts the waiting calls of an account in batches, one at a time. */
  async #countWaiting(account: Account): Promise<void> {
    account.isAsking = true;
    while (account.waiting.length) {
      let batch: Batch | undefined;
      const build = () => {
        batch ??= nextBatch(account);
        return batch;
      };
      try {
        await this.#countInRedis(account, build);
      } catch (error) {
        this.#logOnce(error);
        await this.#countLocally(account, build());
      }
    }
    account.isAsking = false;
  }

  /** Logs at most once a second why calls are counted locally. An outage of Redis is logged when it begins and ends. */
  #logOnce(error: unknown): void {
    const now = performance.now();
    if (!this.#redis.available() || now - this.#loggedAt < logEveryMs) return;
    this.#loggedAt = now;
    this.#log.warn('calls are counted without Redis', { error });
  }

  async #countInRedis(account: Account, build: () => Batch): Promise<void> {
    if (!this.#redis.available()) throw new Error('Redis is unavailable');
    // Until all gateways have reported the calls they admitted without Redis, each one is limited to its share.
    if (!account.isCertain) await this.#needReports(account.subject);
    const counters = this.#counters;
    let reply = await counters.count(account, build);
    const { month, waiters } = build();
    if (typeof reply === 'object' && month?.isKnown === false) this.#reconciler.add(account, month);
    // The epoch is complete, so every call of this month is either recorded or reported with its gateway's next
    // call.
    if (reply === 'unseeded' && month)
      reply = await counters.count(account, build, { recorded: await this.#usage.read(month) });
    if (reply === 'lost') {
      this.#recovery.begin();
      const [recorded] = await Promise.all([month && this.#usage.read(month), this.#needReports(account.subject)]);
      reply = await counters.count(account, build, { recorded, isForced: true });
    }
    const counted = countedOf(reply);
    account.isCertain = true;
    if (month) Object.assign(month, { isKnown: true, isRefreshed: false });
    this.#stats.calls += waiters.length;
    this.#stats.scriptCalls++;
    const verdicts = verdictsOf(build(), counted, this.#windowMs);
    for (const [index, { resolve }] of waiters.entries()) resolve(verdicts[index] as Verdict);
  }

  /** Decides without Redis and marks the counts as unreported, so that the next report sends them. */
  async #countLocally(account: Account, batch: Batch): Promise<void> {
    const { waiters, month } = batch;
    account.isCertain = false;
    distrustBatch(account, batch);
    this.#accounts.unreported.add(account);
    if (month && !month.isRefreshed) await this.#usage.learn(month);
    const share = { gateways: this.#presence.count(), now: this.#counters.now(), windowMs: this.#windowMs };
    for (const { allowance, resolve } of waiters) resolve(decideLocally(account, allowance, share));
  }

  async #needReports(subject: string): Promise<void> {
    if (!this.#presence.areAll(await this.#requests.request(subject)))
      throw new Error('Not every gateway has reported its counts');
  }

  /** Makes all gateways report all counts; false if one did not. */
  async #collectReports(withinMs: number): Promise<boolean> {
    const [reporters] = await Promise.all([this.#requests.request(undefined, withinMs), this.#reports.repeat()]);
    return this.#presence.areAll(reporters);
  }

  #sweep(): void {
    if (performance.now() - this.#reconciledAt > reconcileEveryMs) this.#reconcileAll();
    void this.#reports.send();
    void this.#reconciler.run();
    this.#accounts.forgetIdle();
  }

  #reconcileAll(): void {
    this.#reconciledAt = performance.now();
    for (const [account, month] of this.#accounts.months()) if (month.isKnown) this.#reconciler.add(account, month);
  }

  async #correct(account: Account, month: Month, found: { recorded: Recorded; gone: Recorded }): Promise<void> {
    const build = () => reportBatch(account, month);
    const counted = await this.#counters.count(account, build, { ...found, isForced: true });
    this.#stats.corrected += countedOf(counted).corrected;
  }
}

/** The counts of a reply; throws if Redis has not counted the calls. */
function countedOf(reply: Awaited<ReturnType<Counters['count']>>): Counted {
  if (typeof reply === 'string') throw new Error(`Redis has not counted the calls: ${reply}`);
  return reply;
}
