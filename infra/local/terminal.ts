import { styleText } from 'node:util';
import { CommandError, explain } from './command-error.ts';

type Style = Parameters<typeof styleText>[0];

/** Text in a colour, when the terminal shows colours. */
export function paint(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout });
}

/** A step on the way to readiness, with the time since the command began. */
export function progress(line: string): void {
  process.stdout.write(`${paint('gray', `${(performance.now() / 1000).toFixed(1).padStart(5)} s`)}  ${line}\n`);
}

/** One line about what went wrong, below it the last words of the process that failed. */
export function complain(error: unknown): void {
  const lines = error instanceof CommandError ? error.lines : [];
  for (const line of lines) process.stderr.write(`${paint('gray', '  |')} ${line}\n`);
  process.stderr.write(`${paint('red', 'error')}  ${explain(error)}\n`);
}

/**
 * What every command does first. A terminal that was closed must not end the process before it has ended its children;
 * and what nobody foresaw is told in a line as well, the bootstrap then ends what was started.
 */
export function prepareTerminal(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  process.on('uncaughtException', (error) => {
    complain(error);
    process.exit(1);
  });
}
