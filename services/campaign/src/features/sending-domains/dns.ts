import dns from 'node:dns';
import { outgoingGuard } from '@tandem/process';

/** The TXT records of a name, none if it has none; undefined if the name servers do not answer. */
export type ReadTxt = (name: string) => Promise<string[] | undefined>;

const timeoutMs = 2_000;
const tries = 2;
const absent = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * Creates a reader of TXT records.
 * @param servers name servers, `address` or `address:port`; those of the system by default
 */
export function createReadTxt(servers?: readonly string[]): ReadTxt {
  const resolver = new dns.promises.Resolver({ timeout: timeoutMs, tries });
  if (servers) resolver.setServers(servers);
  return async (name) => {
    outgoingGuard.assertMayCall('A name server');
    try {
      const records = await resolver.resolveTxt(name);
      // A record is a list of strings of at most 255 bytes, which belong together (RFC 7208, section 3.3).
      return records.map((parts) => parts.join(''));
    } catch (error) {
      return absent.has((error as { code?: string }).code ?? '') ? [] : undefined;
    }
  };
}
