import { execFile } from 'node:child_process';
import { join } from 'node:path';
import type { TestFleet } from '@tandem/test-fleet';

const root = join(import.meta.dirname, '../..');
const runMs = 60_000;

/**
 * Runs a command of `npm run admin`; resolves with its exit code and output.
 * @param settings settings that differ from those of the fleet; undefined for one to leave out
 */
export function runAdmin(
  fleet: Pick<TestFleet, 'environment'>,
  args: readonly string[],
  settings: Record<string, string | undefined> = {},
): Promise<{ code: number; text: string }> {
  const env = { PATH: process.env['PATH'], ...fleet.environment['identity'], ...settings };
  const program = join(root, 'services/identity/src/admin.ts');
  return new Promise((resolve) => {
    const options = { cwd: root, env, timeout: runMs };
    execFile(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', program, ...args],
      options,
      (error, out, err) => resolve({ code: error ? Number(error.code ?? 1) : 0, text: `${out}${err}` }),
    );
  });
}
