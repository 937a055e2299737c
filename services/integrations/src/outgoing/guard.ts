import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { createResolve, type Resolve } from './resolve.ts';

/** Where deliveries may go. */
export interface Target {
  /** Why an address is refused; undefined when it may be used. Looks at the text alone. */
  refusal(url: string, environment: string): string | undefined;
  /** The same, and where the name leads to now. A name that does not resolve is not refused: it may later. */
  resolvedRefusal(url: string, environment: string): Promise<string | undefined>;
  /** The lookup of every connection: it hands out only vetted addresses, so nothing can change between check and use. */
  lookup: LookupFunction;
}

/** A connection that was not made because of where it would lead. */
export class BlockedAddress extends Error {
  readonly code = 'BLOCKED_ADDRESS';
}

/** A connection that was not made because its name leads nowhere, or nobody said where. */
export class NoAddress extends Error {
  readonly code = 'NO_ADDRESS';
}

const publicPorts: Record<string, readonly string[]> = { 'https:': ['', '443', '8443'], 'http:': ['', '80'] };
const privateName = /(^|\.)(localhost|localdomain|local|internal|intranet|lan|home|corp|arpa|onion)$/;
const isPrivateMessage = 'Must not lead to a private address';
const isMetadataMessage = 'Must not lead to a link-local or cloud metadata address';
const resolveTimeoutMs = 2_000;

// Public by its number, yet only reachable inside Azure: the host agent, which gives out credentials.
const alsoPrivate = new Set(['168.63.129.16']);
// Metadata services of cloud providers outside of the link-local ranges: Azure, Alibaba, AWS by IPv6.
const metadataHosts = new Set([...alsoPrivate, '100.100.100.200', 'fd00:ec2::254']);

/**
 * The rules for targets.
 * @param options.allowPrivate lifts all of them but the form of the address and the ban on metadata services, which hand
 * out the credentials of the machine
 * @param options.resolve how names are resolved; by the machine's name servers by default
 */
export function createTarget({
  allowPrivate,
  resolve = createResolve(),
}: {
  allowPrivate: boolean;
  resolve?: Resolve;
}): Target {
  const isRefused = (address: string) => (allowPrivate ? isMetadataAddress(address) : !isPublicAddress(address));
  const refusedMessage = allowPrivate ? isMetadataMessage : isPrivateMessage;

  const refusal = (url: string, environment: string): string | undefined => {
    const parsed = URL.parse(url);
    if (!parsed) return 'Must be an http or https address';
    const { protocol, hostname, port, username, password } = parsed;
    const ports = publicPorts[protocol];
    if (!ports || !hostname) return 'Must be an http or https address';
    if (username || password) return 'Must not hold a user name or password; send them as a custom header';
    if (allowPrivate) return isMetadataAddress(bareHost(hostname)) ? isMetadataMessage : undefined;
    if (protocol === 'http:' && environment === 'live') return 'Must be an https address';
    if (!ports.includes(port)) return `Must use port ${protocol === 'https:' ? '443 or 8443' : '80'}`;
    return isPrivateHost(hostname) ? isPrivateMessage : undefined;
  };

  return {
    refusal,
    async resolvedRefusal(url, environment) {
      const refused = refusal(url, environment);
      if (refused) return refused;
      const host = bareHost(new URL(url).hostname);
      if (ipaddr.isValid(host)) return undefined;
      const addresses = await Promise.race([resolve(host).catch(() => []), noAnswer()]);
      return addresses.some(({ address }) => isRefused(address)) ? refusedMessage : undefined;
    },
    lookup(hostname, options, callback) {
      resolve(hostname).then(
        (addresses) => {
          const wanted = addresses.filter(({ family }) => !options.family || family === options.family);
          const [first] = wanted;
          if (!first) return callback(new NoAddress(`${hostname} has no address`), '', 0);
          // One refused address among others is refused too: the connection may choose any of them.
          if (addresses.some(({ address }) => isRefused(address))) {
            return callback(new BlockedAddress(`${hostname} resolves to an address that is not allowed`), '', 0);
          }
          return options.all ? callback(null, wanted) : callback(null, first.address, first.family);
        },
        (cause) => callback(new NoAddress(`${hostname} has no address`, { cause }), '', 0),
      );
    },
  };
}

/** Whether a literal address is one of the public internet. Everything that is not surely public counts as private. */
export function isPublicAddress(literal: string): boolean {
  const text = literal.replace(/%.*$/, '');
  if (!ipaddr.isValid(text)) return false;
  // Unwraps ::ffff:a.b.c.d, which connects to a.b.c.d.
  const address = ipaddr.process(text);
  if (alsoPrivate.has(address.toString()) || address.range() !== 'unicast') return false;
  // Of IPv6 only 2000::/3 is handed out (RFC 4291 2.4).
  return address.kind() === 'ipv4' || ((address as ipaddr.IPv6).parts[0] as number) >> 13 === 1;
}

/**
 * Whether a literal address is link-local or that of a cloud's metadata service, also inside an IPv6 address that leads
 * to an IPv4 one (IPv4-mapped, IPv4-compatible, 6to4, NAT64).
 */
export function isMetadataAddress(literal: string): boolean {
  const text = literal.replace(/%.*$/, '');
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  const all = [address, ...(address.kind() === 'ipv6' ? embeddedIPv4(address as ipaddr.IPv6) : [])];
  return all.some((one) => one.range() === 'linkLocal' || metadataHosts.has(one.toString()));
}

// Where an IPv6 address of this network holds an IPv4 one, in bytes (RFC 4291 2.5.5.1, RFC 3056, RFC 6052, RFC 8215).
const embeddings: readonly [network: string, bits: number, at: number][] = [
  ['::', 96, 12],
  ['2002::', 16, 2],
  ['64:ff9b::', 96, 12],
  ['64:ff9b:1::', 48, 12],
];

function embeddedIPv4(address: ipaddr.IPv6): ipaddr.IPv4[] {
  return embeddings
    .filter(([network, bits]) => address.match(ipaddr.IPv6.parse(network), bits))
    .map(([, , at]) => new ipaddr.IPv4(address.toByteArray().slice(at, at + 4)));
}

/** URL has already turned decimal, octal, hexadecimal and short forms of IPv4 into the dotted one. */
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

function noAnswer(): ReturnType<Resolve> {
  return new Promise((resolve) => setTimeout(() => resolve([]), resolveTimeoutMs).unref());
}
