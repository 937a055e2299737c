import { linePrinter, ownLine } from './log-lines.ts';
import { progress } from './terminal.ts';

const warningOrError = /"level":"(warn|error)"/;

/** Terminal output of a fleet: progress lines while it starts and stops, log lines in between. */
export class FleetOutput {
  /** True from the completed start until the shutdown begins. */
  isReady = false;
  readonly #print = linePrinter();

  /** Prints a line of the supervisor. */
  say(line: string): void {
    if (this.isReady) this.#print('local', ownLine(line));
    else progress(line);
  }

  /** Prints a log line of a service. During the start, only warnings and errors are printed. */
  print(name: string, line: string): void {
    if (this.isReady || warningOrError.test(line)) this.#print(name, line);
  }
}
