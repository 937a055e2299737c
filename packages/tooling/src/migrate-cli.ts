// Migrates every service's database. Deployments run it before each new release.
import { migrate } from './migrate.ts';

try {
  const databases = await migrate({
    adminUrl: setting('ADMIN_DATABASE_URL'),
    roleSecret: setting('ROLE_SECRET'),
    log: (line) => console.log(line),
  });
  console.log(`databases ready: ${databases.map(({ service }) => service).join(', ')}`);
} catch (error) {
  console.error(`error: ${reason(error as Error)}`);
  process.exitCode = 1;
}

function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`the setting ${name} is required`);
  return value;
}

/** The reason of a failure. For an unreachable host with several addresses only the code is set. */
function reason({ message, code }: NodeJS.ErrnoException): string {
  return message || `cannot connect to the database server (${code})`;
}
