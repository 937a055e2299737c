import { createTarget, isPublicAddress } from './guard.ts';
import { createGuardedFetch } from './guarded-fetch.ts';
import type { Resolve } from './resolve.ts';

const strict = createTarget({ allowPrivate: false, resolve: async () => [{ address: '93.184.216.34', family: 4 }] });
const lax = createTarget({ allowPrivate: true });

const privateUrls = [
  'https://127.0.0.1/',
  'https://127.1/',
  'https://2130706433/',
  'https://0177.0.0.1/',
  'https://0x7f.0.0.1/',
  'https://0x7f000001/',
  'https://017700000001/',
  'https://127.0.0.1./',
  'https://0.0.0.0/',
  'https://0/',
  'https://[::]/',
  'https://[::1]/',
  'https://[0:0:0:0:0:0:0:1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[::127.0.0.1]/',
  'https://[64:ff9b::7f00:1]/',
  'https://[64:ff9b:1::1]/',
  'https://[2002:7f00:1::]/',
  'https://[2001::1]/',
  'https://[2001:0:a9fe:a9fe::1]/',
  'https://[::ffff:0:127.0.0.1]/',
  'https://[fe80::1]/',
  'https://[fc00::1]/',
  'https://[fd00:ec2::254]/',
  'https://[fec0::1]/',
  'https://[ff02::1]/',
  'https://[2001:db8::1]/',
  'https://169.254.169.254/latest/meta-data/',
  'https://[::ffff:169.254.169.254]/',
  'https://168.63.129.16/',
  'https://100.64.0.1/',
  'https://100.100.100.200/',
  'https://10.0.0.1/',
  'https://172.16.0.1/',
  'https://172.31.255.255/',
  'https://192.168.1.1/',
  'https://192.0.0.192/',
  'https://192.0.2.1/',
  'https://198.18.0.1/',
  'https://203.0.113.1/',
  'https://224.0.0.1/',
  'https://240.0.0.1/',
  'https://255.255.255.255/',
  'https://１２７.０.０.１/',
  'https://①②⑦.0.0.1/',
  'https://localhost/',
  'https://LOCALHOST./',
  'https://a.localhost/',
  'https://printer/',
  'https://db.internal/',
  'https://metadata.google.internal/',
  'https://nas.local/',
  'https://x.home.arpa/',
];
const invalidUrls = [
  'http://example.com/',
  'https://example.com:22/',
  'https://example.com:80/',
  'https://user@example.com/',
  'https://user:pass@example.com/',
  'https://93.184.216.34@127.0.0.1/',
  'ftp://example.com/',
  'file:///etc/passwd',
  'gopher://example.com/',
  'javascript:alert(1)',
  'https://',
  '//example.com',
  '',
];

it.each(privateUrls)('rejects the private target %s', async (url) => {
  expect(strict.urlError(url, 'live')).toBe('Must not point to a private address');
  expect(await strict.resolvedUrlError(url, 'sandbox')).toBe('Must not point to a private address');
});

it.each(invalidUrls)('rejects %s in live', (url) => {
  expect(strict.urlError(url, 'live')).toEqual(expect.any(String));
});

it.each([
  ['https://example.com/hook?a=1', 'live'],
  ['https://example.com:8443/', 'live'],
  ['https://93.184.216.34/', 'live'],
  ['https://[2606:4700::1111]/', 'live'],
  ['http://example.com/', 'sandbox'],
])('accepts %s in %s', async (url, environment) => {
  expect(await strict.resolvedUrlError(url, environment)).toBeUndefined();
});

it('recognises addresses that are not public', () => {
  for (const address of ['8.8.8.8', '1.1.1.1', '2606:4700::1111', '::ffff:8.8.8.8'])
    expect(isPublicAddress(address)).toBe(true);
  for (const address of ['fe80::1%eth0', '::ffff:10.0.0.1', '4000::1', 'nonsense', ''])
    expect(isPublicAddress(address)).toBe(false);
});

it('allows private targets only when enabled, and never credentials in the URL', () => {
  expect(lax.urlError('http://127.0.0.1:8080/', 'live')).toBeUndefined();
  expect(lax.urlError('https://a:b@example.com/', 'live')).toEqual(expect.any(String));
  expect(lax.urlError('ftp://127.0.0.1/', 'live')).toEqual(expect.any(String));
});

describe('when private targets are allowed', () => {
  it.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://169.254.1.1/',
    'http://2852039166/',
    'http://169.254.169.254./',
    'http://[::ffff:169.254.169.254]/',
    'http://[::169.254.169.254]/',
    'http://[2002:a9fe:a9fe::]/',
    'http://[2002:a9fe:a9fe::1]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://[64:ff9b:1::a9fe:a9fe]/',
    'http://[::ffff:0:169.254.169.254]/',
    'http://[2001:0:a9fe:a9fe::1]/',
    'http://[2001:0:808:808:8000:ffff:5601:5601]/',
    'http://[fe80::1]/',
    'http://[febf::1]/',
    'http://[fd00:ec2::254]/',
    'http://100.100.100.200/',
    'http://[::ffff:100.100.100.200]/',
    'http://168.63.129.16/',
  ])('rejects the metadata address %s', async (url) => {
    const message = 'Must not point to a link-local or cloud metadata address';
    expect([lax.urlError(url, 'sandbox'), await lax.resolvedUrlError(url, 'live')]).toEqual([message, message]);
  });

  it.each([
    'http://127.0.0.1/',
    'http://[::1]/',
    'http://10.0.0.1/',
    'http://[fd00::1]/',
    'http://[2002:7f00:1::]/',
    'http://[2001:0:808:808::1]/',
  ])('accepts %s', async (url) => expect(await lax.resolvedUrlError(url, 'live')).toBeUndefined());

  it('rejects a name that resolves to a metadata address, at registration and on connect', async () => {
    const resolve: Resolve = async () => [
      { address: '127.0.0.1', family: 4 },
      { address: '::ffff:169.254.169.254', family: 6 },
    ];
    const target = createTarget({ allowPrivate: true, resolve });
    const url = 'http://metadata.google.internal/';
    expect(await target.resolvedUrlError(url, 'sandbox')).toEqual(expect.any(String));
    const guarded = createGuardedFetch({ target, name: 'the test', timeoutMs: 15_000 });
    await expect(guarded.fetch(url, {})).rejects.toMatchObject({ cause: { code: 'BLOCKED_ADDRESS' } });
    await guarded.close();
  });
});

it('rejects a name that resolves to a private address at creation, and accepts an unresolvable one', async () => {
  const to =
    (...addresses: string[]): Resolve =>
    async () =>
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  const resolvedBy = (resolve: Resolve) =>
    createTarget({ allowPrivate: false, resolve }).resolvedUrlError('https://evil.example.com/', 'live');
  expect(await resolvedBy(to('10.0.0.1'))).toEqual(expect.any(String));
  expect(await resolvedBy(to('93.184.216.34', '::1'))).toEqual(expect.any(String));
  expect(await resolvedBy(to('93.184.216.34'))).toBeUndefined();
  expect(await resolvedBy(() => Promise.reject(new Error('ENOTFOUND')))).toBeUndefined();
});
