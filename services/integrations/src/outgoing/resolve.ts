import dns from 'node:dns';
import { readFileSync } from 'node:fs';

/** Resolves a name to all of its addresses. */
export type Resolve = (hostname: string) => Promise<dns.LookupAddress[]>;

const loopback: dns.LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * Asks the name servers of the machine itself. `dns.lookup` would ask from libuv's few threads: one slow name server, or
 * a customer who runs one, would hold up every file and every lookup of the process.
 * @param options.servers instead of those of the machine
 * @param options.timeoutMs for the first try; later tries wait longer
 * @param options.hosts the text of a hosts file, which is asked first; that of the machine as it was at the start
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
  const named = readHosts(hosts);
  const resolver = new dns.promises.Resolver({ timeout: timeoutMs, tries });
  if (servers) resolver.setServers(servers);

  return async (hostname) => {
    const name = hostname.toLowerCase().replace(/\.$/, '');
    const known = named.get(name) ?? (/(^|\.)localhost$/.test(name) ? loopback : undefined);
    if (known) return known;
    const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const found = [...addressesOf(four, 4), ...addressesOf(six, 6)];
    if (!found.length && four.status === 'rejected') throw four.reason;
    return found;
  };
}

function addressesOf(answer: PromiseSettledResult<string[]>, family: 4 | 6): dns.LookupAddress[] {
  return answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : [];
}

/** Names that the machine knows by itself: in development, and those of containers. */
function readHosts(text: string): Map<string, dns.LookupAddress[]> {
  const named = new Map<string, dns.LookupAddress[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const entry = { address, family: address.includes(':') ? 6 : 4 };
    for (const name of names) named.set(name.toLowerCase(), [...(named.get(name.toLowerCase()) ?? []), entry]);
  }
  return named;
}

function systemHosts(): string {
  try {
    return readFileSync('/etc/hosts', 'utf8');
  } catch {
    // A machine without one knows no names by itself.
    return '';
  }
}
