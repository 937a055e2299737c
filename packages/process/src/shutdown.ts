import type { Log } from './log.ts';

/** One part of a shutdown. It is cut off after `withinMs`, and the next one begins. */
export interface ShutdownStep {
  /** Appears in the log when the step fails or is cut off. */
  name: string;
  withinMs: number;
  run(): void | Promise<void>;
}

/**
 * How long each part of a shutdown may take, in ms. The parts run one after the other, in a service 25 s in all. With a delay of 5 s
 * (SHUTDOWN_DELAY_MS) Kubernetes has to grant 40 s. Without slow work a shutdown takes a second.
 */
export const shutdownLimits = {
  /** Requests in flight; what is left then is cut off. */
  requestsMs: 10_000,
  /** Events that consumers have begun: above the 5 s after which PostgreSQL ends a statement. */
  consumersMs: 6_000,
  /** Jobs that are running. */
  jobsMs: 4_000,
  /** The batch of events that is being published. */
  relayMs: 3_000,
  /** Connections to the stores of a service. */
  storesMs: 2_000,
  /** In the gateway: its last report of usage to identity, which may take the 3 s of a call. */
  usageMs: 5_000,
} as const;

/**
 * Runs the steps in order on SIGTERM or SIGINT, then ends the process: with code 0, or with code 1 when a step failed or was
 * cut off. A second signal ends it at once. After an unhandled rejection the process ends in the same order, with code 1:
 * the requests in flight have nothing to do with it.
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
  // A process in an unknown state must not go on serving; its supervisor starts it again.
  process.on('uncaughtException', (error) => {
    log.error('uncaught exception', { error });
    process.exit(1);
  });
  process.on('unhandledRejection', (error) => {
    log.error('unhandled rejection', { error: error instanceof Error ? error : new Error(String(error)) });
    if (!isStopping) void stop('unhandledRejection', 1);
  });
}

/** Whether every step ended in time and without an error. A failed step does not keep the others from running. */
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
