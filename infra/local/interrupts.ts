const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Aborts on Ctrl-C, a closed terminal, `kill`, or the end of the bootstrap process. Ctrl-C arrives twice, from the
 * terminal and through npm, so further signals are ignored.
 */
export function interrupts(): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort();
  for (const name of signals) process.on(name, abort);
  process.on('disconnect', abort);
  // The IPC channel must not keep the process alive.
  process.channel?.unref();
  return controller.signal;
}
