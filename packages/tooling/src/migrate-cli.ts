// Brings every service's database up to date, where the fleet is deployed: ahead of each new release.
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
  if (!value) throw new Error(`the setting ${name} is missing`);
  return value;
}

/** A server that cannot be reached says so in its code only, when its name has several addresses. */
function reason({ message, code }: NodeJS.ErrnoException): string {
  return message || `the database server cannot be reached (${code})`;
}
