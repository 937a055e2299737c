import { spawnSync } from 'node:child_process';

/** Reads settings of a service with this value in a process of its own. */
function start(setting: string, value: string) {
  const script = `
    import { processSettings, readConfig, storeSettings } from ${JSON.stringify(`${import.meta.dirname}/index.ts`)};
    import { z } from 'zod';
    const { ${setting}: type } = { ...processSettings, ...storeSettings };
    readConfig(z.object({ ${setting}: type }));`;
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

it.each([
  ['LOG_LEVEL', 'INFO', 'Must be one of error, warn, info, debug'],
  ['PORT', 'abc', 'Must be a number'],
  ['PORT', '1.5', 'Must be a whole number'],
  ['DATABASE_BACKGROUND_MAX', '0', 'Must be at least 1'],
  ['SHUTDOWN_DELAY_MS', '60001', 'Must be at most 60000'],
  ['AMQP_URL', '', 'Is required'],
])('%s=%s is refused with what it must be', (setting, value, message) => {
  expect(start(setting, value)).toEqual({ status: 78, stderr: `setting ${setting}: ${message}\n` });
});
