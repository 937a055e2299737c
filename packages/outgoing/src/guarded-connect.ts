import net from 'node:net';
import tls from 'node:tls';
import { outgoingGuard } from '@tandem/process';
import { BlockedAddressError, type Target } from './guard.ts';

/** A server that is not called over HTTP. */
export interface ServerAddress {
  host: string;
  port: number;
  /** Whether the connection begins with TLS, whose certificate is verified. */
  isTls: boolean;
}

/** Connects to a server; the socket is destroyed when the time is up. */
export type GuardedConnect = (server: ServerAddress) => Promise<net.Socket>;

/**
 * Creates connections for protocols other than HTTP. It checks literal and resolved addresses as `createGuardedFetch` does.
 * @param options.name of the called system, for the error when calls are not allowed
 * @param options.timeoutMs how long a connection may last
 */
export function createGuardedConnect(options: { target: Target; name: string; timeoutMs: number }): GuardedConnect {
  const { target, name, timeoutMs } = options;
  return async ({ host, port, isTls }) => {
    outgoingGuard.assertMayCall(name);
    // An address literal does not use the lookup. The rules for ports are those of HTTP, so the caller checks the port.
    const error = target.urlError(`https://${net.isIPv6(host) ? `[${host}]` : host}/`, 'live');
    if (error) throw new BlockedAddressError(error);
    const to = { host, port, lookup: target.lookup };
    const socket = isTls ? tls.connect({ ...to, ...(net.isIP(host) === 0 && { servername: host }) }) : net.connect(to);
    const timer = setTimeout(() => socket.destroy(new Error(`${name} did not answer in time`)), timeoutMs);
    socket.once('close', () => clearTimeout(timer));
    await new Promise<void>((resolve, reject) => {
      socket.once(isTls ? 'secureConnect' : 'connect', resolve).once('error', reject);
    });
    return socket;
  };
}
