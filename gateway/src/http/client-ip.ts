import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/**
 * Reads who is at the other end: the socket's address, or, from a trusted proxy, the nearest address in X-Forwarded-For
 * that is not itself such a proxy. What a client writes there by itself is never believed.
 * @throws when the list of trusted proxies has an entry that is no address or network
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

/** Whether a text is a list of addresses and networks, separated by commas; an empty one is. */
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

/** A list of addresses and networks; undefined when it is empty. */
export function addressList(entries: readonly string[]): BlockList | undefined {
  if (!entries.length) return undefined;
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (!isIP(address)) throw new Error(`Not an address or network: ${entry}`);
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** Whether a list holds an address. */
export function contains(list: BlockList, address: string): boolean {
  const version = isIP(address);
  return version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

/** An IPv4 address that a socket shows in its IPv6 form, as the IPv4 address it is. */
function plain(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}
