import { linePrinter, ownLine } from './log-lines.ts';
import { progress } from './terminal.ts';

const complaint = /"level":"(warn|error)"/;

/** What the terminal shows over the life of a fleet: steps while it comes up and goes down, log lines in between. */
export class Voice {
  /** Set from the moment all is up until the end begins. */
  isReady = false;
  readonly #print = linePrinter();

  /** A line of the supervisor's own. */
  say(line: string): void {
    if (this.isReady) this.#print('local', ownLine(line));
    else progress(line);
  }

  /** A line of a service. While it starts only complaints are shown: one that fails shows its last lines anyway. */
  print(name: string, line: string): void {
    if (this.isReady || complaint.test(line)) this.#print(name, line);
  }
}
