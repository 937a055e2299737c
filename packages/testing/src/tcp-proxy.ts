import { createServer, connect as dial, type Socket } from 'node:net';

/** A TCP proxy that simulates connection failures of networks and hosts. */
export interface TcpProxy {
  port: number;
  /** The number of open connections. */
  readonly connections: number;
  /** The given URL with the proxy as its host and port. */
  through(url: string): string;
  /** Silently drops all traffic on the existing connections; new ones work. */
  blackHole(): void;
  /** Buffers traffic until `resume`, and delivers it then. */
  pause(): void;
  resume(): void;
  /** Resets every connection. */
  reset(): void;
  close(): Promise<void>;
}

/** Starts a proxy on a free loopback port in front of the server of `url`. */
export async function startTcpProxy(url: string): Promise<TcpProxy> {
  const target = new URL(url);
  const pairs = new Set<readonly [Socket, Socket]>();
  const sockets = new Set<Socket>();
  let isPaused = false;
  const server = createServer((client) => {
    const upstream = dial({ host: target.hostname, port: Number(target.port) });
    const pair = [client, upstream] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, [upstream, client] as const]) {
      from.setNoDelay(true);
      sockets.add(from);
      if (!isPaused) from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        pairs.delete(pair);
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    port,
    get connections() {
      return pairs.size;
    },
    through(address) {
      const proxied = new URL(address);
      proxied.hostname = '127.0.0.1';
      proxied.port = String(port);
      return proxied.href;
    },
    blackHole() {
      for (const [client, upstream] of pairs) {
        client.unpipe(upstream);
        upstream.unpipe(client);
        // Reads and discards, so that both ends see a network that accepts data and never answers.
        client.resume();
        upstream.resume();
        upstream.removeAllListeners('end');
      }
      pairs.clear();
    },
    pause() {
      isPaused = true;
      for (const [client, upstream] of pairs) {
        client.unpipe(upstream);
        upstream.unpipe(client);
      }
    },
    resume() {
      isPaused = false;
      for (const [client, upstream] of pairs) {
        client.pipe(upstream);
        upstream.pipe(client);
      }
    },
    reset() {
      for (const [client, upstream] of pairs) {
        client.resetAndDestroy();
        upstream.destroy();
      }
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
