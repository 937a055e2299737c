import { connect, createServer, type Socket } from 'node:net';

export interface Balancer {
  port: number;
  close(): Promise<void>;
}

/**
 * Starts a TCP load balancer (round robin) over local ports, like a Kubernetes service. Ports that refuse are skipped.
 * @param port the port to listen on; 0 chooses a free one
 * @param options.probeEveryMs interval of /readyz probes; only targets that answer 200 get connections. Without it, all
 *   targets count as ready
 */
export async function startBalancer(
  port: number,
  targets: readonly number[],
  { probeEveryMs }: { probeEveryMs?: number | undefined } = {},
): Promise<Balancer> {
  const sockets = new Set<Socket>();
  const unready = new Set<number>();
  let turn = 0;
  /** Every target once: the ready ones first, beginning with the next one in turn. */
  const targetsInTurn = () => {
    const first = turn++ % targets.length;
    const rotated = [...targets.slice(first), ...targets.slice(0, first)];
    return [...rotated.filter((port) => !unready.has(port)), ...rotated.filter((port) => unready.has(port))];
  };
  const join = (client: Socket, [target, ...others]: number[]): void => {
    const upstream = connect({ host: '127.0.0.1', port: target as number });
    const refused = () => (others.length ? join(client, others) : client.destroy());
    upstream.once('error', refused);
    upstream.once('connect', () => {
      upstream.off('error', refused);
      for (const [from, to] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        from.setNoDelay(true);
        from.on('error', () => to.destroy());
        from.on('close', () => to.destroy());
        from.pipe(to);
        sockets.add(from);
        from.on('close', () => sockets.delete(from));
      }
    });
  };
  const server = createServer({ pauseOnConnect: true }, (client) => {
    client.on('error', () => {});
    join(client, targetsInTurn());
  });
  const probing = new Set<number>();
  // One probe at a time: an older answer must not replace a newer one.
  const probe = async (target: number) => {
    if (probing.has(target)) return;
    probing.add(target);
    if (await isReady(target)) unready.delete(target);
    else unready.add(target);
    probing.delete(target);
  };
  const prober = probeEveryMs === undefined ? undefined : setInterval(() => targets.forEach(probe), probeEveryMs);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    port: (server.address() as { port: number }).port,
    close: () =>
      new Promise((resolve) => {
        clearInterval(prober);
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

const probeTimeoutMs = 1_000;

/** Whether the process on a port answers /readyz with 200 within a second. */
export async function isReady(port: number | string | undefined): Promise<boolean> {
  const options = { headers: { connection: 'close' }, signal: AbortSignal.timeout(probeTimeoutMs) };
  const response = await fetch(`http://127.0.0.1:${port}/readyz`, options).catch(() => undefined);
  // The time may be over meanwhile.
  await response?.body?.cancel().catch(() => {});
  return response?.status === 200;
}
