import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';

/** Finds the addresses of a host name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

const everyMs = 5_000;

/** Asks the system, as `getaddrinfo` does: a headless service of Kubernetes has one address for each pod that is ready. */
const resolveByDns: Resolve = async (host) =>
  (await lookup(host, { all: true, order: 'verbatim' })).map(({ address }) => address);

/**
 * Follows the addresses of a host name, from now on and every 5 s. While a name cannot be resolved its last addresses stay.
 * @param onChange gets all addresses; called for the first ones, and whenever they differ from the ones before
 * @returns what ends it
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
  const timer = setInterval(look, everyMs).unref();
  return () => clearInterval(timer);
}
