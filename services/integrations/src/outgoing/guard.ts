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
const resolveTimeoutMs = 2_000;

// Public by its number, yet only reachable inside Azure: the host agent, which gives out credentials.
const alsoPrivate = new Set(['168.63.129.16']);

/**
 * The rules for targets.
 * @param options.allowPrivate lifts all of them but the form of the address
 * @param options.resolve how names are resolved; by the machine's name servers by default
 */
export function createTarget({
  allowPrivate,
  resolve = createResolve(),
}: {
  allowPrivate: boolean;
  resolve?: Resolve;
}): Target {
  const refusal = (url: string, environment: string): string | undefined => {
    if (!URL.canParse(url)) return 'Must be an http or https address';
    const { protocol, hostname, port, username, password } = new URL(url);
    const ports = publicPorts[protocol];
    if (!ports || !hostname) return 'Must be an http or https address';
    if (username || password) return 'Must not hold a user name or password; send them as a custom header';
    if (allowPrivate) return undefined;
    if (protocol === 'http:' && environment === 'live') return 'Must be an https address';
    if (!ports.includes(port)) return `Must use port ${protocol === 'https:' ? '443 or 8443' : '80'}`;
    return isPrivateHost(hostname) ? isPrivateMessage : undefined;
  };

  return {
    refusal,
    async resolvedRefusal(url, environment) {
      const refused = refusal(url, environment);
      if (refused || allowPrivate) return refused;
      const host = bareHost(new URL(url).hostname);
      if (ipaddr.isValid(host)) return undefined;
      const addresses = await Promise.race([resolve(host).catch(() => []), noAnswer()]);
      return addresses.every(({ address }) => isPublicAddress(address)) ? undefined : isPrivateMessage;
    },
    lookup(hostname, options, callback) {
      resolve(hostname).then(
        (addresses) => {
          const wanted = addresses.filter(({ family }) => !options.family || family === options.family);
          const [first] = wanted;
          if (!first) return callback(new NoAddress(`${hostname} has no address`), '', 0);
          // One private address among public ones is no accident either.
          if (!allowPrivate && !addresses.every(({ address }) => isPublicAddress(address))) {
            return callback(new BlockedAddress(`${hostname} leads to a private address`), '', 0);
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
