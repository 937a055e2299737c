import { spawn } from 'node:child_process';
import { join } from 'node:path';

const index = join(import.meta.dirname, 'index.ts');

/** Runs a program that shuts down with `steps` and then executes `trigger`. */
async function run({ steps, trigger }: { steps: string; trigger: string }): Promise<{ code: number; output: string }> {
  const program = `
    import { createLog, onShutdown } from '${index}';
    const kept = setInterval(() => {}, 1_000);
    const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    onShutdown(createLog('test'), [${steps}]);
    ${trigger}
  `;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', program], {
    env: { ...process.env, LOG_LEVEL: 'error' },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const code = await new Promise<number>((resolve) => child.once('exit', resolve));
  return { code, output };
}

const quick = `{ name: 'quick', withinMs: 60_000, run: () => pause(50).then(() => console.log('quick ended')) }`;
const last = `{ name: 'last', withinMs: 60_000, run: () => { clearInterval(kept); console.log('last ended'); } }`;
const terminate = `process.kill(process.pid, 'SIGTERM');`;

describe('a shutdown', () => {
  it('runs the steps in order and exits with code 0', async () => {
    const { code, output } = await run({ steps: `${quick}, ${last}`, trigger: terminate });
    expect(code).toBe(0);
    expect(output).toMatch(/quick ended[\s\S]*last ended/);
  });

  it('completes a synchronous step that has no time, such as readiness', async () => {
    const sync = `{ name: 'sync', withinMs: 0, run: () => console.log('sync ended') }`;
    const { code, output } = await run({ steps: `${sync}, ${last}`, trigger: terminate });
    expect(code).toBe(0);
    expect(output).toMatch(/sync ended[\s\S]*last ended/);
  });

  it('abandons a step that takes too long, runs the others, and exits with code 1', async () => {
    const hanging = `{ name: 'hanging', withinMs: 50, run: () => new Promise(() => {}) }`;
    const { code, output } = await run({ steps: `${hanging}, ${last}`, trigger: terminate });
    expect(code).toBe(1);
    expect(output).toContain('"step":"hanging"');
    expect(output).toContain('last ended');
  });

  it('runs the other steps after one that failed, and exits with code 1', async () => {
    const failing = `{ name: 'failing', withinMs: 60_000, run: () => { throw new Error('no farewell'); } }`;
    const { code, output } = await run({ steps: `${failing}, ${last}`, trigger: terminate });
    expect(code).toBe(1);
    expect(output).toMatch(/no farewell[\s\S]*last ended/);
  });

  it('runs in the same order after an unhandled rejection, and exits with code 1', async () => {
    const trigger = `Promise.reject(new Error('an await was forgotten'));`;
    const { code, output } = await run({ steps: `${quick}, ${last}`, trigger });
    expect(code).toBe(1);
    expect(output).toContain('an await was forgotten');
    expect(output).toMatch(/quick ended[\s\S]*last ended/);
  });
});
