// `npm stop`: stops what `npm start` or `npm run dev` started here, including processes left by a killed run.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { becomesTrue } from './becomes-true.ts';
import { type Holder, holderOf } from './claim.ts';
import { CommandError } from './command-error.ts';
import { localDir } from './paths.ts';
import { endLeftovers } from './records.ts';
import { complain, prepareTerminal } from './terminal.ts';

// The sum of the stop timeouts of gateway, services and stores.
const endWithinMs = 90_000;

prepareTerminal();
try {
  await main({ onlyLeftovers: process.argv.includes('--leftovers') });
} catch (error) {
  complain(error);
  process.exitCode = 1;
}

async function main({ onlyLeftovers }: { onlyLeftovers: boolean }): Promise<void> {
  const holder = onlyLeftovers ? undefined : holderOf(localDir);
  if (holder) return end(holder);
  const folders = [localDir, ...testFolders()].filter((dir) => !holderOf(dir));
  const ended = (await Promise.all(folders.map((dir) => endLeftovers(join(dir, 'run'))))).flat();
  if (ended.length > 0) console.log(`Stopped processes of a killed run: ${ended.join(', ')}`);
  if (ended.length === 0 && !onlyLeftovers) console.log('Nothing is running.');
}

async function end({ pid }: Holder): Promise<void> {
  const startedAt = performance.now();
  console.log(`Stopping Tandem (process ${pid})`);
  process.kill(pid, 'SIGTERM');
  const isGone = await becomesTrue(() => holderOf(localDir)?.pid !== pid, { withinMs: endWithinMs });
  if (!isGone)
    throw new CommandError(
      `Process ${pid} did not stop within ${endWithinMs / 1000} s: see the output in its terminal.`,
    );
  console.log(`Stopped (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
}

/** The folders of test runs, because killed test runs leave processes too. */
function testFolders(): string[] {
  const home = join(localDir, 'test');
  try {
    return readdirSync(home).map((name) => join(home, name));
  } catch {
    return [];
  }
}
