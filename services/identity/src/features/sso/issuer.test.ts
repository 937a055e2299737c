import { isNamedBy, issuerError, provesAddress, workspaceOf } from './issuer.ts';

const directory = 'https://login.microsoftonline.com/5f1c4f5e-5a3b-4a0e-9d8f-0d4f5b6c7a8e/v2.0';
const google = 'https://accounts.google.com';

it.each([
  'https://login.microsoftonline.com/common/v2.0',
  'https://login.microsoftonline.com/Organizations/v2.0/',
  'https://LOGIN.microsoftonline.com//consumers/v2.0',
  'https://login.microsoftonline.com/%63ommon/v2.0',
  'https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0',
  'https://login.microsoftonline.com',
  'https://login.microsoftonline.us/common/v2.0',
  'https://login.microsoftonline.com/{tenantid}/v2.0',
  'https://login.microsoftonline.com/%7Btenantid%7D/v2.0',
  'https://sts.windows.net/{tenantid}/',
])('%s stands for every directory and is refused', (issuer) => {
  expect(issuerError(issuer)).toMatch(/^Must/);
});

it.each([directory, google, 'https://login.example.com', 'https://login.example.com/common'])(
  '%s is accepted',
  (issuer) => {
    expect(issuerError(issuer)).toBeUndefined();
  },
);

it('the metadata has to name the issuer that was configured', () => {
  expect(isNamedBy('https://login.example.com', 'https://login.example.com/')).toBe(true);
  expect(isNamedBy(directory, directory)).toBe(true);
  expect(isNamedBy('https://login.microsoftonline.com/{tenantid}/v2.0', directory)).toBe(false);
  expect(isNamedBy(directory, 'https://login.microsoftonline.com/example.com/v2.0')).toBe(false);
  expect(isNamedBy('https://login.example.com/a', 'https://login.example.com/b')).toBe(false);
});

it.each([
  ['a company', directory, [true, true, false]],
  ['Google', google, [true, false, false]],
  ['Google with a slash at the end', `${google}/`, [true, false, false]],
  ['GitLab', 'https://gitlab.com', [true, false, false]],
  ['a directory of customers', 'https://customers.b2clogin.com/5f1c4f5e/v2.0/', [true, false, false]],
])('email_verified of %s: true, absent, false', (_, issuer, expected) => {
  const claims = [true, undefined, false];
  expect(claims.map((isEmailVerified) => provesAddress(issuer, { isEmailVerified }))).toEqual(expected);
});

it('an account of Google has to belong to a Workspace, whose domain has to be proven', () => {
  expect(workspaceOf(google, { hostedDomain: 'example.com' })).toBe('example.com');
  expect(workspaceOf(google, { hostedDomain: undefined })).toBeUndefined();
  expect(workspaceOf(directory, { hostedDomain: 'example.com' })).toBeNull();
});
