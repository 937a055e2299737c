/** What one caller may do. */
export interface Allowance {
  /** Names the counters: the tenant, or the address of somebody without credentials. */
  subject: string;
  /** Subject and address together, under which the second counter goes. */
  pair: string;
  perMinute: number;
  burst: number;
  /**
   * The monthly quota; undefined for callers who are not told about one. A call that does not count is told how many did,
   * and is not refused for them.
   */
  quota: { tenantId: number; month: string; limit: number | null; counts: boolean } | undefined;
}

/** Whether a call may pass, and what the headers say. */
export interface Verdict {
  allowed: boolean;
  reason?: 'rate_limited' | 'quota_exceeded';
  limit: number;
  remaining: number;
  /** Unix seconds at which the window ends. */
  reset: number;
  /** Seconds until then. */
  resetIn: number;
  usage: number | undefined;
  degraded: boolean;
}

export interface Limiter {
  take(allowance: Allowance): Promise<Verdict>;
  /** A call that failed on our side does not count towards the quota. */
  giveBack(allowance: Allowance): void;
  stats(): LimiterStats;
  /** Reports what Redis does not know yet. */
  close(): Promise<void>;
}

/** Totals of this process since it started. */
export interface LimiterStats {
  /** Calls that Redis has decided about, and the script calls that carried them. */
  calls: number;
  scriptCalls: number;
  /** Calls that stand in the months of tenants: served, or in flight. */
  counted: number;
  /** Calls by which reconciling changed counters of ended gateways. */
  corrected: number;
  /** Gateways that live as far as this one knows, itself included. */
  gateways: number;
}
