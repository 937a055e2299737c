import type { IncomingMessage } from 'node:http';
import { addressList, clientIpReader, contains, isAddressList } from './client-ip.ts';

const from = (remoteAddress: string, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage;

describe('the client IP', () => {
  it('is the address of the socket; X-Forwarded-For of an untrusted peer is ignored', () => {
    expect(clientIpReader('')(from('203.0.113.9', '1.2.3.4'))).toBe('203.0.113.9');
    expect(clientIpReader('10.0.0.0/8')(from('203.0.113.9', '1.2.3.4'))).toBe('203.0.113.9');
    expect(clientIpReader('')(from('::ffff:203.0.113.9'))).toBe('203.0.113.9');
  });

  it('is the last forwarded address that is not a trusted proxy', () => {
    const read = clientIpReader('10.0.0.0/8, ::1');
    expect(read(from('10.1.1.1', '6.6.6.6, 198.51.100.7, 10.2.2.2'))).toBe('198.51.100.7');
    expect(read(from('::1', '2001:db8::5'))).toBe('2001:db8::5');
    expect(read(from('10.1.1.1', 'rubbish'))).toBe('10.1.1.1');
  });

  it('rejects a list with an entry that is not a network', () => {
    expect(() => clientIpReader('everybody')).toThrow('Not an IP address or network');
  });

  it('matches an address against networks of its family', () => {
    const list = addressList(['192.0.2.0/24', '2001:db8::/32']);
    expect(
      list && [
        contains(list, '192.0.2.7'),
        contains(list, '2001:db8::1'),
        contains(list, '192.0.3.1'),
        contains(list, 'x'),
      ],
    ).toEqual([true, true, false, false]);
  });
});

describe('isAddressList', () => {
  it.each(['', '10.0.0.0/8, ::1', '127.0.0.1'])('accepts "%s"', (text) => expect(isAddressList(text)).toBe(true));
  it.each(['everybody', '10.0.0.0/x', '10.0.0.0/64'])('refuses "%s"', (text) =>
    expect(isAddressList(text)).toBe(false),
  );
});
