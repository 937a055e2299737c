/** The limits of one caller. */
export interface Allowance {
  /** Key of the counters: the tenant, or the address of a caller without credentials. */
  subject: string;
  /** Subject and address together: key of the per-address counter. */
  pair: string;
  perMinute: number;
  burst: number;
  /**
   * The monthly quota; undefined for callers without one. A call with `counts: false` receives the usage, but is never
   * refused because of it.
   */
  quota: { tenantId: number; month: string; limit: number | null; counts: boolean } | undefined;
}

/** Whether a call is allowed, and the values of its rate limit headers. */
export interface Verdict {
  allowed: boolean;
  reason?: 'rate_limited' | 'quota_exceeded';
  limit: number;
  remaining: number;
  /** Unix seconds at which the window ends. */
  reset: number;
  /** Seconds until `reset`. */
  resetIn: number;
  usage: number | undefined;
  degraded: boolean;
}

export interface Limiter {
  take(allowance: Allowance): Promise<Verdict>;
  /** Removes a call that failed with 5xx from the monthly quota. */
  giveBack(allowance: Allowance): void;
  stats(): LimiterStats;
  /** Reports unreported counts to Redis. */
  close(): Promise<void>;
}

/** Totals of this process since it started. */
export interface LimiterStats {
  /** Calls decided by Redis, and the script calls that carried them. */
  calls: number;
  scriptCalls: number;
  /** Calls counted towards tenants' months: served or in flight. */
  counted: number;
  /** Calls by which reconciliation changed the counters of stopped gateways. */
  corrected: number;
  /** Live gateways known to this one, including itself. */
  gateways: number;
}
