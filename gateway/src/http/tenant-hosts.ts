import { isIP } from 'node:net';

/** The name in a Host header or a setting: in lower case, without port and final dot. */
export function hostName(host: string): string {
  return host.trim().toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
}

// A longer name does not exist (RFC 1035, section 2.3.4), and would only enlarge the signed caller.
const nameLengthMax = 253;

/**
 * Returns a reader of the domain of a tenant that a Host header names; undefined for a host of the platform. Addresses,
 * names without a dot and those below localhost are of the platform: processes next to the gateway call it by them.
 */
export function tenantHostReader({
  publicUrl,
  ownHosts,
}: {
  publicUrl: string;
  ownHosts: readonly string[];
}): (host: string | undefined) => string | undefined {
  const { host, hostname } = new URL(publicUrl);
  const own = new Set([host, hostname, ...ownHosts]);
  return (header) => {
    // Nearly every request names the own host, and needs only this comparison.
    if (header === undefined || own.has(header)) return undefined;
    const name = hostName(header);
    const isOwn = own.has(name) || !name.includes('.') || name.startsWith('[') || name.endsWith('.localhost');
    return isOwn || isIP(name) ? undefined : name.slice(0, nameLengthMax);
  };
}
