import {
  delayBuckets,
  endSpan,
  type Metrics,
  recordsSpans,
  type SpanEnd,
  startTrace,
  type Trace,
  withTrace,
} from '@tandem/process';
import type { Scope } from '@tandem/tenant-db';

/**
 * How a run ended; `failed` when not even its failure could be recorded, `postponed` when it waits for another release.
 */
export type JobOutcome = 'finished' | 'retried' | 'postponed' | 'dead';

/** The rows of one run. */
interface Due {
  traceparent: string | null;
  /** When the row was due, in milliseconds. */
  due: number;
}

export interface JobObserver {
  /**
   * Runs one or several rows of a job in the trace that scheduled the first one, and measures the run.
   * @param work resolves to how the run ended
   */
  run(
    started: { job: string; requestId: string; scope: Scope; rows: readonly Due[] },
    work: () => Promise<JobOutcome>,
  ): Promise<void>;
}

// The label is not called `job`, because Prometheus adds a label of that name to each target.
/** Exports the metrics of jobs. */
export function observeJobs(metrics: Metrics): JobObserver {
  const seconds = metrics.histogram('job_duration_seconds', 'Duration of one run of a job', ['job_name', 'outcome']);
  const delay = metrics.histogram(
    'job_delay_seconds',
    'Time from when a job was due to the start of its run',
    ['job_name'],
    delayBuckets,
  );
  return {
    async run({ job, requestId, scope, rows }, work) {
      const began = performance.now();
      const now = Date.now();
      for (const { due } of rows) delay.observe({ job_name: job }, Math.max(0, now - due) / 1_000);
      const traces = tracesOf(job, rows, { requestId, scope });
      let outcome: JobOutcome | 'failed' = 'failed';
      let end: SpanEnd = {};
      try {
        outcome = await withTrace(traces[0] as Trace, work);
        if (outcome !== 'finished') end = { error: outcome };
      } catch (error) {
        end = { error };
        throw error;
      } finally {
        seconds.observe({ job_name: job, outcome }, (performance.now() - began) / 1_000);
        for (const trace of traces) endSpan(trace, end);
      }
    },
  };
}

/**
 * Rows that run together may belong to several traces: each gets a span in its own trace, and the others link to the
 * first.
 */
function tracesOf(
  job: string,
  rows: readonly Due[],
  { requestId, scope }: { requestId: string; scope: Scope },
): Trace[] {
  const attributes = { 'tandem.job': job, 'tandem.job.rows': rows.length, 'tandem.tenant_id': scope.tenantId };
  const traces: Trace[] = [];
  for (const { traceparent } of recordsSpans() ? rows : rows.slice(0, 1)) {
    const links = traces.slice(0, 1);
    const trace = startTrace(requestId, traceparent ?? undefined, {
      name: `run ${job}`,
      kind: 'consumer',
      attributes,
      links,
    });
    trace.tenantId = scope.tenantId;
    traces.push(trace);
  }
  return traces;
}
