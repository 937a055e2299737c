import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { findWeakSecrets, hasLengthOfKey, isEncryptionKey, secretSetting } from './secret-setting.ts';

const hex = () => randomBytes(32).toString('hex');
const messages = (setting: string, schema = secretSetting(hasLengthOfKey)) =>
  schema.safeParse(setting).error?.issues.map(({ message }) => message);

describe('a secret setting', () => {
  it('accepts one value or several, with or without an id', () => {
    for (const setting of [hex(), `k1:${hex()}`, `k2:${hex()},k1:${hex()}`, `k2:${hex()},${hex()}`])
      expect(messages(setting)).toBeUndefined();
  });

  it('rejects values that are too short, and values without an id where one is required', () => {
    expect(messages(`k2:${hex()},k1:short`)).toEqual(['Each value must have at least 32 characters']);
    expect(messages(hex(), secretSetting(hasLengthOfKey, { needsIds: true }))).toEqual([
      'Each value must have an id, as id:value',
    ]);
    const encryption = secretSetting(isEncryptionKey);
    expect(messages(`k1:${randomBytes(32).toString('base64')}`, encryption)).toBeUndefined();
    expect(messages(`k1:${randomBytes(31).toString('base64')}`, encryption)).toHaveLength(1);
  });
});

describe('the secrets of a process', () => {
  const shape = { INTERNAL_SECRETS: secretSetting(hasLengthOfKey), KEY_PEPPER: secretSetting(hasLengthOfKey) };

  it('must be random, and must not be shared by two settings', () => {
    const shared = hex();
    const find = (secrets: string, pepper: string) =>
      findWeakSecrets(shape, { INTERNAL_SECRETS: secrets, KEY_PEPPER: pepper });
    expect(find(`k1:${hex()}`, `k2:${hex()},k1:${hex()}`)).toEqual([]);
    expect(find(`k1:${shared}`, `k2:${hex()},k1:${shared}`)).toEqual([
      { setting: 'KEY_PEPPER', message: 'Must not share a value with INTERNAL_SECRETS' },
    ]);
    expect(find(`k1:${'ab'.repeat(20)}`, hex())).toMatchObject([{ setting: 'INTERNAL_SECRETS' }]);
  });

  it('stop the start with a line that names the setting and does not show its value', () => {
    const script = `
      import { readConfig, secretSetting, hasLengthOfKey } from ${JSON.stringify(`${import.meta.dirname}/index.ts`)};
      import { z } from 'zod';
      readConfig(z.object({ A: secretSetting(hasLengthOfKey), B: secretSetting(hasLengthOfKey) }));`;
    const shared = hex();
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: import.meta.dirname,
      env: { A: shared, B: `k1:${shared}` },
      encoding: 'utf8',
    });
    expect([status, stderr.includes('setting B: Must not share a value with A')]).toEqual([78, true]);
    expect(stderr).not.toContain(shared);
  });
});
