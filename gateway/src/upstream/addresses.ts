import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';

/** Resolves a host name to its addresses. */
export type Resolve = (host: string) => Promise<readonly string[]>;

const refreshMs = 5_000;

/** Uses `getaddrinfo`. A headless service in Kubernetes resolves to one address per ready pod. */
const resolveByDns: Resolve = async (host) =>
  (await lookup(host, { all: true, order: 'verbatim' })).map(({ address }) => address);

/**
 * Watches the addresses of a host name, resolving it now and every 5 s. If that fails, the last addresses stay.
 * @param onChange called with all addresses at first and after each change
 * @returns a function that stops watching
 */
export function watchAddresses(
  host: string,
  onChange: (addresses: readonly string[]) => void,
  resolve: Resolve = resolveByDns,
): () => void {
  if (isIP(host)) return () => {};
  let known = '';
  const look = async () => {
    const addresses = await resolve(host).catch(() => []);
    const found = [...new Set(addresses)].sort();
    if (!found.length || found.join() === known) return;
    known = found.join();
    onChange(found);
  };
  void look();
  const timer = setInterval(look, refreshMs).unref();
  return () => clearInterval(timer);
}
