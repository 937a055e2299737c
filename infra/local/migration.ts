// `npm run migration -- <service> <what it does>`: creates a migration from the existing ones to the current schema.
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
  if (!service || words.length === 0) throw new CommandError('Usage: npm run migration -- <service> <description>');
  const dir = join(localDir, 'migration');
  const claim = await claimFolder(dir);
  if (!claim) throw new CommandError('Another npm run migration is running: wait until it has finished.');
  // A separate server, because Prisma applies the existing migrations to a database that it creates and drops.
  const postgres = await startPostgres({ dir, packagesDir, log: progress, signal: interrupted, isDurable: false });
  try {
    const folders = await createMigration({
      service,
      name: words.join(' '),
      adminUrl: postgres.adminDatabaseUrl,
      root,
    });
    for (const folder of folders) console.log(`Created ${relative(root, folder)}/migration.sql`);
    if (!folders.length) console.log('No migration created: the migrations already match the schema.');
    for (const finding of await checkMigrations(root)) console.log(`Change required: ${finding}`);
    await generateClients(root);
  } finally {
    await postgres.stop();
    claim.release();
  }
}
