import { readSecretList, writeSecretList } from './index.ts';

describe('a secret setting', () => {
  it('lists values with their ids, the current one first', () => {
    const list = [
      { id: 'k2', value: 'b' },
      { id: 'k1', value: 'a+/=' },
    ];
    expect(readSecretList('k2:b,k1:a+/=')).toEqual(list);
    expect(writeSecretList(list)).toBe('k2:b,k1:a+/=');
  });

  it('may have one value without an id', () => {
    expect(readSecretList('k2:b,a')).toEqual([
      { id: 'k2', value: 'b' },
      { id: null, value: 'a' },
    ]);
    expect(writeSecretList(readSecretList('k2:b,a'))).toBe('k2:b,a');
  });

  it('takes the PEM of a key, with real or escaped line ends', () => {
    for (const pem of ['-----BEGIN PRIVATE KEY-----\nMII+/=\n-----END PRIVATE KEY-----', '-----BEGIN-----\\nMI\\n'])
      expect(readSecretList(`k1:${pem}`)).toEqual([{ id: 'k1', value: pem }]);
  });

  it.each([
    ['an empty setting', '', 'Must be id:value'],
    ['an empty value', 'k1:', 'Must be id:value'],
    ['an empty entry', 'k1:topsecret,', 'Must be id:value'],
    ['an id with a dot, which separates the id in stored values', 'k.1:topsecret', 'Must be id:value'],
    ['two colons', 'k1:topsecret:b', 'Must be id:value'],
    ['the same id twice', 'k1:topsecret,k1:b', 'a different id'],
    ['two values without an id', 'topsecret,b', 'a different id'],
    ['the same value twice', 'k1:topsecret,k2:topsecret', 'the same value'],
    ['six values', 'a:1,b:2,c:3,d:4,e:5,f:topsecret', 'at most 5'],
  ])('refuses %s, and does not repeat the value', (_, setting, message) => {
    expect(() => readSecretList(setting)).toThrow(message);
    expect(() => readSecretList(setting)).not.toThrow('topsecret');
  });
});
