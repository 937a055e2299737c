// `npm run migration -- <service> <what it does>`: writes the migration that leads from the existing ones to the schema.
import { join, relative } from 'node:path';
import { checkMigrations, createMigration, generateClients } from '@tandem/tooling';
import { claimFolder } from './claim.ts';
import { CommandError } from './command-error.ts';
import { interrupts } from './interrupts.ts';
import { localDir, packagesDir, root } from './paths.ts';
import { startPostgres } from './stores/index.ts';
import { complain, prepareTerminal, progress } from './terminal.ts';

prepareTerminal();
const interrupted = interrupts();
try {
  await main(process.argv.slice(2));
} catch (error) {
  complain(error);
  process.exit(interrupted.aborted ? 130 : 1);
}
process.exit(0);

async function main([service, ...words]: string[]): Promise<void> {
  if (!service || words.length === 0) throw new CommandError('Usage: npm run migration -- <service> <what it does>');
  const dir = join(localDir, 'migration');
  const claim = await claimFolder(dir);
  if (!claim) throw new CommandError('Another npm run migration is going on.');
  // A server of its own: the engine plays the existing migrations into a database that it makes and drops.
  const postgres = await startPostgres({ dir, packagesDir, log: progress, signal: interrupted, isDurable: false });
  try {
    const folders = await createMigration({
      service,
      name: words.join(' '),
      adminUrl: postgres.adminDatabaseUrl,
      root,
    });
    for (const folder of folders) console.log(`Written: ${relative(root, folder)}/migration.sql`);
    if (!folders.length) console.log('No change: the migrations already lead to the schema.');
    for (const finding of await checkMigrations(root)) console.log(`To be changed: ${finding}`);
    await generateClients(root);
  } finally {
    await postgres.stop();
    claim.release();
  }
}
