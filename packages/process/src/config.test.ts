import { spawnSync } from 'node:child_process';

/** Reads settings of a service with this value in a process of its own. */
function start(setting: string, value: string) {
  const script = `
    import { readConfig, storeSettings } from ${JSON.stringify(`${import.meta.dirname}/index.ts`)};
    import { z } from 'zod';
    readConfig(z.object({ ${setting}: storeSettings.${setting} }));`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: import.meta.dirname,
    env: { [setting]: value },
    encoding: 'utf8',
  });
  return { status, stderr };
}

it.each([
  ['DATABASE_POOL_MAX', /^setting DATABASE_POOL_MAX: Must be at least 2: .* for requests\n$/],
  ['RELAY_DATABASE_POOL_MAX', /^setting RELAY_DATABASE_POOL_MAX: Must be at least 2: .* for the relay\n$/],
])('%s=1 is refused at the start with the minimum and its reason', (setting, line) => {
  expect(start(setting, '1')).toEqual({ status: 78, stderr: expect.stringMatching(line) });
  expect(start(setting, '2').status).toBe(0);
});
