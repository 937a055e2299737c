// `npm start`: runs everything in the foreground until Ctrl-C or `npm stop`.
import { interrupts } from './interrupts.ts';
import { runFleet } from './run-fleet.ts';
import { complain, prepareTerminal } from './terminal.ts';

prepareTerminal();
const interrupted = interrupts();
try {
  await runFleet({ interrupted });
} catch (error) {
  if (!interrupted.aborted) {
    complain(error);
    process.exit(1);
  }
}
process.exit(0);
