import type { Log } from './log.ts';

/** One step of a shutdown. If it takes longer than `withinMs`, it is abandoned and the next step begins. */
export interface ShutdownStep {
  /** Appears in the log when the step fails or times out. */
  name: string;
  withinMs: number;
  run(): void | Promise<void>;
}

/**
 * Time limit of each shutdown step, in ms. The steps run in sequence and take at most 31 s in a service, plus
 * SHUTDOWN_DELAY_MS: `infra/deploy/compose.test.ts` compares their sum with the grace periods of Compose and Kubernetes.
 * Without slow work a shutdown takes one second.
 */
export const shutdownLimits = {
  /** Answering /readyz with 503: synchronous, so it takes no time. */
  readinessMs: 0,
  /** Requests in flight; unfinished ones are then aborted. */
  requestsMs: 10_000,
  /** Events in progress: above the statement timeout of 5 s in PostgreSQL. */
  consumersMs: 6_000,
  /** Running jobs. */
  jobsMs: 4_000,
  /** The batch of events that is being published: above the 5 s that the relay waits for its confirms. */
  relayMs: 6_000,
  /** Closing the connections of a service to RabbitMQ and the stores, and what the service opened itself, in parallel. */
  storesMs: 2_000,
  /** Exporting the spans that are still buffered in a service. */
  telemetryMs: 1_000,
  /** The gateway's last usage report to identity, whose call may take 3 s. */
  usageMs: 5_000,
  /** Closing the gateway's port for metrics and health. */
  opsMs: 1_000,
} as const;

/**
 * Runs the steps in order on SIGTERM or SIGINT, then exits with code 0, or with code 1 when a step failed or timed out.
 * A second signal exits at once. An unhandled rejection triggers the same shutdown with code 1, so that requests in
 * flight can finish.
 */
export function onShutdown(log: Log, steps: ShutdownStep[]): void {
  let isStopping = false;
  const stop = async (reason: string, initialCode = 0) => {
    if (isStopping) process.exit(1);
    isStopping = true;
    log.info('stopping', { reason });
    const isComplete = await runSteps(log, steps);
    process.exit(isComplete ? initialCode : 1);
  };
  process.on('exit', () => log.flush());
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal));
  // After an uncaught exception the state is unknown, so the process must not keep serving. Its supervisor restarts it.
  process.on('uncaughtException', (error) => {
    log.error('uncaught exception', { error });
    process.exit(1);
  });
  process.on('unhandledRejection', (error) => {
    log.error('unhandled rejection', { error: error instanceof Error ? error : new Error(String(error)) });
    if (!isStopping) void stop('unhandledRejection', 1);
  });
}

/** Resolves to whether every step finished in time and without an error. The other steps run even if one fails. */
async function runSteps(log: Log, steps: ShutdownStep[]): Promise<boolean> {
  let isComplete = true;
  for (const { name, withinMs, run } of steps) {
    const cutOff = AbortSignal.timeout(withinMs);
    const late = new Promise<never>((_, reject) =>
      cutOff.addEventListener('abort', () => reject(new Error(`Not finished after ${withinMs} ms`)), { once: true }),
    );
    try {
      await Promise.race([run(), late]);
    } catch (error) {
      isComplete = false;
      log.error('shutdown step failed', { step: name, error });
    }
  }
  return isComplete;
}
