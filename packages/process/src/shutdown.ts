import type { Log } from './log.ts';

export type Closer = () => void | Promise<void>;

const deadlineMs = 12_000;

/**
 * Runs the closers in order on SIGTERM or SIGINT, then ends the process; a second signal ends it at once.
 * Closers that have not finished after 12 s are cut off. After an unhandled rejection the process ends in the same order, with code 1:
 * the requests under way have nothing to do with it.
 */
export function onShutdown(log: Log, closers: Closer[]): void {
  let stopping = false;
  const stop = async (signal: string, code = 0) => {
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
    process.exit(code);
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
    if (!stopping) void stop('unhandledRejection', 1);
  });
}
