import dns from 'node:dns';
import { outgoingGuard } from '@tandem/process';

/** The values that a name has in the DNS: none if it has no such record, undefined if the name servers do not answer. */
type Values = string[] | undefined;

/** Looks up records in the DNS. */
export interface Dns {
  readTxt(name: string): Promise<Values>;
  readCname(name: string): Promise<Values>;
  /** The IPv4 and IPv6 addresses, also those of the name that a CNAME record names. */
  readAddresses(name: string): Promise<Values>;
}

const timeoutMs = 2_000;
const tries = 2;
const absent = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * Creates a reader of DNS records.
 * @param servers name servers, `address` or `address:port`; those of the system by default
 */
export function createDns(servers?: readonly string[]): Dns {
  const resolver = new dns.promises.Resolver({ timeout: timeoutMs, tries });
  if (servers) resolver.setServers(servers);
  return {
    async readTxt(name) {
      const records = await lookUp(() => resolver.resolveTxt(name));
      // A record is a list of strings of at most 255 bytes, which belong together (RFC 7208, section 3.3).
      return records?.map((parts) => parts.join(''));
    },
    readCname: (name) => lookUp(() => resolver.resolveCname(name)),
    async readAddresses(name) {
      const families = await Promise.all([
        lookUp(() => resolver.resolve4(name)),
        lookUp(() => resolver.resolve6(name)),
      ]);
      const found = families.flatMap((addresses) => addresses ?? []);
      return !found.length && families.includes(undefined) ? undefined : found;
    },
  };
}

async function lookUp<Found>(request: () => Promise<Found[]>): Promise<Found[] | undefined> {
  outgoingGuard.assertMayCall('A name server');
  try {
    return await request();
  } catch (error) {
    return absent.has((error as { code?: string }).code ?? '') ? [] : undefined;
  }
}
