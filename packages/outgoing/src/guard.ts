import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { createResolve, type Resolve } from './resolve.ts';

/** Rules for delivery targets, against server-side request forgery. */
export interface Target {
  /** Why a URL is rejected; undefined when it is allowed. Checks the text only. */
  urlError(url: string, environment: string): string | undefined;
  /** Also checks the resolved addresses. A name that does not resolve is allowed, because it may resolve later. */
  resolvedUrlError(url: string, environment: string): Promise<string | undefined>;
  /** Lookup for connections. Returns only checked addresses, which prevents DNS rebinding. */
  lookup: LookupFunction;
}

/** The target address is not allowed. */
export class BlockedAddressError extends Error {
  readonly code = 'BLOCKED_ADDRESS';
}

/** The host name has no address or could not be resolved. */
export class NoAddressError extends Error {
  readonly code = 'NO_ADDRESS';
}

const publicPorts: Record<string, readonly string[]> = { 'https:': ['', '443', '8443'], 'http:': ['', '80'] };
const privateName = /(^|\.)(localhost|localdomain|local|internal|intranet|lan|home|corp|arpa|onion)$/;
const isPrivateMessage = 'Must not point to a private address';
const isMetadataMessage = 'Must not point to a link-local or cloud metadata address';
const resolveTimeoutMs = 2_000;

// A public address that is only reachable inside Azure: the host agent, which issues credentials.
const extraPrivate = new Set(['168.63.129.16']);
// Metadata services of cloud providers outside of link-local ranges: Azure, Alibaba, AWS over IPv6.
const metadataHosts = new Set([...extraPrivate, '100.100.100.200', 'fd00:ec2::254']);

/**
 * Creates the rules for targets.
 * @param options.allowPrivate disables all rules except the URL syntax and the block of metadata services, which issue
 * credentials of the machine
 * @param options.resolve DNS lookup; uses the system's name servers by default
 */
export function createTarget({
  allowPrivate,
  resolve = createResolve(),
}: {
  allowPrivate: boolean;
  resolve?: Resolve;
}): Target {
  const isForbidden = (address: string) => (allowPrivate ? isMetadataAddress(address) : !isPublicAddress(address));
  const forbiddenMessage = allowPrivate ? isMetadataMessage : isPrivateMessage;

  const urlError = (url: string, environment: string): string | undefined => {
    const parsed = URL.parse(url);
    if (!parsed) return 'Must be an http or https URL';
    const { protocol, hostname, port, username, password } = parsed;
    const ports = publicPorts[protocol];
    if (!ports || !hostname) return 'Must be an http or https URL';
    if (username || password) return 'Must not contain a user name or password; send them in a custom header';
    if (allowPrivate) return isMetadataAddress(bareHost(hostname)) ? isMetadataMessage : undefined;
    if (protocol === 'http:' && environment === 'live') return 'Must be an https URL';
    if (!ports.includes(port)) return `Must use port ${protocol === 'https:' ? '443 or 8443' : '80'}`;
    return isPrivateHost(hostname) ? isPrivateMessage : undefined;
  };

  return {
    urlError,
    async resolvedUrlError(url, environment) {
      const error = urlError(url, environment);
      if (error) return error;
      const host = bareHost(new URL(url).hostname);
      if (ipaddr.isValid(host)) return undefined;
      const addresses = await Promise.race([resolve(host).catch(() => []), emptyAfterTimeout()]);
      return addresses.some(({ address }) => isForbidden(address)) ? forbiddenMessage : undefined;
    },
    lookup(hostname, options, callback) {
      resolve(hostname).then(
        (addresses) => {
          const ofFamily = addresses.filter(({ family }) => !options.family || family === options.family);
          const [first] = ofFamily;
          if (!first) return callback(new NoAddressError(`${hostname} does not resolve to an address`), '', 0);
          // One blocked address blocks the name, because the connection may use any of its addresses.
          if (addresses.some(({ address }) => isForbidden(address))) {
            return callback(new BlockedAddressError(`${hostname} resolves to an address that is not allowed`), '', 0);
          }
          return options.all ? callback(null, ofFamily) : callback(null, first.address, first.family);
        },
        (cause) => callback(new NoAddressError(`${hostname} does not resolve to an address`, { cause }), '', 0),
      );
    },
  };
}

/** Whether an address literal is public. Unknown ranges count as private. */
export function isPublicAddress(literal: string): boolean {
  const text = literal.replace(/%.*$/, '');
  if (!ipaddr.isValid(text)) return false;
  // Unwraps ::ffff:a.b.c.d, which connects to a.b.c.d.
  const address = ipaddr.process(text);
  if (extraPrivate.has(address.toString()) || address.range() !== 'unicast') return false;
  // Only 2000::/3 is allocated for public IPv6 addresses (RFC 4291 2.4).
  return address.kind() === 'ipv4' || ((address as ipaddr.IPv6).parts[0] as number) >> 13 === 1;
}

/**
 * Whether an address literal is link-local or a cloud metadata service, including IPv4 addresses embedded in IPv6
 * (IPv4-mapped, IPv4-compatible, IPv4-translated, 6to4, NAT64, Teredo).
 */
export function isMetadataAddress(literal: string): boolean {
  const text = literal.replace(/%.*$/, '');
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  const all = [address, ...(address.kind() === 'ipv6' ? embeddedIPv4(address as ipaddr.IPv6) : [])];
  return all.some((one) => one.range() === 'linkLocal' || metadataHosts.has(one.toString()));
}

// Byte offset of the embedded IPv4 address in these IPv6 networks, and the mask it is combined with (RFC 4291 2.5.5.1,
// RFC 2765 2.1, RFC 3056, RFC 6052, RFC 8215). A Teredo address has two: the server, and the client with inverted bits
// (RFC 4380 4).
const embeddings: readonly [network: string, bits: number, at: number, mask: number][] = [
  ['::', 96, 12, 0],
  ['::ffff:0:0:0', 96, 12, 0],
  ['2002::', 16, 2, 0],
  ['64:ff9b::', 96, 12, 0],
  ['64:ff9b:1::', 48, 12, 0],
  ['2001::', 32, 4, 0],
  ['2001::', 32, 12, 0xff],
];

function embeddedIPv4(address: ipaddr.IPv6): ipaddr.IPv4[] {
  return embeddings
    .filter(([network, bits]) => address.match(ipaddr.IPv6.parse(network), bits))
    .map(([, , at, mask]) => {
      const bytes = address.toByteArray().slice(at, at + 4);
      return new ipaddr.IPv4(bytes.map((byte) => byte ^ mask));
    });
}

/** `URL` normalises decimal, octal, hexadecimal and short forms of IPv4 to dotted decimal. */
function isPrivateHost(hostname: string): boolean {
  const host = bareHost(hostname);
  if (ipaddr.isValid(host)) return !isPublicAddress(host);
  return !host.includes('.') || privateName.test(host);
}

function bareHost(hostname: string): string {
  return hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.+$/, '')
    .toLowerCase();
}

function emptyAfterTimeout(): ReturnType<Resolve> {
  return new Promise((resolve) => setTimeout(() => resolve([]), resolveTimeoutMs).unref());
}
