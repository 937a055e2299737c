import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/**
 * Returns a reader of the client IP: the socket's address or, behind a trusted proxy, the last address in
 * X-Forwarded-For that is not itself a trusted proxy. Addresses that a client adds to the header itself are never used.
 * @throws if the list of trusted proxies has an entry that is not an address or network
 */
export function clientIpReader(trustedProxies: string): (request: IncomingMessage) => string {
  const trusted = addressList(entriesOf(trustedProxies));
  return (request) => {
    const peer = plain(request.socket.remoteAddress ?? '');
    if (!trusted || !contains(trusted, peer)) return peer;
    const forwarded = String(request.headers['x-forwarded-for'] ?? '')
      .split(',')
      .map((part) => plain(part.trim()));
    const nearest = forwarded.reverse().find((address) => isIP(address) && !contains(trusted, address));
    return nearest ?? peer;
  };
}

/** Whether a text is a comma-separated list of addresses and networks, possibly empty. */
export function isAddressList(text: string): boolean {
  try {
    addressList(entriesOf(text));
    return true;
  } catch {
    return false;
  }
}

function entriesOf(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
}

/** Builds a list of addresses and networks; undefined if it is empty. */
export function addressList(entries: readonly string[]): BlockList | undefined {
  if (!entries.length) return undefined;
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (!isIP(address)) throw new Error(`Not an IP address or network: ${entry}`);
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

export function contains(list: BlockList, address: string): boolean {
  const version = isIP(address);
  return version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

/** Converts an IPv4-mapped IPv6 address to IPv4. */
function plain(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}
