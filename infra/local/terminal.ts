import { styleText } from 'node:util';
import { CommandError, explain } from './command-error.ts';

type Style = Parameters<typeof styleText>[0];

/** Styles a text if the terminal supports colours. */
export function paint(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout });
}

/** Prints a progress line with the time since the command started. */
export function progress(line: string): void {
  process.stdout.write(`${paint('gray', `${(performance.now() / 1000).toFixed(1).padStart(5)} s`)}  ${line}\n`);
}

/** Prints the last output lines of a failed process, then the error in one line. */
export function complain(error: unknown): void {
  const lines = error instanceof CommandError ? error.lines : [];
  for (const line of lines) process.stderr.write(`${paint('gray', '  |')} ${line}\n`);
  process.stderr.write(`${paint('red', 'error')}  ${explain(error)}\n`);
}

/**
 * Called first by every command. A closed terminal must not end the process before it has stopped its children. An
 * uncaught exception is printed in one line; the bootstrap then stops the started processes.
 */
export function prepareTerminal(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  process.on('uncaughtException', (error) => {
    complain(error);
    process.exit(1);
  });
}
