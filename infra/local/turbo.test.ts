import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from './paths.ts';

interface Plan {
  tasks: { taskId: string; directory: string; inputs: Record<string, string> }[];
}

/** The files on which the cached test result of a package depends, besides those of the packages that it imports. */
function inputsOf(name: string): string[] {
  const turbo = join(root, 'node_modules/turbo/bin/turbo');
  const options = { cwd: root, env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1' }, maxBuffer: 2 ** 26 };
  const output = execFileSync(process.execPath, [turbo, 'run', 'test', `--filter=${name}`, '--dry=json'], options);
  const { tasks } = JSON.parse(output.toString()) as Plan;
  const task = tasks.find(({ taskId }) => taskId === `${name}#test`);
  return Object.keys(task?.inputs ?? {}).map((file) => relative(root, join(root, task?.directory ?? '', file)));
}

// A result that does not depend on the files that the test reads stays valid when they change.
it.each([
  ['@tandem/client', 'src/browser.test.ts', 'services/*/contract/*.ts'],
  ['@tandem/jobs', 'src/due-rows.test.ts', 'services/agents/prisma/migrations/*/migration.sql'],
  ['@tandem/jobs', 'src/due-rows.test.ts', 'packages/*/migrations/*.sql'],
  ['@tandem/tooling', 'src/row-level-security.test.ts', 'services/*/prisma/migrations/*/migration.sql'],
  ['@tandem/tooling', 'src/row-level-security.test.ts', 'services/*/prisma/schema.prisma'],
  ['@tandem/tooling', 'src/row-level-security.test.ts', 'packages/*/migrations/*.sql'],
])('the cached result of %s, with %s, depends on %s', (name, test, files) => {
  const read = globSync(files, { cwd: root });
  expect(read.length).toBeGreaterThan(0);
  const inputs = inputsOf(name);
  expect(inputs).toEqual(expect.arrayContaining([...read, expect.stringContaining(test)]));
});
