// Runs the tests of the package in the current folder: the `test` script of each package. `npm test` starts the stores.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const jest = join(root, 'node_modules/jest/bin/jest.js');

if (!process.env.TEST_DATABASE_URL) {
  console.error(
    'error  The tests need their stores: run npm test in the root folder, with a path to run only some tests.',
  );
  process.exit(1);
}
// turbo runs two packages at once. A test that fails before it closes its connections must not keep the run from ending.
// Tests named *.alone.test.ts follow when all packages are done (infra/local/test.ts).
const options = ['--roots', process.cwd(), '--testMatch', '**/!(*.alone).test.ts', '--maxWorkers=1', '--forceExit'];
const env = { ...process.env, TEST_SUMMARY_FILE: join(process.cwd(), '.local/test-summary.json') };
const child = spawn(process.execPath, [jest, ...options], { cwd: root, stdio: 'inherit', env });
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.once('exit', (code, by) => {
  process.exitCode = code ?? 128 + constants.signals[by];
});
