import type { Log } from './log.ts';

export type Closer = () => void | Promise<void>;

const deadlineMs = 12_000;

/**
 * Runs the closers in order on SIGTERM or SIGINT, then ends the process; a second signal ends it at once.
 * What has not finished after 12 s is cut off.
 */
export function onShutdown(log: Log, closers: Closer[]): void {
  let stopping = false;
  const stop = async (signal: string) => {
    if (stopping) process.exit(1);
    stopping = true;
    log.info('stopping', { signal });
    setTimeout(() => {
      log.error('did not stop in time');
      process.exit(1);
    }, deadlineMs).unref();
    for (const close of closers) {
      try {
        await close();
      } catch (error) {
        // The rest must still be closed.
        log.error('closing failed', { error });
      }
    }
    process.exit(0);
  };
  process.on('exit', () => log.flush());
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal));
  // A process in an unknown state must not go on serving; whoever started it starts it again.
  process.on('uncaughtException', (error) => {
    log.error('uncaught exception', { error });
    process.exit(1);
  });
  process.on('unhandledRejection', (error) => {
    log.error('unhandled rejection', { error: error instanceof Error ? error : new Error(String(error)) });
    process.exit(1);
  });
}
