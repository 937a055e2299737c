// `npm run dev <service>`: runs one service that restarts when its files change, with everything it needs.
import { holderOf } from './claim.ts';
import { CommandError } from './command-error.ts';
import { lease } from './control.ts';
import { readEnvironment } from './environment.ts';
import { memberProcess } from './fleet.ts';
import { interrupts } from './interrupts.ts';
import { linePrinter, ownLine } from './log-lines.ts';
import { findMembers, type Member } from './members.ts';
import { environmentFile, localDir, runDir } from './paths.ts';
import { runFleet } from './run-fleet.ts';
import { SupervisedProcess } from './supervised.ts';
import { complain, prepareTerminal, progress } from './terminal.ts';

prepareTerminal();
const interrupted = interrupts();
try {
  await main(process.argv[2]);
} catch (error) {
  if (!interrupted.aborted) {
    complain(error);
    process.exit(1);
  }
}
process.exit(0);

async function main(name: string | undefined): Promise<void> {
  const members = findMembers();
  const member = members.find((candidate) => candidate.name === name);
  if (!member)
    throw new CommandError(
      `${name ? `There is no service "${name}".` : 'A service name is required.'} ${listOf(members)}`,
    );
  if (holderOf(localDir)) return takeOver(member);
  return runFleet({ interrupted, watched: member.name });
}

function listOf(members: Member[]): string {
  return `Available services: ${members.map(({ name }) => name).join(', ') || 'none'}. Example: npm run dev ${members.at(-1)?.name ?? 'crm'}`;
}

/** Leases the service from the running fleet, runs it on the same port, and returns it at the end. */
async function takeOver(member: Member): Promise<void> {
  const leased = await lease(member.name);
  progress(`${member.name} taken over from the running fleet`);
  const environment = readEnvironment(environmentFile) ?? {};
  const print = linePrinter();
  const spec = memberProcess(member, { members: [member], environment, watched: member.name, onLine: print });
  const say = (message: string) => print(member.name, ownLine(`${member.name} ${message}`));
  const process = new SupervisedProcess(spec, { runDir, events: { died: say, back: () => say('is running again') } });
  try {
    const stopped = new Promise((resolve) => interrupted.addEventListener('abort', resolve));
    // A service that fails to start is expected during development: the watcher waits for the next change.
    void process.start().catch((error) => !interrupted.aborted && complain(error));
    await Promise.race([stopped, leased.fleetEnded]);
  } finally {
    await process.stop();
    await leased.giveBack();
  }
}
