// `npm run admin -- ...`: runs identity's admin CLI with the settings of the running fleet.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { holderOf } from './claim.ts';
import { CommandError } from './command-error.ts';
import { readEnvironment, withUserEnvironment } from './environment.ts';
import { environmentFile, localDir, root } from './paths.ts';
import { complain } from './terminal.ts';

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  complain(error);
  process.exitCode = 1;
}

async function main(args: string[]): Promise<number> {
  const program = join(root, 'services/identity/src/admin.ts');
  if (!existsSync(program)) throw new CommandError('services/identity/src/admin.ts does not exist.');
  const environment = holderOf(localDir) ? readEnvironment(environmentFile) : undefined;
  if (!environment?.['identity'])
    throw new CommandError('Tandem is not running: run npm start in another terminal first.');
  const env = withUserEnvironment(environment['identity']);
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, ...args], {
    cwd: root,
    env,
    stdio: 'inherit',
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, by) => resolve(code ?? 128 + (by ? constants.signals[by] : 0)));
  });
}
