import dns from 'node:dns';
import { readFileSync } from 'node:fs';

/** Resolves a host name to all of its addresses. */
export type Resolve = (hostname: string) => Promise<dns.LookupAddress[]>;

const loopback: dns.LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * Creates a resolver that queries the name servers directly. `dns.lookup` uses the libuv thread pool, where one slow
 * name server of a customer would block file access and other lookups of the process.
 * @param options.servers name servers; those of the system by default
 * @param options.timeoutMs of the first try; later tries have longer timeouts
 * @param options.hosts content of a hosts file, which takes precedence; /etc/hosts at process start by default
 */
export function createResolve({
  servers,
  timeoutMs = 1_000,
  tries = 2,
  hosts = systemHosts(),
}: {
  servers?: readonly string[];
  timeoutMs?: number;
  tries?: number;
  hosts?: string;
} = {}): Resolve {
  const hostEntries = readHosts(hosts);
  const resolver = new dns.promises.Resolver({ timeout: timeoutMs, tries });
  if (servers) resolver.setServers(servers);

  return async (hostname) => {
    const name = hostname.toLowerCase().replace(/\.$/, '');
    const known = hostEntries.get(name) ?? (/(^|\.)localhost$/.test(name) ? loopback : undefined);
    if (known) return known;
    const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const found = [...addressesOf(four, 4), ...addressesOf(six, 6)];
    if (!found.length && four.status === 'rejected') throw four.reason;
    return found;
  };
}

function addressesOf(lookup: PromiseSettledResult<string[]>, family: 4 | 6): dns.LookupAddress[] {
  return lookup.status === 'fulfilled' ? lookup.value.map((address) => ({ address, family })) : [];
}

/** Parses a hosts file, which contains names of local development and containers. */
function readHosts(text: string): Map<string, dns.LookupAddress[]> {
  const hostEntries = new Map<string, dns.LookupAddress[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const entry = { address, family: address.includes(':') ? 6 : 4 };
    for (const name of names)
      hostEntries.set(name.toLowerCase(), [...(hostEntries.get(name.toLowerCase()) ?? []), entry]);
  }
  return hostEntries;
}

function systemHosts(): string {
  try {
    return readFileSync('/etc/hosts', 'utf8');
  } catch {
    // There is no hosts file.
    return '';
  }
}
