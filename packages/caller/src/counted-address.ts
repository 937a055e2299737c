import { isIPv6 } from 'node:net';

/**
 * The address that rate limits count by. A customer network has a whole /64 of IPv6 addresses (RFC 6177) and can send
 * each request from another one, so IPv6 is counted by network. IPv4 addresses are counted as they are, also in IPv6
 * form.
 */
export function countedAddress(ip: string): string {
  // Fast path for IPv4, which is nearly all traffic.
  if (!ip.includes(':') || !isIPv6(ip)) return ip;
  const groups = groupsOf(ip);
  const isMapped = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff';
  if (isMapped) return groups.slice(6).map(asFourBytes).join('.');
  return `${groups.slice(0, 4).join(':')}::/64`;
}

/** The eight groups of an IPv6 address, without leading zeros. */
function groupsOf(ip: string): string[] {
  const [address] = ip.split('%');
  // The URL parser normalizes every notation: the result has at most one `::` and no dots.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const [before, after] = [head, tail ?? ''].map((part) => (part ? part.split(':') : [])) as [string[], string[]];
  return [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
}

function asFourBytes(group: string): string {
  const value = Number.parseInt(group, 16);
  return `${value >> 8}.${value & 0xff}`;
}
