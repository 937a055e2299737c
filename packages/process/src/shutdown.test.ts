import { spawn } from 'node:child_process';
import { join } from 'node:path';

const index = join(import.meta.dirname, 'index.ts');
const program = `
  import { createLog, onShutdown } from '${index}';
  const kept = setInterval(() => {}, 1_000);
  onShutdown(createLog('test'), [
    () => new Promise((resolve) => setTimeout(resolve, 200)).then(() => console.log('first closed')),
    () => { clearInterval(kept); console.log('second closed'); },
  ]);
  Promise.reject(new Error('an await was forgotten'));
`;

it('closes in order and ends with code 1 after an unhandled rejection', async () => {
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', program], {
    env: { ...process.env, LOG_LEVEL: 'error' },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const code = await new Promise((resolve) => child.once('exit', resolve));
  expect(code).toBe(1);
  expect(output).toContain('an await was forgotten');
  expect(output.indexOf('first closed')).toBeGreaterThan(-1);
  expect(output.indexOf('second closed')).toBeGreaterThan(output.indexOf('first closed'));
});
