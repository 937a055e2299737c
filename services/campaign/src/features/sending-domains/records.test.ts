import { spfMechanism } from './records.ts';

it.each([
  ['amazonses.com', 'smtp://mail.example.com:587', 'include:amazonses.com'],
  [undefined, 'smtps://user:secret@mail.example.com:465', 'a:mail.example.com'],
  [undefined, 'smtp://192.0.2.7:25', 'ip4:192.0.2.7'],
  [undefined, 'smtp://[2001:db8::7]:25', 'ip6:2001:db8::7'],
  [undefined, undefined, 'mx'],
])('the SPF mechanism for the include %s and the mail server %s is %s', (include, smtpUrl, mechanism) => {
  expect(spfMechanism(include, smtpUrl)).toBe(mechanism);
});
