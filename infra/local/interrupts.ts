const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Aborts when the user wants the command to end: Ctrl-C, a closed terminal, `kill`, or the end of the bootstrap that
 * started it. Ctrl-C reaches us twice, from the terminal and through npm, so further signals mean nothing more.
 */
export function interrupts(): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort();
  for (const name of signals) process.on(name, abort);
  process.on('disconnect', abort);
  // Listening for the bootstrap's end must not keep us alive.
  process.channel?.unref();
  return controller.signal;
}
